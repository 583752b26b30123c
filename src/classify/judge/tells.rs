//! Whether a reading tells of a call that may have had an effect. Invariant: only what has neither a status nor words that
//! are known nor a sign of trouble, or what only reads, is passed over; it is counted, never called safe.

use super::chain;
use super::verdict::Verdict;
use super::vocabulary::Says;
use crate::classify::extract::reading::{Reading, Role, Status};
use crate::classify::read::access::{only_reads, tells_of_reads_alone};
use crate::terms::outcome::Symptom;

/// Whether a record of fields tells of a call.
#[inline]
pub fn tells(reading: &Reading, verdict: &Verdict) -> bool {
    if reading.method.as_deref().is_some_and(only_reads) {
        return false;
    }
    if reading.status != Status::Absent || verdict.symptom != Symptom::Unknown || reading.trouble.is_some() {
        return true;
    }
    let named = reading.told || reading.kind.is_some() || reading.symptom.is_some() || reading.code.is_some();
    let says_nothing = || reading.texts.iter().all(|text| text.role == Role::Log) && !reading.texts.is_empty();
    named || reading.exit_code.is_some() || reading.attempt.is_some() || !says_nothing()
}

/// Whether a line of words tells of a call.
pub fn words_tell(reading: &Reading, verdict: &Verdict) -> bool {
    let Some(text) = reading.texts.first() else { return tells(reading, verdict) };
    if verdict.symptom == Symptom::Unknown || tells_of_reads_alone(&text.text) {
        return false;
    }
    // "timeout" in a line that only informs may be a setting.
    !(is_quiet(&text.text) && chain::read(reading).proof.is_some_and(|proof| matches!(proof.says, Says::Hint(_))))
}

/// Whether a line's level says that nothing is wrong.
fn is_quiet(text: &str) -> bool {
    let words = text.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| !word.is_empty()).take(6);
    words.into_iter().any(|word| ["INFO", "DEBUG", "TRACE", "NOTICE", "info", "debug"].contains(&word))
}
