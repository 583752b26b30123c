//! The rule for a dedup window. Invariant: a key is remembered until the last attempt of its intent can have arrived; a
//! window that the retries outlive holds in theory only.

use std::time::Duration;

/// How a client retries, as far as the window of its server depends on it.
#[derive(Clone, Copy, Debug)]
pub struct Retries {
    /// Bound of attempts, the first one included.
    pub attempts: u32,
    /// The client's patience for one attempt.
    pub timeout: Duration,
    /// The longest wait before a retry.
    pub backoff: Duration,
    /// How late a packet may arrive, after its sender has given up on it.
    pub late: Duration,
}

impl Retries {
    /// When the last attempt may arrive, from the first on: (attempts - 1) x (timeout + backoff), plus what a packet may
    /// be late. Each attempt but the last can take its whole timeout, and each retry waits out a backoff before it.
    pub fn last_arrival(&self) -> Duration {
        let retry = self.timeout.saturating_add(self.backoff);
        retry.saturating_mul(self.attempts.saturating_sub(1)).saturating_add(self.late)
    }

    /// Whether a key that is remembered for `window` is still known when the last attempt arrives.
    pub fn are_covered_by(&self, window: Duration) -> bool {
        window >= self.last_arrival()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_reaches_to_the_last_arrival() {
        let ms = Duration::from_millis;
        for (attempts, timeout, backoff, late, span) in [
            (0, 5_000, 350, 0, 0),
            (1, 5_000, 350, 0, 0),
            (1, 5_000, 350, 20, 20),
            (2, 5_000, 350, 0, 5_350),
            (3, 5_000, 350, 50, 10_750),
            (3, 5_000, 0, 0, 10_000),
            (3, 0, 350, 0, 700),
        ] {
            let retries = Retries { attempts, timeout: ms(timeout), backoff: ms(backoff), late: ms(late) };
            assert_eq!(retries.last_arrival(), ms(span), "{retries:?}");
            assert!(retries.are_covered_by(ms(span)), "{retries:?}");
            assert!(span == 0 || !retries.are_covered_by(ms(span - 1)), "{retries:?}");
        }
    }

    #[test]
    fn a_span_without_bound_is_covered_by_nothing_less() {
        let retries =
            Retries { attempts: u32::MAX, timeout: Duration::MAX, backoff: Duration::MAX, late: Duration::MAX };
        assert_eq!(retries.last_arrival(), Duration::MAX);
        assert!(!retries.are_covered_by(Duration::from_secs(u64::MAX)));
    }
}
