//! The selftest: what the verdicts rest on, held to values written out by hand. Invariant: nothing here opens a port,
//! writes a file or starts a runtime, no expected value comes from what is checked, and every check can fail: the tests
//! break the subject of each and see that check fail.

mod canonical;
pub mod command;
mod keys;
mod reconcile;
mod retry;
mod rows;
mod vectors;
mod window;

use std::fmt::Debug;
use std::time::Duration;

use crate::canonical::NotCanonical;
use crate::intent::{Intent, KeyMode};
use crate::outcome::{Advice, Symptom};
use crate::reading::Figures;
use crate::reconcile::{Tally, Totals};
use crate::scenario::{SCENARIOS, Scenario};
use crate::verdict::Verdict;

/// What is checked: the functions and tables that are in use, or in a test a broken one among them.
#[derive(Clone, Copy)]
struct Subject<'a> {
    canonical: &'a dyn Fn(&str) -> Result<String, NotCanonical>,
    intent_key: &'a dyn Fn(&str) -> Result<String, NotCanonical>,
    /// The key that a client sends in this mode with this attempt.
    sent_key: &'a dyn Fn(KeyMode, &Intent, u32) -> Option<String>,
    /// Expected intents and charges to totals.
    reconcile: &'a dyn Fn(&[&str], &[&str]) -> Totals,
    symptom: &'a dyn Fn(u16) -> Symptom,
    advice: &'a dyn Fn(Symptom) -> Advice,
    /// Whether a window covers so many attempts with this backoff and this timeout.
    covers: &'a dyn Fn(Duration, u32, Duration, Duration) -> bool,
    verdict: &'a dyn Fn(&Figures, &Figures) -> Verdict,
    scenarios: &'a [Scenario],
}

const IN_USE: Subject = Subject {
    canonical: &crate::canonical::canonical,
    intent_key: &crate::intent::intent_key,
    sent_key: &KeyMode::key,
    reconcile: &tallied,
    symptom: &Symptom::of_status,
    advice: &Symptom::advice,
    covers: &crate::ttl::covers,
    verdict: &Verdict::of,
    scenarios: SCENARIOS,
};

fn tallied(expected: &[&str], charges: &[&str]) -> Totals {
    let mut tally = Tally::default();
    for intent in expected {
        tally.expect(intent);
    }
    for intent in charges {
        tally.charge(intent);
    }
    tally.totals()
}

/// One named check.
struct Check {
    name: &'static str,
    run: fn(&Subject) -> Checked,
}

/// All checks, in the order in which they are printed.
fn checks() -> impl Iterator<Item = &'static Check> {
    [canonical::CHECKS, keys::CHECKS, reconcile::CHECKS, retry::CHECKS, window::CHECKS, rows::CHECKS]
        .into_iter()
        .flatten()
}

type Checked = Result<(), Difference>;

/// A value that is not the expected one.
#[derive(Debug)]
struct Difference {
    /// Which of the check's cases.
    case: String,
    got: String,
    want: String,
}

/// Compares a value with the one written out by hand.
fn same<T: PartialEq<U> + Debug, U: Debug>(case: &str, got: T, want: U) -> Checked {
    if got == want {
        return Ok(());
    }
    Err(Difference { case: case.to_owned(), got: format!("{got:?}"), want: format!("{want:?}") })
}

#[cfg(test)]
mod tests;
