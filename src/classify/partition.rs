//! `--partition-key`: the intent of each reading before the line that tells it, so that an engine can bring an intent's
//! readings together. Invariant: every line of output is one reading, and what stands behind its first tab is read again
//! as the same reading.

use super::extract::whole::{self, Kind};

/// What a reading was read from.
#[derive(Clone, Copy, Debug)]
pub enum Source<'a> {
    /// A JSON value.
    Json(&'a [u8]),
    /// Words, over several lines where they were joined.
    Words(&'a str),
    /// A value from within another.
    Within(Kind, &'a str),
    /// A row of a table, as an object of its cells.
    Row(&'a str),
}

/// Writes the key, a tab, and the reading in one line.
pub fn line(out: &mut Vec<u8>, intent: Option<&str>, source: Source) {
    out.extend_from_slice(escaped(intent.unwrap_or("")).as_bytes());
    out.push(b'\t');
    match source {
        Source::Json(json) => out.extend(one_line(json)),
        // A text that is its own JSON, for it may hold line ends, or look like something else.
        Source::Words(words) => out.extend(serde_json::to_vec(words).expect("a text is always JSON")),
        Source::Within(kind, json) => {
            let (before, after) = whole::around(kind);
            out.extend(before.bytes().chain(one_line(json.as_bytes())).chain(after.bytes()));
        }
        Source::Row(json) => out.extend_from_slice(json.as_bytes()),
    }
    out.push(b'\n');
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
            line(&mut out, intent, source);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(of(Some("a\tb\\"), Source::Json(b"{\n\"a\":1}")), "a\\tb\\\\\t{ \"a\":1}\n");
        assert_eq!(of(None, Source::Words("x\n\"y\"")), "\t\"x\\n\\\"y\\\"\"\n");
        let exchange = Source::Within(Kind::Exchange, "{}");
        assert_eq!(of(None, exchange), "\t{\"log\":{\"entries\":[{}]}}\n");
    }
}
