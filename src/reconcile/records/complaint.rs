//! Why a record does not say what it should, and how many there are of them. Invariant: all are counted, and no more are
//! kept than are shown.

use std::fmt;

use crate::text::lines::LONGEST;

/// Complaints kept for printing; the rest are counted.
pub const SHOWN: usize = 20;

/// Why a record names no intent, or leaves open what was asked of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Complaint {
    /// The parser's words, with the column.
    NotJson(String),
    /// The last line, without newline and cut off.
    Torn,
    TooLong,
    /// No intent at this place.
    Nothing(String),
    /// A key on the way to this place is repeated.
    Twice(String),
    /// What is at the place instead, in words.
    Other(String, &'static str),
    Empty,
    NotUtf8,
    /// The file began with lines of another shape.
    NotQuoted,
    NotPlain,
    /// Fields of a row, and of the header.
    Columns(usize, usize),
    /// At this character of the record.
    StrayQuote(usize),
    OpenQuote,
    /// A document is broken here: what follows is not read.
    Broken(String),
    /// The intent is known, its amount at this place is not.
    NoAmount(String),
    /// The intent is known, its time at this place is not.
    NoTime(String),
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
            Complaint::Columns(row, header) => {
                write!(f, "fields in the row: {row}, in the header: {header}; quote a field that holds a comma")
            }
            Complaint::StrayQuote(at) => {
                write!(f, "a quote out of place at character {at}; quote the whole field and write `\"\"` within it")
            }
            Complaint::OpenQuote => write!(f, "a quoted field that does not end; close it with a quote"),
            Complaint::Broken(error) => write!(f, "not JSON: {error}; what follows is not read"),
            Complaint::NoAmount(at) => {
                write!(f, "no decimal number at `{at}`; the entry counts, its amount is held to nothing")
            }
            Complaint::NoTime(at) => {
                write!(f, "no time with its zone at `{at}`, as 2026-11-02T10:00:00Z; it cannot be dated")
            }
        }
    }
}

/// What was read of one input, beside the records themselves.
#[derive(Debug, Default)]
pub struct Reading {
    /// The first `SHOWN` complaints, each with the number of its line or item.
    pub first: Vec<(u64, Complaint)>,
    /// Lines or items with a complaint.
    pub count: u64,
    /// Records that are not looked at.
    pub passed_over: u64,
    /// Whether the input is broken somewhere, so that any number of records may follow.
    pub is_cut: bool,
    /// Whether the numbers are those of items in one document, not of lines.
    pub has_items: bool,
    /// Whether it is a list of names, without amounts and times.
    pub is_names: bool,
}

impl Reading {
    /// What its numbers number.
    pub fn unit(&self) -> &'static str {
        if self.has_items { "item" } else { "line" }
    }

    pub fn add(&mut self, number: u64, complaint: Complaint) {
        self.count += 1;
        if self.first.len() < SHOWN {
            self.first.push((number, complaint));
        }
    }
}
