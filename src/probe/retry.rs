//! The attempts of one intent. Invariant: whether to go on is the retry table's word alone, and attempts and time are
//! both bounded.

use std::time::{Duration, SystemTime};

use crate::http::client::Outcome;
use crate::http::retry_after::RetryAfter;
use crate::terms::outcome::Action;

/// The budget of one intent.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Bound of attempts, the first one included.
    pub attempts: u32,
    /// Wait before a retry; a longer `Retry-After` replaces it.
    pub backoff: Duration,
    /// Bound of the time that attempts and waits may take before the last attempt is begun.
    pub total: Duration,
}

impl Budget {
    /// How long to wait before attempt `next`, after attempts that came to `outcomes`, where attempts and waits have
    /// `spent` so much so far; None when there is to be none. Simultaneous attempts are retried when any of them asks
    /// for it.
    pub fn wait(&self, next: u32, outcomes: &[Outcome], spent: Duration) -> Option<Duration> {
        let again = outcomes.iter().any(|outcome| outcome.symptom.advice().action.retries());
        if !again || next > self.attempts {
            return None;
        }
        let wait = outcomes.iter().filter_map(asked).fold(self.backoff, Duration::max);
        (spent.saturating_add(wait) <= self.total).then_some(wait)
    }
}

/// What the server asked for by `Retry-After`.
fn asked(outcome: &Outcome) -> Option<Duration> {
    let reply = outcome.reply.as_ref()?;
    match outcome.symptom.advice().action {
        Action::RetryLaterSameKey | Action::RetrySameKey => {
            reply.header("retry-after").and_then(RetryAfter::parse).map(|asked| asked.wait(SystemTime::now()))
        }
        Action::Done | Action::FixRequest | Action::Retry | Action::VerifyFirst => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::client::Reply;
    use crate::terms::outcome::Symptom;

    const BUDGET: Budget = Budget { attempts: 2, backoff: Duration::from_millis(350), total: Duration::from_secs(60) };

    fn outcome(symptom: Symptom, retry_after: Option<&str>) -> Outcome {
        let headers = retry_after.map(|value| ("Retry-After".to_owned(), value.as_bytes().to_vec()));
        let reply = Some(Reply { status: 503, headers: headers.into_iter().collect(), body: vec![] });
        Outcome { symptom, reply, detail: None, elapsed: Duration::ZERO }
    }

    fn wait(next: u32, outcome: Outcome) -> Option<Duration> {
        BUDGET.wait(next, &[outcome], Duration::from_secs(1))
    }

    #[test]
    fn the_retry_table_decides_and_attempts_are_bounded() {
        assert_eq!(wait(2, outcome(Symptom::ServerError, None)), Some(BUDGET.backoff));
        assert_eq!(wait(3, outcome(Symptom::ServerError, None)), None);
        for final_word in [Symptom::Ok, Symptom::ClientError, Symptom::BadReply, Symptom::Truncated] {
            assert_eq!(wait(2, outcome(final_word, None)), None, "{final_word}");
        }
    }

    #[test]
    fn retry_after_is_honoured_within_the_budget() {
        assert_eq!(wait(2, outcome(Symptom::ServerError, Some("2"))), Some(Duration::from_secs(2)));
        assert_eq!(wait(2, outcome(Symptom::Throttled, Some("0"))), Some(BUDGET.backoff));
        assert_eq!(wait(2, outcome(Symptom::Throttled, Some("59"))), Some(Duration::from_secs(59)));
        assert_eq!(wait(2, outcome(Symptom::Throttled, Some("60"))), None, "past the total");
        assert_eq!(wait(2, outcome(Symptom::Throttled, Some(&u64::MAX.to_string()))), None);
        let date = httpdate::fmt_http_date(SystemTime::now() + Duration::from_secs(30));
        let asked = wait(2, outcome(Symptom::Throttled, Some(&date))).unwrap();
        assert!(asked > Duration::from_secs(20) && asked <= Duration::from_secs(30), "{asked:?}");
    }
}
