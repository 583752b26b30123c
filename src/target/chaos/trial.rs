//! Schedules played, settled, counted and judged. Invariant: the verdict is the invariants' word on the final, settled
//! state after a fence; what the user declared is no finding.

use std::cell::Cell;
use std::time::Duration;

use super::habits::Habits;
use super::play::{Missed, play};
use super::schedule::Schedule;
use crate::target::drive::restarted::restarted;
use crate::target::drive::session::{Health, Session};
use crate::target::facts::case::Case;
use crate::target::judge::invariants::judge;
use crate::target::judge::verdict::Verdict;
use crate::target::run::receipts;
use crate::target::run::row::{count, excused};

/// What one play of a schedule came to.
pub struct Trial {
    /// Of its strongest case.
    pub verdict: Verdict,
    pub cases: Vec<Case>,
    /// For each step, why it did not land; None where it did.
    pub missed: Vec<Missed>,
}

/// Where schedules are played, and how long a key may stay in flight there.
pub struct Ground<'a> {
    session: &'a Session,
    habits: &'a Habits,
    lease: Duration,
    /// Whether the steps are over, and the target has to come to an end with what they left open.
    is_settling: Cell<bool>,
}

impl<'a> Ground<'a> {
    pub fn new(session: &'a Session, habits: &'a Habits, lease: Duration) -> Ground<'a> {
        Ground { session, habits, lease, is_settling: Cell::new(false) }
    }

    /// Whether what is played now waits for keys to settle, or for the ledger.
    pub fn is_settling(&self) -> bool {
        self.is_settling.get()
    }

    /// Plays the schedules one after another; what is left open of all of them settles side by side.
    ///
    /// # Errors
    /// Says what could not be carried out.
    pub async fn try_all(&self, schedules: &[&Schedule]) -> Result<Vec<Trial>, String> {
        self.is_settling.set(false);
        let mut plays = Vec::new();
        for schedule in schedules {
            let mut played = play(self.session, self.habits, schedule).await?;
            self.revive(&mut played.cases).await?;
            plays.push(played);
        }
        self.is_settling.set(true);
        let lengths: Vec<usize> = plays.iter().map(|played| played.cases.len()).collect();
        let missed: Vec<_> = plays.iter_mut().map(|played| std::mem::take(&mut played.missed)).collect();
        let mut cases: Vec<Case> = plays.into_iter().flat_map(|played| played.cases).collect();
        self.session.settle_within(&mut cases, self.lease).await;
        if let Some(ledger) = self.fence().await? {
            cases.iter_mut().for_each(|case| count(case, &ledger));
        }
        let mut cases = cases.into_iter();
        let own = lengths.into_iter().map(|length| cases.by_ref().take(length).collect());
        Ok(own.zip(missed).map(|(cases, missed)| self.judged(cases, missed)).collect())
    }

    /// # Errors
    /// As [`Ground::try_all`].
    pub async fn try_one(&self, schedule: &Schedule) -> Result<Trial, String> {
        Ok(self.try_all(&[schedule]).await?.remove(0))
    }

    /// A fence whose own key the target refuses is tried with another one.
    async fn fence(&self) -> Result<Option<crate::reconcile::oracle::Readings>, String> {
        match self.session.fence().await {
            Ok(ledger) => Ok(ledger),
            Err(_) => self.session.fence().await,
        }
    }

    /// A target that a schedule has killed is started again, if the user said how.
    async fn revive(&self, cases: &mut [Case]) -> Result<(), String> {
        if !cases.iter().any(Case::silent) && self.session.health(&[]).await == Health::Answers {
            return Ok(());
        }
        match (self.session.health(cases).await, self.session.options.restart.as_ref()) {
            (Health::Answers | Health::Hangs, _) => Ok(()),
            (Health::Gone, Some(command)) => restarted(self.session, command).await,
            (Health::Gone, None) => {
                Err("the target died: connections are refused; --restart-cmd would start it again".into())
            }
        }
    }

    fn judged(&self, mut cases: Vec<Case>, missed: Vec<Missed>) -> Trial {
        receipts::mark(&mut cases);
        let accept = &self.session.options.accept;
        let verdicts = cases.iter().map(|case| match judge(case).verdict {
            verdict if verdict.is_finding() && excused(case, verdict, accept) => Verdict::Ok,
            verdict => verdict,
        });
        let verdict = verdicts.fold(Verdict::Ok, Verdict::and);
        Trial { verdict, cases, missed }
    }
}

impl Trial {
    /// Why it shows nothing; None where it is a finding, or shows that nothing is broken.
    pub fn shows_nothing(&self) -> Option<String> {
        if self.verdict == Verdict::Ok || self.verdict.is_finding() {
            return None;
        }
        let decisive = self.cases.iter().map(judge).find(|judgement| judgement.verdict == self.verdict);
        decisive.map(|judgement| judgement.why)
    }

    /// Whether every step landed.
    pub fn landed(&self) -> bool {
        self.missed.iter().all(Option::is_none)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::facts::answer::{Answer, Class};
    use crate::target::facts::case::Rule;
    use crate::target::facts::fixtures::{case, refused, success};

    #[test]
    fn only_what_was_broken_or_counted_shows_something() {
        let unsent = || Answer { class: Class::Unsent, ..refused() };
        let trial = |verdict, rule, calls: &[&str], answers, charges: &[u64]| Trial {
            verdict,
            cases: vec![case("here", rule, calls, answers, charges)],
            missed: vec![None],
        };
        let held = trial(Verdict::Ok, Rule::Once, &["a"], vec![(0, success("r"))], &[1]);
        let twice = trial(Verdict::Duplicate, Rule::Once, &["a"], vec![(0, success("r"))], &[2]);
        assert_eq!((held.shows_nothing(), twice.shows_nothing()), (None, None));
        let both = vec![(0, success("r")), (1, unsent())];
        let never_sent = trial(Verdict::Unproven, Rule::Reuse, &["a", "b"], both, &[1, 0]);
        assert_eq!(never_sent.shows_nothing().as_deref(), Some("one of the payloads never reached the target"));
        let gone = trial(Verdict::Error, Rule::Once, &["a"], vec![(0, unsent())], &[0]);
        assert!(gone.shows_nothing().is_some_and(|why| why.starts_with("the target could not be reached")));
    }
}
