//! The target's pace, as plain requests show it, and the client's patience that follows. Pure. Invariant: what was turned
//! away was not worked on and tells no pace.

use std::time::Duration;

use crate::target::facts::answer::Class;
use crate::target::facts::case::Attempt;

/// Patience before a plain request has told the target's latency.
const FIRST_PATIENCE: Duration = Duration::from_secs(10);
/// The client's patience is this many times the slowest plain request seen, within bounds.
const PATIENCE_FACTOR: u32 = 20;
const PATIENCE_BOUNDS: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(30)];

/// What is known of the target's pace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// Of a plain request with a fresh key, the median of the latest measure; zero before the first.
    pub latency: Duration,
    /// Of the client, for one attempt.
    pub patience: Duration,
    /// How the target answers a charge; None before the first success.
    pub success_status: Option<u16>,
}

impl Pace {
    /// Before anything was measured; `given` is the user's own patience.
    pub fn unknown(given: Option<Duration>) -> Pace {
        Pace { latency: Duration::ZERO, patience: given.unwrap_or(FIRST_PATIENCE), success_status: None }
    }

    /// With what these plain requests show, if any of them succeeded. A patience that the user gave stays.
    pub fn measured(self, attempts: &[Attempt], given: Option<Duration>) -> Pace {
        let mut worked: Vec<_> = attempts.iter().filter(|a| a.answer.class == Class::Success).collect();
        let Some(first) = worked.first() else { return self };
        let success_status = first.answer.status;
        let time = |attempt: &&Attempt| attempt.ended - attempt.sent;
        worked.sort_by_key(time);
        let (median, slowest) = (time(&worked[worked.len() / 2]), time(&worked[worked.len() - 1]));
        let [least, most] = PATIENCE_BOUNDS;
        let patience = given.unwrap_or((slowest * PATIENCE_FACTOR).clamp(least, most));
        Pace { latency: median, patience, success_status }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::facts::answer::Answer;

    fn attempt(class: Class, ms: u64) -> Attempt {
        let answer = Answer { class, status: Some(201), ..Answer::withheld("") };
        let (sent, ended) = (Duration::from_secs(1), Duration::from_secs(1) + Duration::from_millis(ms));
        Attempt { sent, ended, call: 0, note: String::new(), copy: false, faulted: false, answer, client: None }
    }

    #[test]
    fn the_patience_follows_the_slowest_success_within_bounds() {
        for (slowest, patience) in [(1, 1_000), (50, 1_000), (51, 1_020), (1_500, 30_000), (9_000, 30_000)] {
            let pace = Pace::unknown(None).measured(&[attempt(Class::Success, slowest)], None);
            assert_eq!(pace.patience, Duration::from_millis(patience), "{slowest} ms");
        }
    }

    #[test]
    fn the_latency_is_the_median_of_successes_alone() {
        let [a, b, c] = [5, 40, 20].map(|ms| attempt(Class::Success, ms));
        let pace = Pace::unknown(None).measured(&[a, attempt(Class::InFlight, 900), b, c], None);
        assert_eq!((pace.latency, pace.success_status), (Duration::from_millis(20), Some(201)));
    }

    #[test]
    fn a_patience_that_was_given_stays_and_refusals_tell_nothing() {
        let given = Some(Duration::from_secs(7));
        let pace = Pace::unknown(given);
        assert_eq!(pace.measured(&[attempt(Class::InFlight, 1)], given), pace);
        assert_eq!(pace.measured(&[attempt(Class::Success, 9_000)], given).patience, Duration::from_secs(7));
        assert_eq!(Pace::unknown(None).patience, FIRST_PATIENCE);
    }
}
