//! The fast way to read the plainest lines: one object without nesting and without escapes. Invariant: it only finds the
//! fields and their scalars; what they mean is decided by `extract`, and whatever it does not expect it leaves to the
//! JSON parser, so both ways agree on every line that both can read (a test holds them against each other).

use std::borrow::Cow;

use super::fields::{Field, field};
use super::reading::Reading;
use super::slot::Slot;

/// Reads a line that is one flat object into an empty reading. None where the JSON parser has to look; the reading is
/// then of no use.
pub fn read<'a>(line: &'a [u8], reading: &mut Reading<'a>) -> Option<()> {
    let text = utf8(line)?;
    let mut cursor = Cursor { text, bytes: line, at: 0 };
    cursor.expect(b'{')?;
    cursor.blanks();
    if cursor.peek()? == b'}' {
        cursor.at += 1;
    } else {
        cursor.members(reading)?;
    }
    cursor.blanks();
    (cursor.at == line.len()).then_some(())
}

/// Not inlined, so that the text comes back in registers: read from the result in memory, it waits for every store before.
#[inline(never)]
fn utf8(line: &[u8]) -> Option<&str> {
    std::str::from_utf8(line).ok()
}

struct Cursor<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn members(&mut self, reading: &mut Reading<'a>) -> Option<()> {
        loop {
            self.blanks();
            let name = self.string()?;
            self.blanks();
            self.expect(b':')?;
            self.blanks();
            match field(name) {
                // Only the parser keeps track of what makes a document.
                Some(Field::Document | Field::Wrapper) => return None,
                found => self.value(reading, found)?,
            }
            self.blanks();
            match self.next()? {
                b',' => {}
                b'}' => return Some(()),
                _ => return None,
            }
        }
    }

    fn value(&mut self, reading: &mut Reading<'a>, field: Option<Field>) -> Option<()> {
        match self.peek()? {
            b'"' => {
                let text = self.string()?;
                if let Some(field) = field {
                    Slot::member(reading, field).words(Cow::Borrowed(text));
                }
            }
            b'-' | b'0'..=b'9' => {
                let number = self.integer()?;
                if let Some(field) = field {
                    Slot::member(reading, field).integer(number);
                }
            }
            b't' => self.word("true", reading, field, true)?,
            b'f' => self.word("false", reading, field, false)?,
            b'n' if self.bytes[self.at..].starts_with(b"null") => self.at += 4,
            _ => return None,
        }
        Some(())
    }

    fn word(&mut self, word: &str, reading: &mut Reading<'a>, field: Option<Field>, value: bool) -> Option<()> {
        self.bytes[self.at..].starts_with(word.as_bytes()).then_some(())?;
        self.at += word.len();
        if let Some(field) = field {
            Slot::member(reading, field).boolean(value);
        }
        Some(())
    }

    /// A text without escapes.
    #[inline(always)]
    fn string(&mut self) -> Option<&'a str> {
        self.expect(b'"')?;
        let from = self.at;
        let length = plain(&self.bytes[from..]);
        self.at = from + length;
        self.expect(b'"')?;
        self.text.get(from..from + length)
    }

    /// A whole number that fits; a fraction, an exponent or a leading zero is for the parser.
    fn integer(&mut self) -> Option<i64> {
        let negative = self.peek()? == b'-';
        self.at += usize::from(negative);
        let from = self.at;
        let mut number = 0i64;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            number = number.checked_mul(10)?.checked_add(i64::from(digit - b'0'))?;
            self.at += 1;
        }
        let digits = &self.bytes[from..self.at];
        let plain = match digits {
            [] => false,
            [b'0', rest @ ..] => rest.is_empty() && !negative,
            _ => true,
        };
        (plain && !matches!(self.peek(), Some(b'.' | b'e' | b'E'))).then_some(if negative { -number } else { number })
    }

    fn blanks(&mut self) {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.peek() {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        (self.next()? == byte).then_some(())
    }
}

/// How many bytes there are before the first quote, backslash or control character. Eight at a time: a byte that is equal
/// to one of these leaves its high bit in the word (Mycroft's test; it may only err above a true hit, so the first stands).
fn plain(bytes: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word & HIGHS;
    let chunks = bytes.chunks_exact(8);
    let rest = chunks.remainder();
    let from = bytes.len() - rest.len();
    for (index, chunk) in chunks.enumerate() {
        let word = u64::from_le_bytes(chunk.try_into().expect("eight bytes"));
        let control = word.wrapping_sub(0x20 * ONES) & !word & HIGHS;
        let found = zeros(word ^ (u64::from(b'"') * ONES)) | zeros(word ^ (u64::from(b'\\') * ONES)) | control;
        if found != 0 {
            return index * 8 + found.trailing_zeros() as usize / 8;
        }
    }
    let special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..0x20);
    from + rest.iter().position(special).unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::de::DeserializeSeed;

    use super::*;

    /// The reading by the JSON parser, if it is one.
    fn parsed(line: &[u8]) -> Option<Reading<'_>> {
        let mut reading = Reading::default();
        let mut parser = serde_json::Deserializer::from_slice(line);
        Slot::whole(&mut reading).deserialize(&mut parser).and_then(|()| parser.end()).ok()?;
        Some(reading)
    }

    /// Where the fast way reads a line it reads the same as the parser; returns whether it did.
    fn agrees(line: &str) -> bool {
        let mut flat = Reading::default();
        if read(line.as_bytes(), &mut flat).is_none() {
            return false;
        }
        let parsed = parsed(line.as_bytes()).unwrap_or_else(|| panic!("the parser refuses {line:?}"));
        assert_eq!(format!("{flat:?}"), format!("{parsed:?}"), "{line:?}");
        true
    }

    #[test]
    fn plain_lines_are_read() {
        assert!(agrees(r#"{"time":"2026-11-02T10:00:00Z","intent":"a","attempt":1,"key":"k","status":200}"#));
        assert!(agrees(r#"{ "status" : -1 , "error":"x", "other":true, "success":false, "key":null } "#));
        assert!(agrees("{}"));
        assert!(agrees(r#"{"error":"Zeitüberschreitung"}"#));
    }

    #[test]
    fn anything_else_is_left_to_the_parser() {
        for line in [
            r#"{"error":"a\"b"}"#,
            r#"{"error":{"code":1}}"#,
            r#"{"status":200.0}"#,
            r#"{"status":007}"#,
            r#"{"status":-0}"#,
            r#"{"status":99999999999999999999}"#,
            r#"{"status":200"#,
            r#"{"status":200,}"#,
            r#"{"status" 200}"#,
            r#"{"status":nul}"#,
            r#"{"status":2e2}"#,
            r#"{"checks":1}"#,
            "{\"error\":\"a\tb\"}",
            r#"{} x"#,
        ] {
            assert!(!agrees(line), "{line}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn eight_at_a_time_is_as_good_as_one(bytes in prop::collection::vec(prop_oneof![any::<u8>(), Just(b'x')], 0..40)) {
            let special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..0x20);
            prop_assert_eq!(plain(&bytes), bytes.iter().position(special).unwrap_or(bytes.len()));
        }

        #[test]
        fn both_ways_agree(
            members in prop::collection::vec(
                (
                    prop::sample::select(vec!["status", "error", "code", "intent", "key", "Retry-After", "level", "x", "a b"]),
                    prop::sample::select(vec!["200", "-1", "\"200\"", "null", "true", "\"error\"", "\"a\\n\"", "1.5", "[1]", "50"]),
                ),
                0..6,
            ),
            blank in prop::sample::select(vec!["", " ", "\t"]),
        ) {
            let body: Vec<String> = members.iter().map(|(k, v)| format!("{blank}\"{k}\"{blank}:{blank}{v}{blank}")).collect();
            agrees(&format!("{{{}}}", body.join(",")));
        }

        #[test]
        fn any_text_is_survived(line in r#"[{}\[\]":,a-c0-2. \\-]{0,40}"#) {
            agrees(&line);
        }
    }
}
