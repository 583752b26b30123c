//! A user's records, one a line, down to the intent that each names. Invariant: a line that does not name exactly one
//! intent is complained of by its number and counts for nothing; the lines around it count.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, BufRead};

use crate::text::lines::{LONGEST, Line, Lines};
use crate::text::pointer::{Found, Pointer};

/// Complaints kept for printing; the rest are counted.
pub const SHOWN: usize = 20;

/// How a line names its intent. The name is trimmed of white space at both ends, as in the canonical form, so that
/// what has one key is one intent.
#[derive(Clone, Copy, Debug)]
pub enum Shape<'p> {
    /// A JSON text with the intent, a string or an integer, at the pointer.
    Json(&'p Pointer),
    /// A JSON string, as `jq .intent` prints it.
    Quoted,
    /// The name itself.
    Plain,
}

/// Why a line names no intent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Complaint {
    /// The parser's words, with the column.
    NotJson(String),
    /// The last line, without newline and cut off.
    Torn,
    TooLong,
    Nothing(Pointer),
    Twice(Pointer),
    /// What is at the pointer instead, in words.
    Other(Pointer, &'static str),
    Empty,
    NotUtf8,
    /// The file began with lines of another shape.
    NotQuoted,
    NotPlain,
}

/// The complaints about one input.
#[derive(Debug, Default)]
pub struct Complaints {
    /// The first `SHOWN`, each with its line number.
    pub first: Vec<(u64, Complaint)>,
    pub count: u64,
}

/// Reads a ledger or JSON lines: each intent goes to `each` with its line number. Blank lines are passed over.
pub fn read(input: impl BufRead, shape: Shape, mut each: impl FnMut(&str, u64)) -> io::Result<Complaints> {
    read_shaped(input, |_| shape, &mut each)
}

/// Reads expected intents: JSON lines, JSON strings or plain names, told apart by the first line that is not blank.
pub fn read_expected(
    input: impl BufRead,
    pointer: &Pointer,
    mut each: impl FnMut(&str, u64),
) -> io::Result<Complaints> {
    read_shaped(input, |first| Shape::of(first, pointer), &mut each)
}

fn read_shaped<'p>(
    input: impl BufRead,
    shape_of: impl Fn(&[u8]) -> Shape<'p>,
    each: &mut dyn FnMut(&str, u64),
) -> io::Result<Complaints> {
    let mut lines = Lines::new(input);
    let mut complaints = Complaints::default();
    let mut shape = None;
    while let Some((number, line)) = lines.next()? {
        let named = match line {
            Line::Text { bytes, .. } if bytes.trim_ascii().is_empty() => continue,
            Line::Text { bytes, ended } => shape.get_or_insert_with(|| shape_of(bytes)).intent(bytes, ended),
            Line::TooLong => Err(Complaint::TooLong),
        };
        match named.as_deref().map(trimmed) {
            Ok("") => complaints.add(number, Complaint::Empty),
            Ok(intent) => each(intent, number),
            Err(complaint) => complaints.add(number, complaint.clone()),
        }
    }
    Ok(complaints)
}

impl<'p> Shape<'p> {
    fn of(first: &[u8], pointer: &'p Pointer) -> Shape<'p> {
        match first.trim_ascii_start().first() {
            Some(b'{' | b'[') => Shape::Json(pointer),
            Some(b'"') => Shape::Quoted,
            Some(_) | None => Shape::Plain,
        }
    }

    fn intent<'a>(self, line: &'a [u8], ended: bool) -> Result<Cow<'a, str>, Complaint> {
        match self {
            Shape::Json(pointer) => pointed(pointer, line, ended),
            Shape::Quoted => serde_json::from_slice::<String>(line).map(Cow::Owned).map_err(|error| {
                let is_quoted = line.trim_ascii_start().starts_with(b"\"");
                if is_quoted { not_json(&error, ended) } else { Complaint::NotQuoted }
            }),
            Shape::Plain => plain(line),
        }
    }
}

/// Without white space at both ends. Nearly all names begin and end with a visible ASCII character: seen at once.
fn trimmed(name: &str) -> &str {
    match name.as_bytes() {
        [first, .., last] if first.is_ascii_graphic() && last.is_ascii_graphic() => name,
        _ => name.trim(),
    }
}

fn pointed<'a>(pointer: &Pointer, line: &'a [u8], ended: bool) -> Result<Cow<'a, str>, Complaint> {
    match pointer.find(line).map_err(|error| not_json(&error, ended))? {
        Found::Name(name) => Ok(name),
        Found::Nothing => Err(Complaint::Nothing(pointer.clone())),
        Found::Twice => Err(Complaint::Twice(pointer.clone())),
        Found::Other(what) => Err(Complaint::Other(pointer.clone(), what)),
    }
}

fn plain(line: &[u8]) -> Result<Cow<'_, str>, Complaint> {
    match line.trim_ascii_start().first() {
        Some(b'{' | b'[' | b'"') => Err(Complaint::NotPlain),
        Some(_) | None => std::str::from_utf8(line).map(Cow::Borrowed).map_err(|_| Complaint::NotUtf8),
    }
}

fn not_json(error: &serde_json::Error, ended: bool) -> Complaint {
    if !ended && error.is_eof() {
        return Complaint::Torn;
    }
    // It is always line 1 of a text of one line; the file's line number stands before.
    Complaint::NotJson(error.to_string().replace(" at line 1 column ", " at column "))
}

impl Complaints {
    fn add(&mut self, number: u64, complaint: Complaint) {
        self.count += 1;
        if self.first.len() < SHOWN {
            self.first.push((number, complaint));
        }
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Complaint::NotJson(error) => write!(f, "not JSON: {error}; mend or remove the line"),
            Complaint::Torn => {
                write!(f, "torn last line, cut off in the middle of a write; find out whether its charge was made")
            }
            Complaint::TooLong => write!(f, "longer than {} MiB; write one record a line", LONGEST >> 20),
            Complaint::Nothing(at) => write!(f, "no intent at `{at}`; mend the line, or give another pointer"),
            Complaint::Twice(at) => write!(f, "a key of `{at}` is there more than once; keep one"),
            Complaint::Other(at, what) => write!(f, "at `{at}` is {what}; an intent is a string or an integer"),
            Complaint::Empty => write!(f, "the intent is empty; name it or remove the line"),
            Complaint::NotUtf8 => write!(f, "not UTF-8; convert the file"),
            Complaint::NotQuoted => write!(f, "not a quoted name, as the first line is; quote it as JSON"),
            Complaint::NotPlain => write!(f, "looks like JSON, but the first line is a plain name; keep to one form"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Named = Vec<(String, u64)>;

    fn expected(input: &[u8]) -> (Named, Vec<(u64, Complaint)>) {
        let mut named = Vec::new();
        let pointer = "/intent".parse().unwrap();
        let complaints = read_expected(input, &pointer, |intent, line| named.push((intent.to_owned(), line))).unwrap();
        (named, complaints.first)
    }

    #[test]
    fn the_three_shapes_name_the_same_intents() {
        let declared = vec![("ord 1".to_owned(), 2), ("7".to_owned(), 3)];
        for input in [
            "\n{\"intent\":\" ord 1\\u3000\"}\r\n{\"intent\":7}",
            "\n\"ord 1 \"\r\n\"7\"\n",
            "\u{feff}\n ord 1\u{3000}\r\n7\n\n",
        ] {
            assert_eq!(expected(input.as_bytes()), (declared.clone(), vec![]), "{input}");
        }
    }

    #[test]
    fn a_bad_line_is_named_and_the_others_count() {
        let (named, complaints) =
            expected(b"{\"intent\":\"a\"}\n{\"intent\"}\n{}\n{\"intent\":null}\n{\"intent\":\" \"}\nb\n{\"intent\":\"c\"}\n{\"inte");
        assert_eq!(named, [("a".to_owned(), 1), ("c".to_owned(), 7)]);
        let lines: Vec<u64> = complaints.iter().map(|(line, _)| *line).collect();
        assert_eq!(lines, [2, 3, 4, 5, 6, 8]);
        assert_eq!(complaints[0].1, Complaint::NotJson("expected `:` at column 10".to_owned()));
        assert_eq!(complaints[5].1, Complaint::Torn);
    }

    #[test]
    fn a_last_line_without_newline_counts_when_it_is_whole() {
        assert_eq!(expected(b"{\"intent\":\"a\"}").0, [("a".to_owned(), 1)]);
        assert_eq!(expected(b"{\"intent\":\"a\"").1, [(1, Complaint::Torn)]);
        assert!(matches!(expected(b"{\"intent\":\"a\"\n").1[..], [(1, Complaint::NotJson(_))]));
    }

    #[test]
    fn shapes_are_not_mixed() {
        assert_eq!(expected(b"a\n{\"intent\":\"b\"}\n").1, [(2, Complaint::NotPlain)]);
        assert_eq!(expected(b"\"a\"\nb\n").1, [(2, Complaint::NotQuoted)]);
        assert_eq!(expected(b"a\n\xff\n").1, [(2, Complaint::NotUtf8)]);
    }

    #[test]
    fn complaints_are_kept_to_a_bound_and_all_counted() {
        let pointer: Pointer = "/x".parse().unwrap();
        let complaints = read("{}\n".repeat(50).as_bytes(), Shape::Json(&pointer), |_, _| panic!("no intent")).unwrap();
        assert_eq!((complaints.first.len(), complaints.count), (SHOWN, 50));
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn any_bytes_are_survived(bytes in crate::text::fragments::bytes(), size in 1usize..20) {
            let pointer = "/intent".parse().unwrap();
            let named = |size| {
                let mut names = Vec::new();
                let input = io::BufReader::with_capacity(size, &bytes[..]);
                let complaints = read_expected(input, &pointer, |name, line| names.push((name.to_owned(), line))).unwrap();
                read(io::BufReader::with_capacity(size, &bytes[..]), Shape::Json(&pointer), |_, _| {}).unwrap();
                let complaints: Vec<_> = complaints.first.iter().map(|(line, complaint)| (*line, complaint.to_string())).collect();
                (names, complaints)
            };
            proptest::prop_assert_eq!(named(size), named(1 << 16));
        }
    }
}
