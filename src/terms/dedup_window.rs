//! The rule for a dedup window. Invariant: a window that the longest retry can outlive is no dedup.

use std::time::Duration;

/// The longest time from an intent's first attempt to the end of its last: attempts x backoff + one timeout.
pub fn retry_span(attempts: u32, backoff: Duration, timeout: Duration) -> Duration {
    backoff.saturating_mul(attempts).saturating_add(timeout)
}

/// Whether a key that is remembered for `window` is still known at the last retry. Otherwise idempotency holds in theory
/// only.
pub fn covers(window: Duration, attempts: u32, backoff: Duration, timeout: Duration) -> bool {
    window >= retry_span(attempts, backoff, timeout)
}
