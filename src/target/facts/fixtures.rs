//! Facts written by hand, for the tests of what judges them.

use std::time::Duration;

use super::answer::{Answer, Class};
use super::case::{Attempt, Case, Rule};
use crate::target::request::template::Call;

/// A call of this intent under the key `k`.
pub fn call(intent: &str) -> Call {
    let (intent, amount) = (intent.to_string(), 1000);
    let keys = vec![b"k".to_vec()];
    Call { intent, amount, keys, ..Call::default() }
}

/// A whole reply; no receipt where it is empty.
pub fn answer(class: Class, status: u16, receipt: &str) -> Answer {
    let receipt = (!receipt.is_empty()).then(|| receipt.to_string());
    Answer { class, status: Some(status), receipt, text: format!("body {status}"), retry_after: None, marker: None }
}

pub fn success(receipt: &str) -> Answer {
    answer(Class::Success, 200, receipt)
}

pub fn refused() -> Answer {
    answer(Class::Refusal, 422, "")
}

/// An attempt of this call that was left alone.
pub fn attempt(call: usize, note: &str, answer: Answer) -> Attempt {
    let (sent, ended) = (Duration::ZERO, Duration::from_millis(1));
    Attempt { sent, ended, call, note: note.into(), copy: false, faulted: false, answer, client: None }
}

/// A case of these calls with their answers in order, and what the ledger shows for each call.
pub fn case(label: &str, rule: Rule, calls: &[&str], answers: Vec<(usize, Answer)>, charges: &[u64]) -> Case {
    let mut case = Case::new(label, rule, calls.iter().map(|intent| call(intent)).collect());
    case.charges = Some(charges.to_vec());
    case.attempts = answers.into_iter().map(|(call, answer)| attempt(call, "sent", answer)).collect();
    case
}
