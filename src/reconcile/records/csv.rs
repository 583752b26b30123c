//! Rows of comma-separated values (RFC 4180). Invariant: a quote that is out of place is never guessed at, and a row that
//! is wrong costs the rows beside it nothing, unless they stand inside of its quotes.

use std::borrow::Cow;
use std::io::{self, BufRead};

use super::complaint::Complaint;
use crate::text::lines::{LONGEST, Line, Lines};

pub struct Rows<R> {
    lines: Lines<R>,
    /// The row as it stands, its line ends kept within quotes.
    text: Vec<u8>,
}

/// A row where it stands.
#[derive(Debug, PartialEq, Eq)]
pub struct Row<'a> {
    /// The first of its lines.
    pub number: u64,
    /// How many it takes.
    pub lines: u64,
    pub fields: Result<Vec<Cow<'a, str>>, Complaint>,
}

impl<R: BufRead> Rows<R> {
    pub fn new(input: R) -> Rows<R> {
        Rows { lines: Lines::new(input), text: Vec::new() }
    }

    /// The next row; None at the end. Blank lines are passed over.
    pub fn next(&mut self) -> io::Result<Option<Row<'_>>> {
        self.text.clear();
        let Some(number) = self.begin()? else { return Ok(None) };
        let mut lines = 1;
        let mut is_long = self.text.len() > LONGEST;
        // As long as every quote before is in its place, a row is open as long as their number is odd.
        let mut is_open = matches!(fields_of(&self.text), Err(Complaint::OpenQuote));
        while is_open {
            let Some((_, line)) = self.lines.next()? else { break };
            lines += 1;
            match line {
                Line::Text { bytes, .. } => {
                    is_open = quotes(bytes).is_multiple_of(2);
                    is_long |= self.text.len() + bytes.len() >= LONGEST;
                    if !is_long {
                        self.text.push(b'\n');
                        self.text.extend_from_slice(bytes);
                    }
                }
                Line::TooLong => is_long = true,
            }
        }
        let fields = if is_long { Err(Complaint::TooLong) } else { fields_of(&self.text) };
        Ok(Some(Row { number, lines, fields }))
    }

    /// Takes the first line that is not blank.
    fn begin(&mut self) -> io::Result<Option<u64>> {
        while let Some((number, line)) = self.lines.next()? {
            match line {
                Line::Text { bytes, .. } if bytes.trim_ascii().is_empty() => {}
                Line::Text { bytes, .. } => {
                    self.text.extend_from_slice(bytes);
                    return Ok(Some(number));
                }
                Line::TooLong => {
                    self.text.resize(LONGEST + 1, b' ');
                    return Ok(Some(number));
                }
            }
        }
        Ok(None)
    }
}

fn quotes(bytes: &[u8]) -> usize {
    memchr::memchr_iter(b'"', bytes).count()
}

/// The fields of a row, whose last line end is gone.
fn fields_of(row: &[u8]) -> Result<Vec<Cow<'_, str>>, Complaint> {
    let row = row.strip_suffix(b"\r").unwrap_or(row);
    let row = std::str::from_utf8(row).map_err(|_| Complaint::NotUtf8)?;
    let mut fields = Vec::new();
    let mut rest = Some(row);
    while let Some(text) = rest {
        let (field, after) = match text.strip_prefix('"') {
            Some(quoted) => inside(quoted).ok_or(Complaint::OpenQuote)?,
            None => plain(text),
        };
        rest = match after.strip_prefix(',') {
            Some(next) => Some(next),
            None if after.is_empty() => None,
            None => return Err(Complaint::StrayQuote(row.get(..row.len() - after.len()).map_or(0, characters) + 1)),
        };
        fields.push(field);
    }
    Ok(fields)
}

fn characters(text: &str) -> usize {
    text.chars().count()
}

/// What stands up to a comma, or to a quote that must not be there.
fn plain(text: &str) -> (Cow<'_, str>, &str) {
    let (field, after) = text.split_at(text.find([',', '"']).unwrap_or(text.len()));
    (Cow::Borrowed(field), after)
}

/// What stands up to the closing quote, and what follows that; None where there is no such quote.
fn inside(quoted: &str) -> Option<(Cow<'_, str>, &str)> {
    let mut from = 0;
    loop {
        let at = from + quoted.get(from..)?.find('"')?;
        let after = quoted.get(at + 1..)?;
        if !after.starts_with('"') {
            let field = quoted.get(..at)?;
            let is_plain = !field.contains('"');
            let field = if is_plain { Cow::Borrowed(field) } else { Cow::Owned(field.replace("\"\"", "\"")) };
            return Some((field, after));
        }
        from = at + 2;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Where it begins, how many lines it takes, its fields.
    type Read = (u64, u64, Result<Vec<String>, Complaint>);

    fn rows(text: &[u8]) -> Vec<Read> {
        let mut rows = Rows::new(text);
        let mut all = Vec::new();
        while let Some(Row { number, lines, fields }) = rows.next().unwrap() {
            let fields = fields.map(|fields| fields.into_iter().map(Cow::into_owned).collect());
            all.push((number, lines, fields));
        }
        all
    }

    fn row(number: u64, lines: u64, fields: &[&str]) -> Read {
        (number, lines, Ok(fields.iter().map(|field| field.to_string()).collect()))
    }

    /// The rules of RFC 4180, 2, one after another.
    #[test]
    fn the_rules_of_the_rfc() {
        assert_eq!(rows(b"a,b\r\nc,d\r\n"), [row(1, 1, &["a", "b"]), row(2, 1, &["c", "d"])]);
        assert_eq!(rows(b"a,b\r\nc,d"), [row(1, 1, &["a", "b"]), row(2, 1, &["c", "d"])]);
        assert_eq!(rows("\u{feff}a, b ,\n\n,\n".as_bytes()), [row(1, 1, &["a", " b ", ""]), row(3, 1, &["", ""])]);
        assert_eq!(rows(b"\"a\",\"\"\n"), [row(1, 1, &["a", ""])]);
        let broken = rows(b"\"x\r\ny\",\"p,q\"\r\nz\r\n");
        assert_eq!(broken, [row(1, 2, &["x\r\ny", "p,q"]), row(3, 1, &["z"])], "line ends and commas in quotes");
        assert_eq!(rows(b"\"a\"\"b\",\"\"\"\"\n"), [row(1, 1, &["a\"b", "\""])]);
    }

    #[test]
    fn a_quote_out_of_place_costs_its_own_row_alone() {
        let bad = |complaint| (1, 1, Err(complaint));
        assert_eq!(rows(b"5\" pipe,1\nb\n"), [bad(Complaint::StrayQuote(2)), row(2, 1, &["b"])]);
        assert_eq!(rows("\"é\"x,1\nb\n".as_bytes()), [bad(Complaint::StrayQuote(4)), row(2, 1, &["b"])]);
        assert_eq!(rows(b"\xff\nb\n"), [bad(Complaint::NotUtf8), row(2, 1, &["b"])]);
    }

    #[test]
    fn lines_within_quotes_that_do_not_end_are_counted() {
        assert_eq!(rows(b"a\n\"b\nc\nd"), [row(1, 1, &["a"]), (2, 3, Err(Complaint::OpenQuote))]);
        let long = format!("\"{}\n{}\"\nb\n", "x".repeat(LONGEST - 1), "y".repeat(LONGEST - 1));
        assert!(rows(long.as_bytes()) == [(1, 2, Err(Complaint::TooLong)), row(3, 1, &["b"])]);
        let line = format!("{}\nb\n", "x".repeat(LONGEST + 1));
        assert!(rows(line.as_bytes()) == [(1, 1, Err(Complaint::TooLong)), row(2, 1, &["b"])]);
    }

    /// A field as others may write it: quoted where it has to be, or anyway.
    fn written(field: &str, is_quoted: bool) -> String {
        match is_quoted || field.contains(['"', ',', '\n', '\r']) {
            true => format!("\"{}\"", field.replace('"', "\"\"")),
            false => field.to_owned(),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn what_is_written_is_read_back(
            table in prop::collection::vec(prop::collection::vec(("[aé\",\r\n ]{0,5}", any::<bool>()), 2..4), 0..6),
            end in prop::sample::select(vec!["\n", "\r\n"]),
        ) {
            let line = |row: &Vec<(String, bool)>| {
                row.iter().map(|(field, quoted)| written(field, *quoted)).collect::<Vec<_>>().join(",") + end
            };
            let text: String = table.iter().map(line).collect();
            let read: Vec<_> = rows(text.as_bytes()).into_iter().map(|(_, _, fields)| fields.unwrap()).collect();
            let plain = |row: &Vec<(String, bool)>| row.iter().map(|(field, _)| field.clone()).collect::<Vec<_>>();
            prop_assert_eq!(read, table.iter().map(plain).collect::<Vec<_>>());
        }

        /// Whatever is read, each line belongs to one row, or is blank.
        #[test]
        fn any_bytes_are_survived(bytes in crate::text::fragments::bytes()) {
            let mut next = 1;
            for (number, lines, _) in rows(&bytes) {
                prop_assert!(number >= next);
                next = number + lines;
            }
            prop_assert!(next <= 2 + bytes.iter().filter(|byte| **byte == b'\n').count() as u64);
        }
    }
}
