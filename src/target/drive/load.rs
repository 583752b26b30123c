//! Refusals that may be due to how busy the target is. Invariant: such a refusal is a finding only where it was repeated
//! with nothing else under way, and asking for that is bounded in a whole run.

use std::cell::Cell;
use std::time::Duration;

use crate::target::facts::answer::{Answer, Class};
use crate::target::facts::case::Case;

/// Before each of the last retries of a key that is refused for the load, beyond a plain request's time: a handler may
/// hold its lock a while after it has replied, and a loaded machine may stop it there.
pub const QUIET: [Duration; 4] =
    [Duration::from_millis(50), Duration::from_millis(100), Duration::from_millis(250), Duration::from_millis(500)];
/// For such retries that were in vain, in a whole run.
const QUIET_BUDGET: Duration = Duration::from_secs(20);

/// What is known of how the target bears load.
pub struct Load {
    /// Whether it has refused a key for now that it could not know yet, as with one lock for several keys: then its
    /// conflicts too may be due to the load.
    contended: Cell<bool>,
    /// What is left of the time for retries in quiet.
    budget: Cell<Duration>,
}

impl Load {
    pub fn new() -> Load {
        Load { contended: Cell::new(false), budget: Cell::new(QUIET_BUDGET) }
    }

    /// Learns from the answers of these cases.
    pub fn learn(&self, cases: &[Case]) {
        self.contended.set(self.contended.get() || cases.iter().any(Case::refused_fresh));
    }

    /// Whether the answer may be due to how busy the target is with other keys.
    pub fn may_explain(&self, answer: &Answer) -> bool {
        let may_be_others = answer.status == Some(429) || self.contended.get();
        answer.class == Class::Failure || answer.refuses_for_now() && may_be_others
    }

    /// Whether so much more may be spent on asking in quiet.
    pub fn affords(&self, spent: Duration) -> bool {
        spent <= self.budget.get()
    }

    /// Notes time that was spent in vain.
    pub fn spend(&self, spent: Duration) {
        self.budget.set(self.budget.get().saturating_sub(spent));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::facts::case::Rule;
    use crate::target::facts::fixtures::{case, success};

    fn answer(class: Class, status: u16) -> Answer {
        Answer { status: Some(status), ..Answer { class, ..Answer::withheld("") } }
    }

    #[test]
    fn a_conflict_blames_the_load_only_where_an_unknown_key_met_one() {
        let load = Load::new();
        let rows = [
            (Class::InFlight, 429, true),
            (Class::InFlight, 409, false),
            (Class::InFlight, 202, false),
            (Class::Failure, 500, true),
            (Class::Refusal, 422, false),
        ];
        for (class, status, blames) in rows {
            assert_eq!(load.may_explain(&answer(class, status)), blames, "{status}");
        }
        load.contended.set(true);
        assert!(load.may_explain(&answer(Class::InFlight, 409)));
        assert!(!load.may_explain(&answer(Class::InFlight, 202)), "a 202 takes the request, it does not refuse it");
    }

    #[test]
    fn a_target_that_refused_one_unknown_key_is_contended_from_then_on() {
        let load = Load::new();
        let of = |answers: Vec<Answer>| {
            [case("k", Rule::Once, &["a"], answers.into_iter().map(|answer| (0, answer)).collect(), &[1])]
        };
        let conflict = || answer(Class::InFlight, 409);
        // A conflict of a key that another request carried before says nothing of other keys.
        let mut again = of(vec![success("r"), conflict()]);
        (again[0].attempts[1].sent, again[0].attempts[1].ended) = (Duration::from_secs(1), Duration::from_secs(2));
        load.learn(&again);
        assert!(!load.may_explain(&conflict()));
        load.learn(&of(vec![conflict()]));
        assert!(load.may_explain(&conflict()));
        load.learn(&of(vec![success("r")]));
        assert!(load.may_explain(&conflict()), "what was seen once stays known");
    }

    #[test]
    fn what_was_asked_in_vain_is_bounded_in_a_whole_run() {
        let load = Load::new();
        assert!(load.affords(QUIET_BUDGET) && !load.affords(QUIET_BUDGET + Duration::from_millis(1)));
        load.spend(Duration::from_secs(19));
        assert!(load.affords(Duration::from_secs(1)) && !load.affords(Duration::from_millis(1001)));
    }
}
