//! What the words tell of the whole call, beside what its last failure was: more attempts than are told, a client that
//! sends again by itself, signs that a 2xx is no success. Invariant: a number counts only where it is the number of
//! attempts or retries that were made, never a limit.

use std::borrow::Cow;

use super::chain::shown;
use super::vocabulary::{Hit, Says};
use crate::classify::extract::reading::{Reading, Role, Text};

/// What stands around the failure that decides.
#[derive(Debug, Default)]
pub struct Around<'a> {
    /// Words that tell of attempts that are not told.
    pub repeated: Option<Cow<'a, str>>,
    /// Words that say, beside a 2xx, that it is no success.
    pub veto: Option<Cow<'a, str>>,
}

/// Gathers it, hit by hit.
#[derive(Default)]
pub struct Notes<'a> {
    repeated: Option<Cow<'a, str>>,
    veto: Option<Cow<'a, str>>,
    kept: Option<Cow<'a, str>>,
    resends_not: bool,
    uncounted: Option<Cow<'a, str>>,
    /// Whether the words give the number of attempts, and it is one.
    single: bool,
    /// Whether the request carries an idempotency key.
    keyed: bool,
    members: bool,
}

impl<'a> Notes<'a> {
    /// Takes a hit in a line of a text that begins at `from`.
    pub fn note(&mut self, hit: &Hit, from: usize, line: &str, text: &'a Text) {
        let words = || Some(shown(&text.text, (from + hit.start, from + hit.end)));
        let after = || line.get(hit.end..).and_then(number_after);
        let before = || line.get(..hit.start).and_then(number_before);
        let more = |made: Option<u64>, than: u64| made.is_some_and(|made| made > than);
        match hit.row.says {
            Says::Repeated => self.repeated = self.repeated.take().or_else(words),
            Says::AttemptsFollow if more(after(), 1) => self.repeated = self.repeated.take().or_else(words),
            Says::AttemptsPrecede if more(before(), 1) => self.repeated = self.repeated.take().or_else(words),
            Says::RetriesFollow if more(after(), 0) => self.repeated = self.repeated.take().or_else(words),
            Says::RetriesPrecede if more(before(), 0) => self.repeated = self.repeated.take().or_else(words),
            Says::KeptByKey if self.keyed => self.kept = self.kept.take().or_else(words),
            Says::Kept => self.kept = self.kept.take().or_else(words),
            Says::NoResend => self.resends_not = true,
            Says::Uncounted => self.uncounted = self.uncounted.take().or_else(words),
            Says::Single => self.single = true,
            Says::Member => self.members = true,
            Says::Veto => self.veto = self.veto.take().or_else(words),
            _of_the_failure_itself => {}
        }
    }

    /// HttpURLConnection's refusal with its class and its words in fields of their own: nothing else stands beside them.
    pub fn note_fields(&mut self, reading: &'a Reading<'_>) {
        self.keyed = reading.key.is_some();
        let errors = reading.texts.iter().filter(|text| text.role == Role::Error).map(|text| text.text.trim());
        let mut errors = errors.fuse();
        let class = "java.net.ConnectException";
        let is_refusal = |text| matches!(text, "Connection refused" | "Connection refused (Connection refused)");
        if let (Some(one), Some(other), None) = (errors.next(), errors.next(), errors.next())
            && (one == class && is_refusal(other) || other == class && is_refusal(one))
        {
            self.kept = Some(Cow::Borrowed(class));
        }
    }

    /// Takes words of what a server met behind it.
    pub fn behind(&mut self, words: Cow<'a, str>) {
        self.repeated.get_or_insert(words);
    }

    /// Whether all attempts are told beside one another.
    pub fn are_members(&self) -> bool {
        self.members
    }

    pub fn is_repeated(&self) -> bool {
        self.repeated.is_some()
    }

    pub fn around(self) -> Around<'a> {
        let kept = self.kept.filter(|_| !self.resends_not);
        let kept = kept.map(|words| Cow::Owned(format!("{words}, if the connection was kept")));
        let uncounted = self.uncounted.filter(|_| !self.single);
        let uncounted =
            uncounted.map(|words| Cow::Owned(format!("{}, if it was tried again", words.trim_end_matches([':', ' ']))));
        Around { repeated: self.repeated.or(kept).or(uncounted), veto: self.veto }
    }
}

/// The number at the start of a text, behind white space and quotes; None where there is none, or where it is a time
/// (`failed after 30 s`, `failed after 1.5 seconds`).
fn number_after(rest: &str) -> Option<u64> {
    let rest = rest.trim_start_matches([' ', '"', '\'', ':', '=', '#', '(']);
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (number, behind) = rest.split_at_checked(digits)?;
    let fraction = behind.strip_prefix('.').is_some_and(|behind| behind.starts_with(|c: char| c.is_ascii_digit()));
    let word = behind.trim_start().split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or("");
    let is_time = UNITS.iter().any(|unit| word.eq_ignore_ascii_case(unit));
    number.parse().ok().filter(|_| !fraction && !is_time)
}

/// Units of time, as clients write them.
const UNITS: [&str; 14] = [
    "ms",
    "msec",
    "millis",
    "millisecond",
    "milliseconds",
    "s",
    "sec",
    "secs",
    "second",
    "seconds",
    "m",
    "min",
    "minutes",
    "hours",
];

/// The number at the end of a text.
fn number_before(rest: &str) -> Option<u64> {
    let rest = rest.trim_end();
    let digits = rest.bytes().rev().take_while(u8::is_ascii_digit).count();
    rest.get(rest.len() - digits..)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classify::judge::verdict::judge;
    use crate::terms::outcome::Effect;

    #[test]
    fn one_attempt_is_proof_and_a_second_one_is_not() {
        let rows = [
            ("request try #1: connection refused", Effect::No),
            ("request try #2: connection refused", Effect::Maybe),
            ("sending for retry #1: connection refused", Effect::No),
            ("sending for retry #2: connection refused", Effect::Maybe),
            ("connection refused (SDK Attempt Count: 1)", Effect::No),
            ("connection refused (SDK Attempt Count: 2)", Effect::Maybe),
            ("Unable to execute HTTP request: connection refused", Effect::Maybe),
            ("Unable to execute HTTP request: connection refused (SDK Attempt Count: 1)", Effect::No),
            ("Unable to execute HTTP request: connection refused (SDK Attempt Count: 12)", Effect::Maybe),
            ("giving up after 1 attempt(s): connection refused", Effect::No),
            ("giving up after 2 attempt(s): connection refused", Effect::Maybe),
            ("1 attempts failed: connection refused", Effect::No),
            ("2 attempts failed: connection refused", Effect::Maybe),
            ("connection refused (reached max retries: 0)", Effect::No),
            ("connection refused (reached max retries: 1)", Effect::Maybe),
            ("0 prior attempts, connection refused", Effect::No),
            ("1 prior attempts, connection refused", Effect::Maybe),
            ("tenacity.RetryError: RetryError[connection refused]", Effect::Maybe),
            ("Max retries exceeded with url: /pay (connection refused)", Effect::No),
        ];
        for (text, effect) in rows {
            assert_eq!(judge(&Reading::from_text(text)).advice.effect, effect, "{text}");
        }
    }

    #[test]
    fn a_time_is_no_number_of_attempts() {
        for (rest, number) in [
            ("3 attempts", Some(3)),
            (" #2: EOF", Some(2)),
            ("4)", Some(4)),
            ("30s", None),
            ("3000 ms", None),
            ("1.5 tries", None),
            ("2.", Some(2)),
            ("many", None),
            ("", None),
        ] {
            assert_eq!(number_after(rest), number, "{rest}");
        }
    }

    #[test]
    fn the_number_before_is_the_last_word() {
        for (rest, number) in [
            ("made 3 ", Some(3)),
            ("3", Some(3)),
            ("12 ", Some(12)),
            ("3 more", None),
            ("", None),
            ("é7", Some(7)),
            (" ", None),
        ] {
            assert_eq!(number_before(rest), number, "{rest}");
        }
    }
}
