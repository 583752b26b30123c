//! Whether a reading tells of a call that may have had an effect. Invariant: only what has neither a status nor words that
//! are known nor a sign of trouble, or what only reads, is passed over; it is counted, never called safe.

use std::sync::OnceLock;

use aho_corasick::automaton::Automaton;
use aho_corasick::nfa::contiguous::NFA;

use super::verdict::Verdict;
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
    // A job that begins has a number as well.
    let numbered = reading.attempt.is_some() && !reading.quiet;
    named || reading.exit_code.is_some() || numbered || !says_nothing()
}

/// Whether a line of words tells of a call.
pub fn words_tell(reading: &Reading, verdict: &Verdict) -> bool {
    let Some(text) = reading.texts.first() else { return tells(reading, verdict) };
    if verdict.symptom == Symptom::Unknown || tells_of_reads_alone(&text.text) {
        return false;
    }
    // A line that only informs has words like "read timeout" in a setting.
    reading.intent.is_some() || !is_quiet(&text.text) || is_alarmed(&text.text)
}

/// Whether a line's level says that nothing is wrong.
pub fn is_quiet(text: &str) -> bool {
    let mut words = text.as_bytes().split(|b| !b.is_ascii_alphabetic()).filter(|word| !word.is_empty()).take(6);
    words.any(|word| matches!(word, b"INFO" | b"DEBUG" | b"TRACE" | b"NOTICE" | b"info" | b"debug"))
}

/// Whether it tells of something that went wrong all the same, or of a request that may have an effect.
pub fn is_alarmed(text: &str) -> bool {
    static ALARMS: OnceLock<NFA> = OnceLock::new();
    let alarms = [
        "error",
        "exception",
        "fail",
        "refused",
        "reset",
        "timed out",
        "aborted",
        "retrying",
        "giving up",
        "post ",
        "put ",
        "patch ",
        "delete ",
    ];
    let finder = ALARMS.get_or_init(|| {
        let builder = NFA::builder().ascii_case_insensitive(true).build(alarms);
        builder.expect("a few words that are constant, so the automaton can be built")
    });
    finder.try_find(&text.into()).is_ok_and(|found| found.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classify::judge::verdict::judge;

    fn told(text: &str) -> bool {
        let reading = Reading::from_text(text);
        words_tell(&reading, &judge(&reading))
    }

    #[test]
    fn a_line_tells_by_words_that_are_known() {
        for text in ["read timed out", "INFO POST /pay: read timed out", "INFO retrying after Connection refused"] {
            assert!(told(text), "{text}");
        }
        for text in ["hello", "GET /health: read timed out", "INFO read timeout 30s", "DEBUG idle connection closed"] {
            assert!(!told(text), "{text}");
        }
    }

    #[test]
    fn a_record_tells_by_a_status_a_sign_of_trouble_or_words_that_are_known() {
        let told = |json: &str| {
            let mut reading = Reading::default();
            crate::classify::extract::flat::read(json.as_bytes(), &mut reading).expect("a flat object");
            tells(&reading, &judge(&reading))
        };
        for json in [
            r#"{"status":503}"#,
            r#"{"status":0}"#,
            r#"{"status":"failed"}"#,
            r#"{"level":"error","msg":"x"}"#,
            "{}",
            r#"{"msg":"read timed out"}"#,
            r#"{"attempt":1,"msg":"x"}"#,
            r#"{"kind":"x"}"#,
            r#"{"error":"x"}"#,
        ] {
            assert!(told(json), "{json}");
        }
        for json in [
            r#"{"msg":"order created"}"#,
            r#"{"level":"info","attempt":1,"msg":"job:start"}"#,
            r#"{"method":"GET","status":503}"#,
            r#"{"method":"head","error":"x"}"#,
        ] {
            assert!(!told(json), "{json}");
        }
    }
}
