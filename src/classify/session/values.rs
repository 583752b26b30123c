//! JSON values: readings, documents, and what holds readings of its own. Invariant: a value that cannot be read leaves
//! nothing behind, so that its bytes may be tried otherwise.

use std::borrow::Cow;
use std::io::Write;

use serde::de::DeserializeSeed;
use serde_json::value::RawValue;

use super::{Session, embedded, place, prefix};
use crate::classify::extract::reading::{Reading, Role, Status};
use crate::classify::extract::slot::Slot;
use crate::classify::extract::whole::{self, Kind};
use crate::classify::extract::{har, otlp};
use crate::classify::findings::document::Document;
use crate::classify::judge::tells::is_alarmed;
use crate::classify::partition::Source;
use crate::classify::read::prefix::Stripped;
use crate::classify::read::reader::{Position, Refused};

/// Wrappers within wrappers that are followed.
const DEEPEST: u8 = 4;

impl<W: Write> Session<W> {
    /// A value that is not a flat object.
    pub(super) fn json(&mut self, at: Position, bytes: &[u8]) -> Result<(), Refused> {
        if bytes.starts_with(b"\"") {
            let text: String = serde_json::from_slice(bytes).map_err(|error| placed(at, &error))?;
            let Stripped { time, rest, .. } = prefix::strip(&text);
            self.flush();
            self.message(at, rest, time, true, 1);
            return Ok(());
        }
        let mut reading = parsed(bytes).map_err(|error| placed(at, &error))?;
        if reading.document {
            let document: Document = serde_json::from_slice(bytes).map_err(|error| placed(at, &error))?;
            if document.len() > 0 {
                self.flush();
                let place = place(self.file, at.line);
                return self.judged.document(place, &document, bytes).map_err(|why| Refused { at, why });
            }
        }
        self.value_within(at, bytes, &mut reading, Source::Json(bytes), 0);
        Ok(())
    }

    /// A value, or what it holds.
    fn value_within(&mut self, at: Position, bytes: &[u8], reading: &mut Reading, source: Source, depth: u8) {
        let inner = if reading.wrapper && depth < DEEPEST { whole::readings(bytes) } else { Vec::new() };
        if inner.is_empty() {
            return self.record(at, bytes, reading, source, depth);
        }
        let beside = inner.iter().any(|(kind, _)| *kind == Kind::Event) && reading.told;
        for (kind, value) in inner {
            self.held(at, kind, value, reading, depth + 1);
        }
        if beside {
            self.record(at, bytes, reading, source, depth);
        }
    }

    /// One of the readings that a value holds.
    fn held(&mut self, at: Position, kind: Kind, value: &RawValue, outer: &Reading, depth: u8) {
        let text = value.get();
        let source = Source::Within(kind, text);
        let read = match kind {
            Kind::Exchange => har::read(text),
            Kind::Span | Kind::Record => otlp::read(text, &mut self.mapping),
            Kind::Timed => return self.timed(at, text, depth),
            Kind::Log | Kind::Event | Kind::Attempt => match serde_json::from_str::<String>(text) {
                Ok(line) => return self.line(at, line.trim_end(), false, None, depth),
                Err(_) => parsed(text.as_bytes()),
            },
        };
        match read {
            // An event that has no field of a reading.
            Ok(reading) if !reading.known && !reading.wrapper => self.judged.tally.other(1),
            Ok(mut reading) => {
                inherit(&mut reading, outer);
                if kind == Kind::Log {
                    reading.trouble = reading.trouble.or(outer.trouble);
                }
                self.value_within(at, text.as_bytes(), &mut reading, source, depth);
            }
            Err(error) => super::Sink::refused(self, placed(at, &error)),
        }
    }

    /// Loki's pair of a time and a line.
    fn timed(&mut self, at: Position, text: &str, depth: u8) {
        if let Ok((time, line)) = serde_json::from_str::<(String, String)>(text) {
            self.line(at, line.trim_end(), false, Some(&time), depth);
        }
    }

    /// A reading of one value; where it only carries a log line, that line.
    pub(super) fn record(&mut self, at: Position, bytes: &[u8], reading: &mut Reading, source: Source, depth: u8) {
        if !self.mapping.is_empty() && bytes.starts_with(b"{") {
            // A copy, since what is taken must outlive the reading that is put together here.
            let mut taken = Reading::default();
            self.mapping.apply(&mut taken, bytes);
            own(reading, taken);
        }
        match carried(reading).filter(|_| depth < DEEPEST) {
            None => self.offer(at, reading, source),
            Some(text) if is_bare(reading) && reading.quiet && !is_alarmed(text) => self.judged.tally.other(1),
            Some(text) if is_bare(reading) && !text.contains('\n') => {
                let time = reading.time.as_deref().map(str::to_owned);
                let text = text.to_owned();
                self.line(at, &text, text.starts_with([' ', '\t']), time.as_deref(), depth + 1);
            }
            Some(text) => {
                let inner = embedded::object(text).filter(|(before, _)| before.trim().is_empty());
                match inner.and_then(|(_, object)| parsed(object.as_bytes()).ok()).filter(|inner| inner.known) {
                    Some(mut inner) => {
                        inherit(&mut inner, reading);
                        self.offer(at, &inner, source);
                    }
                    None => self.offer(at, reading, source),
                }
            }
        }
    }
}

/// Reads one value with the JSON parser.
pub(super) fn parsed(bytes: &[u8]) -> Result<Reading<'_>, serde_json::Error> {
    let mut reading = Reading::default();
    let mut parser = serde_json::Deserializer::from_slice(bytes);
    Slot::whole(&mut reading).deserialize(&mut parser).and_then(|()| parser.end())?;
    Ok(reading)
}

/// The log line that a reading carries and that is all it says of the outcome.
fn carried<'r>(reading: &'r Reading) -> Option<&'r str> {
    let [text] = &reading.texts[..] else { return None };
    let plain =
        !reading.told && reading.status == Status::Absent && reading.kind.is_none() && reading.symptom.is_none();
    let alone = plain && reading.exit_code.is_none() && reading.code.is_none() && reading.pretransfer.is_none();
    (alone && text.role == Role::Log).then(|| text.text.trim_end())
}

/// Whether a reading says nothing at all but its log line and a time.
fn is_bare(reading: &Reading) -> bool {
    let named = reading.intent.is_some() || reading.key.is_some() || reading.receipt.is_some();
    // The beginning of a trace whose other lines have wrappers of their own.
    let troubled = reading.trouble.is_some_and(|trouble| trouble != "traceback");
    !named && reading.attempt.is_none() && !troubled && reading.method.is_none()
}

/// What the value around a reading says goes for the reading, unless that says it itself.
fn inherit(reading: &mut Reading, outer: &Reading) {
    let copied = |own: &mut Option<Cow<str>>, outer: &Option<Cow<str>>| {
        if own.is_none() {
            *own = outer.as_deref().map(|text| Cow::Owned(text.to_owned()));
        }
    };
    copied(&mut reading.intent, &outer.intent);
    copied(&mut reading.key, &outer.key);
    copied(&mut reading.time, &outer.time);
    reading.attempt = reading.attempt.or(outer.attempt);
}

fn own(reading: &mut Reading, taken: Reading) {
    let owned = |text: Cow<str>| Cow::Owned(text.into_owned());
    reading.intent = taken.intent.map(owned).or(reading.intent.take());
    reading.key = taken.key.map(owned).or(reading.key.take());
    reading.attempt = taken.attempt.or(reading.attempt);
}

/// A parser's complaint, with its place in the input instead of the value.
fn placed(at: Position, error: &serde_json::Error) -> Refused {
    let (line, column) = (error.line() as u64, error.column() as u64);
    let place = match line {
        0 | 1 => Position { line: at.line, column: at.column + column.saturating_sub(1) },
        _ => Position { line: at.line + line - 1, column },
    };
    let whole = error.to_string();
    let why = whole.rsplit_once(" at line ").map_or(whole.as_str(), |(why, _)| why);
    Refused { at: place, why: why.to_owned() }
}

/// The bytes with `?` for each that is no UTF-8: a log's other encodings are no reason to lose a reading.
pub(super) fn legible(bytes: &[u8]) -> Vec<u8> {
    let mut clean = Vec::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        clean.extend_from_slice(chunk.valid().as_bytes());
        clean.resize(clean.len() + chunk.invalid().len(), b'?');
    }
    clean
}
