//! The attempts of each intent. Invariant: intents stand in the order of their first reading, attempts in their own.

use std::collections::HashMap;

use crate::proxy::attempt_line::AttemptLine;
use crate::terms::outcome::{Action, Symptom};

/// One intent of one run. At least one attempt was made.
pub struct Intent<'a> {
    pub name: &'a str,
    pub attempts: Vec<&'a AttemptLine>,
}

/// Attempts that name no intent belong to none.
pub fn intents(attempts: &[AttemptLine]) -> Vec<Intent<'_>> {
    let (mut intents, mut places): (Vec<Intent>, HashMap<&str, usize>) = (Vec::new(), HashMap::new());
    for attempt in attempts {
        let Some(name) = attempt.intent() else { continue };
        let place = *places.entry(name).or_insert_with(|| {
            intents.push(Intent { name, attempts: Vec::new() });
            intents.len() - 1
        });
        intents[place].attempts.push(attempt);
    }
    intents
}

/// How the attempts of an intent compare by their keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keys {
    /// There was one attempt.
    OneAttempt,
    /// All carried the same one.
    Same,
    /// A retry carried none.
    Missing,
    Changed,
}

impl Intent<'_> {
    pub fn keys(&self) -> Keys {
        let Some((first, retries)) = self.attempts.split_first() else { return Keys::OneAttempt };
        if retries.is_empty() {
            Keys::OneAttempt
        } else if retries.iter().any(|retry| retry.key().is_none()) {
            Keys::Missing
        } else if retries.iter().any(|retry| retry.key() != first.key()) {
            Keys::Changed
        } else {
            Keys::Same
        }
    }

    /// Whether the last thing that the client was told is a refusal for good: then no charge is what it should be.
    pub fn is_refused(&self) -> bool {
        let last = self.attempts.last().and_then(|attempt| attempt.symptom());
        last.is_some_and(|symptom| symptom.advice().action == Action::FixRequest)
    }

    /// Whether the client was told of a success.
    pub fn is_answered(&self) -> bool {
        self.attempts.iter().any(|attempt| attempt.symptom() == Some(Symptom::Ok))
    }
}
