//! Reconciliation: what was committed against what was wanted, counted from ledger entries alone. Invariant: this is
//! the only place that says what a duplicate or a loss is; the scenarios and a user's own records are counted by the
//! same rule. Memory grows with distinct intents, not with charges.

use serde::Serialize;

use super::names::Names;
use crate::terms::figures::Figures;
use crate::terms::named::named_enum;

/// Expected intents and charges, counted as they stream by. Iteration is in order of first mention.
#[derive(Default)]
pub struct IntentTally {
    intents: Names<State>,
    committed: u64,
}

/// What is known of one intent: its charges, doubled, plus one where it is expected. One word, since there may be ten
/// million.
#[derive(Default)]
struct State(u64);

impl State {
    fn charges(&self) -> u64 {
        self.0 >> 1
    }

    fn is_expected(&self) -> bool {
        self.0 & 1 == 1
    }
}

/// What the tally comes to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// Charges.
    pub committed: u64,
    /// Distinct expected intents.
    pub expected: u64,
    /// Intents charged at least once.
    pub distinct: u64,
    /// Sum over intents of max(0, charges - 1).
    pub duplicates: u64,
    /// Expected intents with no charge.
    pub lost: u64,
    /// Intents charged but not expected.
    pub unexpected: u64,
}

impl Totals {
    /// Whether every expected intent was charged once and nothing else was. Each of the three can be fooled alone.
    pub fn is_clean(&self) -> bool {
        self.duplicates == 0 && self.lost == 0 && self.committed == self.expected
    }
}

named_enum! {
    /// What is wrong with an intent.
    pub enum Finding {
        /// Charged more than once.
        Duplicate = "duplicate",
        /// Expected and not charged.
        Lost = "lost",
        /// Charged and not expected.
        Unexpected = "unexpected",
    }
}

/// An intent that was not charged exactly as expected.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Offender<'a> {
    pub intent: &'a str,
    pub charges: u64,
    pub expected: bool,
}

impl Offender<'_> {
    /// What is wrong with it: one finding, or two for an unexpected intent charged more than once; none for an intent in
    /// order.
    pub fn findings(&self) -> impl Iterator<Item = Finding> {
        let holds = |finding: &Finding| match finding {
            Finding::Duplicate => self.charges > 1,
            Finding::Lost => self.expected && self.charges == 0,
            Finding::Unexpected => !self.expected && self.charges > 0,
        };
        Finding::ALL.iter().copied().filter(holds)
    }
}

impl IntentTally {
    /// Notes that this intent is wanted, once. False where it was expected already: that changes nothing.
    pub fn expect(&mut self, intent: &str) -> bool {
        let state = self.intents.at(intent);
        let first = !state.is_expected();
        state.0 |= 1;
        first
    }

    /// Counts one ledger entry of this intent.
    pub fn charge(&mut self, intent: &str) {
        self.intents.at(intent).0 += 2;
        self.committed += 1;
    }

    pub fn totals(&self) -> Totals {
        let mut totals = Totals { committed: self.committed, ..Totals::default() };
        for (_, state) in self.intents.iter() {
            let (charged, expected) = (state.charges() > 0, state.is_expected());
            totals.expected += u64::from(expected);
            totals.distinct += u64::from(charged);
            totals.duplicates += state.charges().saturating_sub(1);
            totals.lost += u64::from(expected && !charged);
            totals.unexpected += u64::from(charged && !expected);
        }
        totals
    }

    /// The five figures of a scenario in which so many requests were sent.
    pub fn figures(&self, requests: u64) -> Figures {
        let Totals { committed, distinct, duplicates, lost, .. } = self.totals();
        Figures { requests, charges: committed, unique: distinct, duplicates, lost }
    }

    /// The intents that were not charged exactly as expected, in order of first mention.
    pub fn offenders(&self) -> impl Iterator<Item = Offender<'_>> {
        self.intents
            .iter()
            .map(|(intent, state)| Offender { intent, charges: state.charges(), expected: state.is_expected() })
            .filter(|intent| intent.findings().next().is_some())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;

    fn tally(expected: &[&str], charges: &[&str]) -> IntentTally {
        let mut tally = IntentTally::default();
        expected.iter().for_each(|intent| assert!(tally.expect(intent)));
        charges.iter().for_each(|intent| tally.charge(intent));
        tally
    }

    #[test]
    fn each_of_the_three_figures_can_be_fooled_alone() {
        let swallowed = tally(&["a", "b"], &["a"]).totals();
        assert_eq!((swallowed.duplicates, swallowed.lost), (0, 1));
        let doubled = tally(&["a", "b"], &["a", "b", "b"]).totals();
        assert_eq!((doubled.duplicates, doubled.lost), (1, 0));
        let stray = tally(&["a"], &["a", "z"]).totals();
        assert_eq!((stray.duplicates, stray.lost, stray.unexpected), (0, 0, 1));
        let balanced = tally(&["a", "b"], &["a", "a"]).totals();
        assert_eq!((balanced.committed, balanced.expected), (2, 2));
        assert!([swallowed, doubled, stray, balanced].iter().all(|totals| !totals.is_clean()));
        assert!(tally(&["a", "b"], &["b", "a"]).totals().is_clean());
    }

    #[test]
    fn an_intent_expected_twice_is_wanted_once() {
        let mut twice = tally(&["a"], &["a"]);
        assert!(!twice.expect("a"));
        assert!(twice.totals().is_clean());
    }

    #[test]
    fn offenders_come_in_order_of_mention_with_what_is_wrong() {
        let tally = tally(&["b", "a", "c"], &["z", "c", "b", "b", "z"]);
        let named: Vec<(&str, Vec<Finding>)> =
            tally.offenders().map(|offender| (offender.intent, offender.findings().collect())).collect();
        use Finding::*;
        let declared = [("b", vec![Duplicate]), ("a", vec![Lost]), ("z", vec![Duplicate, Unexpected])];
        assert_eq!(named, declared);
    }

    #[test]
    fn findings_follow_charges_and_expectation() {
        use Finding::*;
        for (charges, expected, findings) in [
            (0, true, vec![Lost]),
            (1, true, vec![]),
            (2, true, vec![Duplicate]),
            (0, false, vec![]),
            (1, false, vec![Unexpected]),
            (2, false, vec![Duplicate, Unexpected]),
        ] {
            let offender = Offender { intent: "a", charges, expected };
            assert_eq!(offender.findings().collect::<Vec<_>>(), findings, "{charges} {expected}");
        }
    }

    proptest! {
        #[test]
        fn totals_are_those_of_plain_maps(expected in names(0), charges in names(60)) {
            let mut tally = IntentTally::default();
            expected.iter().for_each(|intent| { tally.expect(intent); });
            charges.iter().for_each(|intent| tally.charge(intent));

            let wanted: BTreeSet<_> = expected.iter().collect();
            let mut per: BTreeMap<_, u64> = BTreeMap::new();
            charges.iter().for_each(|intent| *per.entry(intent).or_default() += 1);
            prop_assert_eq!(tally.totals(), Totals {
                committed: charges.len() as u64,
                expected: wanted.len() as u64,
                distinct: per.len() as u64,
                duplicates: per.values().map(|n| n - 1).sum(),
                lost: wanted.iter().filter(|intent| !per.contains_key(*intent)).count() as u64,
                unexpected: per.keys().filter(|intent| !wanted.contains(*intent)).count() as u64,
            });
            prop_assert_eq!(tally.figures(7).charges, charges.len() as u64);
        }
    }

    /// Names of few letters, so that many meet.
    fn names(at_least: usize) -> impl Strategy<Value = Vec<String>> {
        prop::collection::vec("[abé]{0,3}", at_least..at_least + 60)
    }
}
