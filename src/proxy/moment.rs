//! Waiting for a moment more precisely than a timer does. Invariant: never early, and late only by what the scheduler
//! of a busy machine adds.

use std::time::{Duration, Instant};

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
