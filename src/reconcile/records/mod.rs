//! A user's records down to the intent that each names. Invariant: a record that does not name exactly one intent is
//! complained of by its number and counts for nothing; the records around it count.

mod complaint;
mod csv;
mod fields;
mod items;

use std::borrow::Cow;
use std::io::BufRead;

use anyhow::bail;

pub use complaint::Reading;
pub use fields::{Fields, Record, Window};

use crate::text::lines::{Line, Lines};
use crate::text::pointer::{Found, Pointer};
use complaint::Complaint;
use csv::{Row, Rows};
use items::End;

/// How an input holds its records.
#[derive(Clone, Debug)]
pub enum Format {
    /// JSON lines, or one array.
    Json(Fields<Pointer>),
    /// One document with an array at the pointer.
    Items(Fields<Pointer>, Pointer),
    /// JSON as above, JSON strings or plain names, told apart by the first line that is not blank.
    Names(Fields<Pointer>),
    /// Rows below a header that names the columns.
    Csv(Fields<String>),
}

/// How a line names its intent.
#[derive(Clone, Copy)]
enum Shape<'f> {
    /// A JSON text with the intent, a string or an integer, at the pointer.
    Json(&'f Fields<Pointer>),
    /// A JSON string, as `jq .intent` prints it.
    Quoted,
    /// The name itself.
    Plain,
}

/// Takes the records one after another.
struct Sink<'e> {
    reading: Reading,
    each: &'e mut dyn FnMut(Record, u64),
}

/// What came of one record; None where it is not to count.
type Named<'a> = Result<Option<Record<'a>>, Complaint>;

/// Reads an input: each record goes to `each` with the number of its line or item. Blank lines are passed over.
///
/// # Errors
/// It cannot be read, or has no column or array of the name that was given.
pub fn read(input: impl BufRead, format: &Format, mut each: impl FnMut(Record, u64)) -> anyhow::Result<Reading> {
    let mut sink = Sink { reading: Reading::default(), each: &mut each };
    match format {
        Format::Json(fields) => {
            let (is_array, input) = items::is_array(input)?;
            match is_array {
                true => read_items(input, fields, &[], &mut sink)?,
                false => read_lines(input, |_| Shape::Json(fields), &mut sink)?,
            }
        }
        Format::Names(fields) => {
            let (is_array, input) = items::is_array(input)?;
            match is_array {
                true => read_items(input, fields, &[], &mut sink)?,
                false => read_lines(input, |first| Shape::of(first, fields), &mut sink)?,
            }
        }
        Format::Items(fields, at) => read_items(input, fields, at.steps(), &mut sink)?,
        Format::Csv(fields) => read_rows(input, fields, &mut sink)?,
    }
    Ok(sink.reading)
}

fn read_lines<'f>(
    input: impl BufRead,
    shape_of: impl Fn(&[u8]) -> Shape<'f>,
    sink: &mut Sink<'_>,
) -> anyhow::Result<()> {
    let mut lines = Lines::new(input);
    let mut shape = None;
    while let Some((number, line)) = lines.next()? {
        let named = match line {
            Line::Text { bytes, .. } if bytes.trim_ascii().is_empty() => continue,
            Line::Text { bytes, ended } => shape.get_or_insert_with(|| shape_of(bytes)).record(bytes, ended),
            Line::TooLong => Err(Complaint::TooLong),
        };
        sink.take(number, named);
    }
    sink.reading.is_names = matches!(shape, Some(Shape::Quoted | Shape::Plain));
    Ok(())
}

fn read_items(
    input: impl BufRead,
    fields: &Fields<Pointer>,
    steps: &[String],
    sink: &mut Sink<'_>,
) -> anyhow::Result<()> {
    sink.reading.has_items = true;
    let mut number = 0;
    let end = items::read(input, steps, |item| {
        number += 1;
        sink.take(number, fields.record(|at| found(at, item, true)));
    })?;
    match end {
        End::Whole => {}
        End::Broken(error) => {
            sink.reading.is_cut = true;
            sink.reading.add(number + 1, Complaint::Broken(error));
        }
        End::Missing => bail!("no array at `{}`; say with --ledger-items where it is", pointer(steps)),
    }
    Ok(())
}

fn pointer(steps: &[String]) -> String {
    steps.iter().map(|step| format!("/{}", step.replace('~', "~0").replace('/', "~1"))).collect()
}

fn read_rows(input: impl BufRead, fields: &Fields<String>, sink: &mut Sink<'_>) -> anyhow::Result<()> {
    let mut rows = Rows::new(input);
    let Some(header) = rows.next()? else { return Ok(()) };
    let header: Vec<String> = match header.fields {
        Ok(names) => names.into_iter().map(|name| name.trim().to_owned()).collect(),
        Err(complaint) => bail!("its header, line {}: {complaint}", header.number),
    };
    let columns = fields.at(|name| column(&header, name))?;
    while let Some(Row { number, lines, fields }) = rows.next()? {
        let named = fields.and_then(|row| match row.len() == header.len() {
            true => columns.record(|column| Ok(Found::Name(row[column.at].clone()))),
            false => Err(Complaint::Columns(row.len(), header.len())),
        });
        // The lines that an open quote has taken may have been rows of their own.
        sink.reading.count += if named.is_err() { lines - 1 } else { 0 };
        sink.take(number, named);
    }
    Ok(())
}

/// A column by its place and its name.
struct Column<'h> {
    at: usize,
    name: &'h str,
}

impl std::fmt::Display for Column<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name)
    }
}

fn column<'h>(header: &'h [String], wanted: &str) -> anyhow::Result<Column<'h>> {
    let mut found = header.iter().enumerate().filter(|(_, name)| *name == wanted);
    match (found.next(), found.next()) {
        (Some((at, name)), None) => Ok(Column { at, name }),
        (Some(_), Some(_)) => bail!("the column `{wanted}` is there more than once; keep one"),
        (None, _) => {
            let names = header.iter().map(|name| format!("`{}`", name.escape_debug())).collect::<Vec<_>>();
            bail!("no column `{wanted}`; its header has {}", names.join(", "))
        }
    }
}

impl Sink<'_> {
    fn take(&mut self, number: u64, named: Named<'_>) {
        match named {
            Ok(Some(mut record)) => {
                if let Some(flaw) = record.flaw.take() {
                    self.reading.add(number, flaw);
                }
                (self.each)(record, number);
            }
            Ok(None) => self.reading.passed_over += 1,
            Err(complaint) => self.reading.add(number, complaint),
        }
    }
}

impl<'f> Shape<'f> {
    fn of(first: &[u8], fields: &'f Fields<Pointer>) -> Shape<'f> {
        match first.trim_ascii_start().first() {
            Some(b'{' | b'[') => Shape::Json(fields),
            Some(b'"') => Shape::Quoted,
            Some(_) | None => Shape::Plain,
        }
    }

    fn record<'a>(self, line: &'a [u8], ended: bool) -> Named<'a> {
        match self {
            Shape::Json(fields) => fields.record(|at| found(at, line, ended)),
            Shape::Quoted => Record::named(quoted(line, ended)?).map(Some),
            Shape::Plain => Record::named(plain(line)?).map(Some),
        }
    }
}

fn found<'a>(pointer: &Pointer, json: &'a [u8], ended: bool) -> Result<Found<'a>, Complaint> {
    pointer.find(json).map_err(|error| not_json(&error, ended))
}

fn quoted(line: &[u8], ended: bool) -> Result<Cow<'_, str>, Complaint> {
    serde_json::from_slice::<String>(line).map(Cow::Owned).map_err(|error| {
        let is_quoted = line.trim_ascii_start().starts_with(b"\"");
        if is_quoted { not_json(&error, ended) } else { Complaint::NotQuoted }
    })
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

#[cfg(test)]
mod tests;
