//! Reconciliation: what was committed against what was wanted, counted from ledger entries alone. Invariant: this is
//! the only place that says what a duplicate or a loss is; the scenarios and a user's own records are counted by the
//! same rule. Memory grows with distinct intents, not with charges.

mod state;

use std::collections::BTreeMap;

use serde::Serialize;

pub use state::When;

use super::amount::Amount;
use super::names::Names;
use crate::terms::figures::Figures;
use crate::terms::named::named_enum;
use state::State;

/// Expected intents and charges, counted as they stream by. Iteration is in order of first mention.
#[derive(Default)]
pub struct IntentTally {
    intents: Names<State>,
    /// The first amount of each intent, by its place; empty where no amounts are named.
    amounts: Vec<Amount>,
    /// The first amount that is another one, by the place of its intent.
    others: BTreeMap<usize, Amount>,
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
    /// Intents of which two amounts were named.
    #[serde(skip_serializing_if = "is_zero")]
    pub differing: u64,
    /// What lies outside of the window and is not held to it; nothing where there is no window.
    #[serde(skip_serializing_if = "Outside::is_none")]
    pub outside: Outside,
}

/// What is told apart from the figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Outside {
    /// Intents expected at another time, or at one that is not known, and not charged within the window.
    pub expected: u64,
    /// Ledger entries of intents that were neither expected nor charged within the window.
    pub entries: u64,
}

impl Outside {
    pub fn is_none(&self) -> bool {
        *self == Outside::default()
    }
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Totals {
    /// Whether every expected intent was charged once and nothing else was. Each of the three can be fooled alone.
    pub fn is_clean(&self) -> bool {
        self.duplicates == 0 && self.lost == 0 && self.committed == self.expected && self.differing == 0
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
        /// Two amounts: expected and charged, or of two charges.
        AmountDiffers = "amount-differs",
    }
}

/// An intent that was not charged exactly as expected.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Offender<'a> {
    pub intent: &'a str,
    pub charges: u64,
    pub expected: bool,
    /// The first two amounts; None where there are not two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub amounts: Option<[Amount; 2]>,
}

impl Offender<'_> {
    /// What is wrong with it, which may be several things; none for an intent in order.
    pub fn findings(&self) -> impl Iterator<Item = Finding> {
        let holds = |finding: &Finding| match finding {
            Finding::Duplicate => self.charges > 1,
            Finding::Lost => self.expected && self.charges == 0,
            Finding::Unexpected => !self.expected && self.charges > 0,
            Finding::AmountDiffers => self.amounts.is_some(),
        };
        Finding::ALL.iter().copied().filter(holds)
    }
}

impl IntentTally {
    /// Notes that this intent is wanted, once. False where it was expected already: that changes nothing.
    pub fn expect(&mut self, intent: &str) -> bool {
        self.expect_at(intent, When::Inside, None)
    }

    /// Counts one ledger entry of this intent.
    pub fn charge(&mut self, intent: &str) {
        self.charge_at(intent, When::Inside, None);
    }

    /// As [`IntentTally::expect`], at a time and for an amount; None where that is not looked at.
    pub fn expect_at(&mut self, intent: &str, when: When, amount: Option<Amount>) -> bool {
        let (place, state) = self.intents.at(intent);
        let is_first = !state.is_named();
        state.expect(when);
        self.price(place, amount);
        is_first
    }

    /// As [`IntentTally::charge`], at a time and of an amount; None where that is not looked at.
    pub fn charge_at(&mut self, intent: &str, when: When, amount: Option<Amount>) {
        let (place, state) = self.intents.at(intent);
        state.charge(when);
        self.price(place, amount);
    }

    fn price(&mut self, place: usize, amount: Option<Amount>) {
        let Some(amount) = amount else { return };
        let state = self.intents.value_mut(place);
        if state.price() {
            self.amounts.resize(self.amounts.len().max(place + 1), Amount::default());
            self.amounts[place] = amount;
        } else if self.amounts[place] != amount {
            state.differ();
            self.others.entry(place).or_insert(amount);
        }
    }

    /// Whether any intent is expected, at whatever time.
    pub fn is_held_to_any(&self) -> bool {
        self.intents.iter().any(|(_, state)| state.is_named())
    }

    pub fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        for (_, &state) in self.intents.iter() {
            let (charges, expected) = (state.charges(), state.is_expected());
            if !state.is_judged() {
                totals.outside.expected += u64::from(state.is_named());
                totals.outside.entries += charges;
                continue;
            }
            totals.committed += charges;
            totals.expected += u64::from(expected);
            totals.distinct += u64::from(charges > 0);
            totals.duplicates += charges.saturating_sub(1);
            totals.lost += u64::from(expected && charges == 0);
            totals.unexpected += u64::from(charges > 0 && !expected);
            totals.differing += u64::from(state.differs());
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
        let judged = self.intents.iter().enumerate().filter(|(_, (_, state))| state.is_judged());
        judged.map(|(place, named)| self.offender(place, named)).filter(|intent| intent.findings().next().is_some())
    }

    fn offender<'a>(&self, place: usize, (intent, state): (&'a str, &State)) -> Offender<'a> {
        let amounts = self.others.get(&place).map(|other| [self.amounts[place], *other]);
        Offender { intent, charges: state.charges(), expected: state.is_expected(), amounts }
    }
}

#[cfg(test)]
mod tests;
