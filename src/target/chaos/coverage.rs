//! Which steps landed, and which followed which. Invariant: a step that did not land is counted apart, never as tried.

use std::collections::BTreeMap;

use serde::Serialize;

use super::play::Missed;
use super::schedule::Schedule;
use super::step::Kind;

/// Counts of one exploration.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Coverage {
    /// By the step's name.
    pub steps: BTreeMap<&'static str, Landed>,
    /// By the names of two steps that landed one after the other.
    pub pairs: BTreeMap<String, u64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Landed {
    pub landed: u64,
    pub missed: u64,
}

impl Coverage {
    /// Counts one play.
    pub fn add(&mut self, schedule: &Schedule, missed: &[Missed]) {
        let mut before: Option<Kind> = None;
        for (step, missed) in schedule.steps.iter().zip(missed) {
            let kind = step.kind();
            let count = self.steps.entry(kind.name()).or_default();
            if missed.is_some() {
                count.missed += 1;
                continue;
            }
            count.landed += 1;
            if let Some(before) = before {
                *self.pairs.entry(format!("{before} > {kind}")).or_default() += 1;
            }
            before = Some(kind);
        }
    }

    /// All steps that landed.
    pub fn landed(&self) -> u64 {
        self.steps.values().map(|count| count.landed).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::chaos::fixtures::schedule;
    use crate::target::chaos::step::Step;

    #[test]
    fn what_did_not_land_is_counted_apart_and_is_in_no_pair() {
        let mut coverage = Coverage::default();
        let steps = [Step::plain(0), Step::NoKey, Step::Restart, Step::plain(0)];
        coverage.add(&schedule(1, &steps), &[None, Some("why not"), None, None]);
        assert_eq!(coverage.steps["no key"], Landed { landed: 0, missed: 1 });
        assert_eq!(coverage.steps["send"], Landed { landed: 2, missed: 0 });
        let pairs: Vec<_> = coverage.pairs.iter().map(|(pair, count)| (pair.as_str(), *count)).collect();
        assert_eq!(pairs, [("restart > send", 1), ("send > restart", 1)]);
        assert_eq!(coverage.landed(), 3);
    }
}
