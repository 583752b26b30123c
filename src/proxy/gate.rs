//! A latch that one task opens and others wait for. Invariant: once open it stays open, so an opening is never missed.

use std::sync::Arc;

use tokio::sync::watch;

/// Clones are the same gate.
#[derive(Clone, Debug)]
pub struct Gate(Arc<watch::Sender<bool>>);

impl Gate {
    /// A closed gate.
    pub fn new() -> Gate {
        Gate(Arc::new(watch::Sender::new(false)))
    }

    /// Lets all pass, now and later.
    pub fn open(&self) {
        self.0.send_replace(true);
    }

    /// Returns when it is open.
    pub async fn opened(&self) {
        // The sender lives as long as `self`, so the wait cannot fail.
        let _ = self.0.subscribe().wait_for(|open| *open).await;
    }
}

impl Default for Gate {
    fn default() -> Gate {
        Gate::new()
    }
}
