//! Hand-shakes of simultaneous requests. Invariant: a race is made by waiting for the other side, never by luck; where
//! no rivals are declared nobody waits for anybody.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::Barrier;

/// The meeting points of the requests of one intent.
#[derive(Debug)]
pub struct Gates {
    /// Simultaneous requests of one intent; 1 means that there is no race.
    rivals: usize,
    arrived: Meetings,
    checked: Meetings,
}

type Meetings = Mutex<HashMap<String, Arc<Barrier>>>;

impl Gates {
    pub fn new(rivals: usize) -> Gates {
        Gates { rivals, arrived: Meetings::default(), checked: Meetings::default() }
    }

    /// Returns once every rival's request is in, so that none commits before all have arrived.
    pub async fn arrived(&self, intent: &str) {
        self.meet(&self.arrived, intent).await;
    }

    /// The check-then-act window: at least `window`, and open until every rival has checked too.
    pub async fn checked(&self, intent: &str, window: Duration) {
        tokio::join!(tokio::time::sleep(window), self.meet(&self.checked, intent));
    }

    async fn meet(&self, meetings: &Meetings, intent: &str) {
        if self.rivals < 2 {
            return;
        }
        let barrier = {
            let mut meetings = meetings.lock().expect("no request panics while it holds the gates");
            meetings.entry(intent.to_owned()).or_insert_with(|| Arc::new(Barrier::new(self.rivals))).clone()
        };
        barrier.wait().await;
    }
}
