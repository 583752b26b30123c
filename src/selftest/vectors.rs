//! A user's own intent and key pairs, held to our key function. Invariant: every line that is not blank is a pair or is
//! named as something else.
//!
//! One JSON object a line: `intent` is the intent itself, or a string with its JSON text, as it was written; `key` is
//! the key that the user's function makes of it, or null where it must refuse. Other fields are free for comments.

use std::io::{self, BufRead};
use std::path::Path;

use anyhow::Context;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::subject::{Difference, same};
use crate::console::input;
use crate::console::output::say;
use crate::terms::canonical::NotCanonical;
use crate::terms::exit::Exit;
use crate::terms::intent::as_written;
use crate::text::lines::{LONGEST, Line, Lines};

/// What a file of vectors came to.
#[derive(Debug, Default)]
pub struct Vectors {
    pub pairs: u64,
    pub wrong: Vec<Difference>,
    /// Lines that are not a pair.
    pub malformed: u64,
    /// Where the first of them are, and why they are none.
    complaints: Vec<String>,
}

impl Vectors {
    pub fn exit(&self) -> Exit {
        let wrong = if self.wrong.is_empty() { Exit::Ok } else { Exit::SelftestFailed };
        let malformed = if self.malformed == 0 { Exit::Ok } else { Exit::Precondition };
        let empty = if self.pairs == 0 { Exit::ZeroInput } else { Exit::Ok };
        wrong.and(malformed).and(empty)
    }
}

/// Complaints kept for printing; the rest are counted.
const SHOWN: usize = 20;

type KeyFunction<'a> = &'a dyn Fn(&str) -> Result<String, NotCanonical>;

#[derive(Deserialize)]
struct Pair<'a> {
    /// As it was written: a parsed value would have lost repeated keys and how numbers are written.
    #[serde(borrow)]
    intent: &'a RawValue,
    #[serde(borrow)]
    key: &'a RawValue,
}

/// Holds the pairs of a file, or of standard input for `-`, to a key function; complaints go to standard error. Errors:
/// the file cannot be opened or read.
pub fn check(path: &Path, key: KeyFunction) -> anyhow::Result<Vectors> {
    let name = input::name(path);
    let input = input::open(path)?;
    let vectors = check_lines(&name, input, key).with_context(|| format!("cannot read {name}"))?;
    for complaint in &vectors.complaints {
        say!("idem: {complaint}");
    }
    let more = vectors.malformed - vectors.complaints.len() as u64;
    if more > 0 {
        say!("idem: {name}: and {more} more such lines");
    }
    if vectors.exit() == Exit::ZeroInput {
        say!("idem: {name}: no pair of intent and key, so there is nothing to check");
    }
    Ok(vectors)
}

fn check_lines(name: &str, input: impl BufRead, key: KeyFunction) -> io::Result<Vectors> {
    let mut vectors = Vectors::default();
    let mut lines = Lines::new(input);
    while let Some((number, line)) = lines.next()? {
        let place = format!("{name}:{number}");
        match line {
            Line::Text { bytes, .. } if bytes.trim_ascii().is_empty() => {}
            Line::Text { bytes, .. } => vectors.add(&place, bytes, key),
            Line::TooLong => vectors.complain(format!("{place}: longer than {} MiB", LONGEST >> 20)),
        }
    }
    Ok(vectors)
}

impl Vectors {
    fn add(&mut self, place: &str, line: &[u8], key: KeyFunction) {
        match read(line) {
            Ok((intent, want)) => {
                self.pairs += 1;
                let got = key(&intent).map_err(|refusal| refusal.to_string());
                self.wrong.extend(judge(place, got, want).err());
            }
            Err(why) => self.complain(format!("{place}: {why}; write {{\"intent\": {{..}}, \"key\": \"..\"}}")),
        }
    }

    fn complain(&mut self, complaint: String) {
        self.malformed += 1;
        if self.complaints.len() < SHOWN {
            self.complaints.push(complaint);
        }
    }
}

/// The intent's JSON text and the wanted key; None where the intent must be refused.
fn read(line: &[u8]) -> Result<(String, Option<String>), String> {
    let no_pair = |error: serde_json::Error| {
        format!("not a pair of intent and key: {error}").replace(" at line 1 column ", " at column ")
    };
    let pair: Pair = serde_json::from_slice(line).map_err(no_pair)?;
    let intent = as_written(pair.intent.get()).map_err(no_pair)?.into_owned();
    let key = serde_json::from_str(pair.key.get()).map_err(|_| "`key` is neither a string nor null".to_owned())?;
    Ok((intent, key))
}

fn judge(place: &str, got: Result<String, String>, want: Option<String>) -> Result<(), Difference> {
    match (got, want) {
        (Err(_), None) => Ok(()),
        (Ok(got), Some(want)) => same(place, got, want),
        (Ok(got), None) => {
            Err(Difference { case: place.to_owned(), got: format!("{got:?}"), want: "a refusal".to_owned() })
        }
        (Err(refusal), Some(want)) => {
            Err(Difference { case: place.to_owned(), got: format!("a refusal ({refusal})"), want: format!("{want:?}") })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::intent::intent_key;

    fn checked(input: &str) -> Vectors {
        check_lines("v", input.as_bytes(), &intent_key).unwrap()
    }

    #[test]
    fn intents_are_taken_as_written() {
        let input = r#"
            {"intent":{"intent":" ord-001 ","amount":1000},"key":"cabfa4ea11ff07d1","note":"an object"}
            {"key":"cabfa4ea11ff07d1","intent":"{\"amount\":1000, \"intent\":\"ord-001\"}"}
            {"intent":{"amount":1000.0},"key":null}
            {"intent":"{\"a\":1,\"a\":1}","key":null}
            {"intent":{"a":1,"a":1},"key":null}
        "#;
        let vectors = checked(input);
        assert_eq!((vectors.pairs, vectors.exit()), (5, Exit::Ok), "{vectors:?}");
    }

    #[test]
    fn wrong_pairs_and_malformed_lines_are_told_apart() {
        let right = r#"{"intent":{"intent":"ord-001","amount":1000},"key":"cabfa4ea11ff07d1"}"#;
        let wrong = right.replace("1000", "1001");
        assert_eq!(checked(&wrong).exit(), Exit::SelftestFailed);
        assert_eq!(checked(&right.replace("1000", "1e3")).wrong.len(), 1);
        assert_eq!(checked(&right.replace("\"cabfa4ea11ff07d1\"", "null")).wrong.len(), 1);
        for malformed in [
            "{}",
            "7",
            r#"{"intent":1}"#,
            r#"{"key":"x"}"#,
            r#"{"intent":1,"key":2}"#,
            r#"{"intent":1,"intent":1,"key":"x"}"#,
        ] {
            let vectors = checked(&format!("{right}\n{malformed}\n"));
            assert_eq!((vectors.pairs, vectors.malformed), (1, 1), "{malformed}");
            assert!(vectors.complaints[0].starts_with("v:2: "), "{malformed}");
            assert_eq!(vectors.exit(), Exit::Precondition);
        }
        assert_eq!(checked(&format!("{wrong}\n{{}}\n")).exit(), Exit::SelftestFailed, "a proven failure stands");
        assert_eq!(checked("\n").exit(), Exit::ZeroInput);
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn any_bytes_are_survived(bytes in crate::text::fragments::bytes(), size in 1usize..20) {
            let told = |size| {
                let input = std::io::BufReader::with_capacity(size, &bytes[..]);
                let vectors = check_lines("v", input, &|intent| Ok(intent.to_owned())).unwrap();
                (vectors.pairs, vectors.malformed, vectors.complaints)
            };
            proptest::prop_assert_eq!(told(size), told(1 << 16));
        }
    }
}
