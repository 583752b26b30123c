//! Values that no report may show, whoever met them first. Invariant: a value that was noted is withheld until the end of
//! the process.

use std::sync::{Mutex, PoisonError};

static WITHHELD: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Notes a value.
pub fn note(value: &str) {
    WITHHELD.lock().unwrap_or_else(PoisonError::into_inner).push(value.to_owned());
}

/// All values so far.
pub fn all() -> Vec<String> {
    WITHHELD.lock().unwrap_or_else(PoisonError::into_inner).clone()
}
