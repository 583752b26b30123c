//! `name=value` in a line of words: logfmt, the probe's own attempt lines, fields behind a message. Invariant: a name
//! counts only where a word begins, and a value only where it says something.

use std::borrow::Cow;

use super::fields::{Field, field};
use super::mapping::{Mapping, Role};
use super::reading::{Mark, Reading};
use super::slot::Slot;

/// The pairs of a line, in their order.
pub fn pairs(line: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = line;
    std::iter::from_fn(move || {
        loop {
            let (before, behind) = rest.split_at_checked(memchr::memchr(b'=', rest.as_bytes())?)?;
            let name = before.rsplit([' ', '\t', '\n', ',', '{', '[', '(']).next().unwrap_or("");
            let (value, more) = value(behind.strip_prefix('=')?);
            rest = more;
            let named = name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'@'));
            if named && !name.is_empty() {
                return Some((name, value));
            }
        }
    })
}

/// A value and what follows it; a quoted one without its quotes, and to the end where the last one is missing.
fn value(text: &str) -> (&str, &str) {
    if let Some(inner) = text.strip_prefix('"') {
        let mut escaped = false;
        let end = inner.bytes().position(|b| {
            let ends = b == b'"' && !escaped;
            escaped = b == b'\\' && !escaped;
            ends
        });
        let (value, rest) = inner.split_at_checked(end.unwrap_or(inner.len())).unwrap_or((inner, ""));
        return (value, rest.strip_prefix('"').unwrap_or(rest));
    }
    let end = text.find([' ', '\t', '\n', ',', ';', ')', ']', '}']).unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or((text, ""))
}

/// Whether a line is nothing but pairs from its beginning (logfmt).
pub fn is_logfmt(line: &str) -> bool {
    let name = line.split('=').next().unwrap_or("");
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'@');
    name.len() < line.len() && !name.is_empty() && name.bytes().all(plain) && pairs(line).nth(1).is_some()
}

/// Whether it is a line that `idem probe` prints of an attempt: its intents are one scenario's, so they tell nothing of
/// another's.
pub fn is_probes(line: &str) -> bool {
    line.starts_with("attempt=") && line.contains(" kind=") && line.contains(" replay=") && line.contains(" retry=")
}

/// The reading that a line of pairs is.
pub fn read<'a>(line: &'a str) -> Reading<'a> {
    let mut reading = Reading::default();
    for (name, value) in pairs(line).filter(|(_, value)| says(value)) {
        let state = is_haproxy_state(value).then_some(Field::Gateway(Mark::HaproxyState));
        if let Some(field) = state.or_else(|| field(name)) {
            put(&mut reading, field, value);
        }
    }
    reading
}

/// Whether it is a termination state as HAProxy writes it (`LH--`), which log formats name as they like.
fn is_haproxy_state(value: &str) -> bool {
    value
        .strip_suffix("--")
        .is_some_and(|letters| letters.len() == 2 && letters.bytes().all(|b| b.is_ascii_alphabetic()))
}

fn put<'a>(reading: &mut Reading<'a>, field: Field, value: &'a str) {
    let mut slot = Slot::member(reading, field);
    match value {
        "true" | "True" => slot.boolean(true),
        "false" | "False" => slot.boolean(false),
        _ => slot.words(Cow::Borrowed(value)),
    }
}

/// Takes who it was about from the pairs behind a message: intent, attempt, key.
pub fn about<'a>(reading: &mut Reading<'a>, line: &'a str, mapping: &mut Mapping) {
    if memchr::memchr(b'=', line.as_bytes()).is_none() {
        return;
    }
    for (name, value) in pairs(line).filter(|(_, value)| says(value)) {
        let role = mapping.named(name);
        match (role, field(name)) {
            (Some(Role::Intent), _) => reading.intent = Some(Cow::Borrowed(value)),
            (Some(Role::Key), _) => reading.key = Some(Cow::Borrowed(value)),
            (Some(Role::Attempt), _) => reading.attempt = value.parse().ok(),
            (None, Some(found @ (Field::Intent | Field::Attempt | Field::Key))) => put(reading, found, value),
            (None, _) => {}
        }
    }
}

fn says(value: &str) -> bool {
    !matches!(value, "" | "-" | "None" | "null" | "nil" | "<nil>")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(line: &str) -> Vec<(&str, &str)> {
        pairs(line).collect()
    }

    #[test]
    fn pairs_are_found_wherever_a_word_begins() {
        assert_eq!(
            all(r#"level=error msg="read timed out" intent=a"#),
            [("level", "error"), ("msg", "read timed out"), ("intent", "a")]
        );
        assert_eq!(all("failed (intent=a, key=k)\nx=y"), [("intent", "a"), ("key", "k"), ("x", "y")]);
        assert_eq!(all("http://x/?intent=a ü=b = c =="), []);
        assert_eq!(all("a=\"é"), [("a", "é")]);
    }

    #[test]
    fn haproxys_state_is_known_by_its_form_under_any_name() {
        // haproxy/haproxy#2384: an answer of the server that HAProxy replaced.
        let marks = |line| read(line).marks;
        assert_eq!(marks("state=LH-- code=400"), [(Mark::HaproxyState, "LH--".into())]);
        assert_eq!(marks("term=sH-- code=504"), [(Mark::HaproxyState, "sH--".into())]);
        for line in ["state=SC code=200", "state=---- code=200", "state=open-- code=200", "state=L1-- code=200"] {
            assert_eq!(marks(line), [], "{line}");
        }
    }

    #[test]
    fn a_line_of_pairs_is_told_from_words_with_pairs() {
        assert!(is_logfmt("time=x level=error"));
        assert!(is_logfmt("attempt=1 status=None kind=ok"));
        assert!(!is_logfmt("a=b"));
        assert!(!is_logfmt("failed a=b c=d"));
    }
}
