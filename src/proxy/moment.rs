//! Waiting for a moment more precisely than a timer does. Invariant: never early, and late only by what the scheduler
//! of a busy machine adds.

use std::time::{Duration, Instant};

use super::gate::Gate;

/// When something happens to a connection.
#[derive(Clone, Debug)]
pub enum When {
    /// So long after the last request byte.
    After(Duration),
    /// Once a gate is open.
    Opened(Gate),
}

impl When {
    /// Returns when it has come; the last request byte was sent at `sent`.
    pub async fn has_come(&self, sent: Instant) {
        match self {
            When::After(after) => reach(sent + *after).await,
            When::Opened(gate) => gate.opened().await,
        }
    }
}

/// tokio's timer counts whole milliseconds and rounds up; the rest is spun.
const COARSE: Duration = Duration::from_millis(2);

/// Returns at `moment`; at once, without giving way, where it has passed.
pub async fn reach(moment: Instant) {
    if let Some(before) = moment.checked_sub(COARSE).filter(|before| *before > Instant::now()) {
        tokio::time::sleep_until(before.into()).await;
    }
    while Instant::now() < moment {
        tokio::task::yield_now().await;
    }
}
