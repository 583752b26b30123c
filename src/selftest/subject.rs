//! The selftest: what the verdicts rest on, held to values written out by hand. Invariant: nothing here opens a port,
//! writes a file or starts a runtime, no expected value comes from what is checked, and every check can fail: the tests
//! break the subject of each and see that check fail.

use std::fmt::Debug;
use std::time::Duration;

use crate::probe::scenario::{SCENARIOS, Scenario};
use crate::probe::verdict::RowVerdict;
use crate::reconcile::tally::{IntentTally, Totals};
use crate::terms::canonical::NotCanonical;
use crate::terms::dedup_window::Retries;
use crate::terms::figures::Figures;
use crate::terms::intent::{Intent, KeyMode};
use crate::terms::outcome::{Advice, Symptom};

/// What is checked: the functions and tables that are in use, or in a test a broken one among them.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    pub canonical: &'a dyn Fn(&str) -> Result<String, NotCanonical>,
    pub intent_key: &'a dyn Fn(&str) -> Result<String, NotCanonical>,
    /// The key that a client sends in this mode with this attempt.
    pub sent_key: &'a dyn Fn(KeyMode, &Intent, u32) -> Option<String>,
    /// Expected intents and charges to totals.
    pub reconcile: &'a dyn Fn(&[&str], &[&str]) -> Totals,
    pub symptom: &'a dyn Fn(u16) -> Symptom,
    pub advice: &'a dyn Fn(Symptom) -> Advice,
    /// Whether a window covers a client's retries.
    pub covers: &'a dyn Fn(Duration, &Retries) -> bool,
    pub verdict: &'a dyn Fn(&Figures, &Figures) -> RowVerdict,
    pub scenarios: &'a [Scenario],
}

pub const IN_USE: Subject = Subject {
    canonical: &crate::terms::canonical::canonical,
    intent_key: &crate::terms::intent::intent_key,
    sent_key: &KeyMode::key,
    reconcile: &tallied,
    symptom: &Symptom::of_status,
    advice: &Symptom::advice,
    covers: &|window, retries| retries.are_covered_by(window),
    verdict: &RowVerdict::of,
    scenarios: SCENARIOS,
};

pub fn tallied(expected: &[&str], charges: &[&str]) -> Totals {
    let mut tally = IntentTally::default();
    for intent in expected {
        tally.expect(intent);
    }
    for intent in charges {
        tally.charge(intent);
    }
    tally.totals()
}

/// One named check.
pub struct SelfCheck {
    pub name: &'static str,
    pub run: fn(&Subject) -> Checked,
}

pub type Checked = Result<(), Difference>;

/// A value that is not the expected one.
#[derive(Debug)]
pub struct Difference {
    /// Which of the check's cases.
    pub case: String,
    pub got: String,
    pub want: String,
}

/// Compares a value with the one written out by hand.
pub fn same<T: PartialEq<U> + Debug, U: Debug>(case: &str, got: T, want: U) -> Checked {
    if got == want {
        return Ok(());
    }
    Err(Difference { case: case.to_owned(), got: format!("{got:?}"), want: format!("{want:?}") })
}
