//! `--partition-key`: the intent of each reading before the line that tells it, so that an engine can bring an intent's
//! readings together. Invariant: every line of output is one reading, and what stands behind its first tab is read again
//! as the same reading.

use serde_json::Value;

use super::extract::whole::{self, Kind};
use super::read::prefix;

/// What a reading was read from.
#[derive(Clone, Copy, Debug)]
pub enum Source<'a> {
    /// A JSON value.
    Json(&'a [u8]),
    /// The time before the words, and the words, over several lines where they were joined.
    Words(Option<&'a str>, &'a str),
    /// The time before a line that is read again as a line, and the line.
    Line(Option<&'a str>, &'a str),
    /// A value from within another.
    Within(Kind, &'a str),
    /// A row of a table, as an object of its cells.
    Row(&'a str),
}

/// Writes the key, a tab, and the reading in one line.
pub fn line(out: &mut Vec<u8>, intent: Option<&str>, key: Option<&str>, source: Source) {
    out.extend_from_slice(escaped(intent.unwrap_or("")).as_bytes());
    out.push(b'\t');
    match source {
        Source::Json(json) => out.extend(one_line(json)),
        // A text that is its own JSON, for it may hold line ends, or look like something else.
        Source::Words(time, words) => out.extend(Value::from(timed(time, words)).to_string().into_bytes()),
        Source::Line(time, line) => out.extend(one_line(timed(time, line).as_bytes())),
        Source::Within(kind, json) => {
            let (before, after) = whole::around(kind);
            let json = match kind {
                Kind::Log | Kind::Event | Kind::Attempt => &with(json, intent, key),
                Kind::Exchange | Kind::Span | Kind::Record | Kind::Timed => json,
            };
            out.extend(before.bytes().chain(one_line(json.as_bytes())).chain(after.bytes()));
        }
        Source::Row(json) => out.extend_from_slice(json.as_bytes()),
    }
    out.push(b'\n');
}

/// An object with the intent and the key that the value around it gave.
fn with(json: &str, intent: Option<&str>, key: Option<&str>) -> String {
    let Some(members) = json.strip_prefix('{') else { return json.to_owned() };
    let named = [("intent", intent), ("key", key)].into_iter().filter_map(|(name, value)| Some((name, value?)));
    let given: Vec<String> = named.map(|(name, value)| format!("\"{name}\":{}", Value::from(value))).collect();
    let comma = if given.is_empty() || members.trim_start().starts_with('}') { "" } else { "," };
    format!("{{{}{comma}{members}", given.join(","))
}

/// The words with their time in front, where it will be found there again.
fn timed(time: Option<&str>, words: &str) -> String {
    let line = format!("{} {words}", time.unwrap_or(""));
    let found = time.is_some_and(|_| prefix::strip(&line).rest == words);
    if found { line } else { words.to_owned() }
}

/// Line ends within a JSON value are space between its parts.
fn one_line(json: &[u8]) -> impl Iterator<Item = u8> {
    json.iter().map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { *byte })
}

/// The key without what ends it, or its line.
fn escaped(key: &str) -> String {
    key.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reading_is_one_line_whatever_it_holds() {
        let of = |intent, source| {
            let mut out = Vec::new();
            line(&mut out, intent, Some("k"), source);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(of(Some("a\tb\\"), Source::Json(b"{\n\"a\":1}")), "a\\tb\\\\\t{ \"a\":1}\n");
        assert_eq!(of(None, Source::Words(None, "x\n\"y\"")), "\t\"x\\n\\\"y\\\"\"\n");
        let time = Some("2026-11-02T10:00:00Z");
        assert_eq!(of(None, Source::Words(time, "x")), "\t\"2026-11-02T10:00:00Z x\"\n");
        assert_eq!(of(None, Source::Words(Some("soon"), "x")), "\t\"x\"\n");
        assert_eq!(of(Some("a"), Source::Within(Kind::Attempt, "{}")), "a\t{\"intent\":\"a\",\"key\":\"k\"}\n");
        let exchange = Source::Within(Kind::Exchange, "{}");
        assert_eq!(of(None, exchange), "\t{\"log\":{\"entries\":[{}]}}\n");
    }
}
