//! `idem classify`: readings in, one verdict each out, and what the readings of an intent show together. Invariant: what
//! cannot be read is named and counted, and costs nothing of what can.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, IsTerminal, Read, Write};
use std::path::Path;

use anyhow::{Context, bail};
use serde::de::DeserializeSeed;

use super::extract::flat;
use super::extract::reading::Reading;
use super::extract::slot::Slot;
use super::findings::document::Document;
use super::findings::finder::{Finding, Findings, Kind};
use super::findings::tally::Tally;
use super::judge::verdict;
use super::read::reader::{Position, Reader, Refused, Sink};
use super::report::Report;

use super::args::ClassifyArgs;
use crate::console::output::say;
use crate::console::{input, interrupt};
use crate::terms::exit::Exit;

/// The command. Errors: no input, or a file that cannot be opened.
pub fn command(args: &ClassifyArgs) -> anyhow::Result<Exit> {
    interrupt::exit_on_signal()?;
    let path = args.input.as_deref().unwrap_or(Path::new("-"));
    if !input::is_stdin(path) {
        // Not through `input::open`: the reader has its own buffer, and a second one costs a copy.
        let file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
        return Ok(run(file, path, args));
    }
    if io::stdin().is_terminal() {
        bail!("no input: pipe readings in, or give --input FILE; see `idem classify --help`");
    }
    Ok(run(io::stdin().lock(), path, args))
}

/// Classifies everything in the input.
fn run(input: impl Read, path: &Path, args: &ClassifyArgs) -> Exit {
    let mut session = Session {
        name: input::name(path),
        report: Report::new(io::stdout().lock(), args.format, args.summary),
        findings: Findings::new(args.lookback as usize),
        text: args.text,
        tally: Tally::default(),
        written: Ok(()),
    };
    let mut reader = Reader::new(input);
    let read = if args.text { reader.lines(&mut session) } else { reader.values(&mut session) };
    session.finish();
    let exit = exit(&session.tally, args.strict);
    exit.and(written(session.written)).and(heard(read, &session.name))
}

/// A closed pipe ends the output quietly. What was found stays found whatever becomes of the results.
fn written(result: io::Result<()>) -> Exit {
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            say!("idem: error: cannot write to standard output: {error}");
            Exit::Precondition
        }
        _ => Exit::Ok,
    }
}

fn heard(result: io::Result<()>, name: &str) -> Exit {
    match result {
        Err(error) => {
            say!("idem: error: cannot read {name}: {error}");
            Exit::Precondition
        }
        Ok(()) => Exit::Ok,
    }
}

/// Findings, malformed input and no input at all, in one code.
fn exit(tally: &Tally, strict: bool) -> Exit {
    let found = if tally.fails(strict) { Exit::Finding } else { Exit::Ok };
    let malformed = if tally.malformed() > 0 { Exit::Precondition } else { Exit::Ok };
    let nothing = if tally.readings() + tally.scenarios() == 0 { Exit::ZeroInput } else { Exit::Ok };
    found.and(malformed).and(nothing)
}

/// One run over one input.
struct Session<W> {
    name: String,
    report: Report<W>,
    findings: Findings,
    tally: Tally,
    /// Readings are lines of words.
    text: bool,
    /// The first failure to write; nothing is written after it.
    written: io::Result<()>,
}

impl<W: Write> Sink for Session<W> {
    fn value(&mut self, at: Position, bytes: &[u8]) -> Result<(), Refused> {
        if self.text {
            let line = String::from_utf8_lossy(bytes);
            self.reading(at.line, &Reading::from_text(&line));
            return Ok(());
        }
        let mut reading = Reading::default();
        if flat::read(bytes, &mut reading).is_some() {
            self.reading(at.line, &reading);
            return Ok(());
        }
        if !matches!(bytes.first(), Some(b'{' | b'"')) {
            return Err(Refused { at, why: "a reading is an object or a text".to_owned() });
        }
        self.json(at, bytes).or_else(|refused| match std::str::from_utf8(bytes) {
            Ok(_) => Err(refused),
            Err(_) => self.json(at, &legible(bytes)),
        })
    }

    fn refused(&mut self, refused: Refused) {
        let Refused { at: Position { line, column }, why } = refused;
        say!("idem: error: {}: line {line}, column {column}: {why}", self.name);
        self.tally.refused();
    }

    fn done(&self) -> bool {
        self.written.is_err()
    }
}

impl<W: Write> Session<W> {
    fn json(&mut self, at: Position, bytes: &[u8]) -> Result<(), Refused> {
        let mut reading = Reading::default();
        let mut parser = serde_json::Deserializer::from_slice(bytes);
        Slot::whole(&mut reading).deserialize(&mut parser).and_then(|()| parser.end()).map_err(|e| placed(at, &e))?;
        if reading.document {
            self.document(at, bytes, &reading)
        } else {
            self.reading(at.line, &reading);
            Ok(())
        }
    }

    fn reading(&mut self, line: u64, reading: &Reading) {
        let verdict = verdict::judge(reading);
        self.tally.verdict(&verdict);
        self.write(|report| report.verdict(line, reading, &verdict));
        let Session { findings, tally, report, written, .. } = self;
        findings.observe(line, reading, &verdict, |finding| tell(tally, report, written, &finding));
    }

    /// A document of scenarios or checks; anything else that only looks like one is a reading.
    fn document(&mut self, at: Position, bytes: &[u8], reading: &Reading) -> Result<(), Refused> {
        let document: Document = serde_json::from_slice(bytes).map_err(|e| placed(at, &e))?;
        if document.len() == 0 {
            self.reading(at.line, reading);
            return Ok(());
        }
        let mismatches = document.mismatches().map_err(|why| Refused { at, why })?;
        for attempt in document.attempts() {
            let verdict = verdict::judge(attempt);
            self.tally.verdict(&verdict);
            self.write(|report| report.verdict(at.line, attempt, &verdict));
        }
        self.tally.judged(document.len());
        let Session { tally, report, written, .. } = self;
        for mismatch in mismatches {
            let (about, detail) = (Cow::Owned(mismatch.about), Some(mismatch.detail));
            let finding = Finding { kind: Kind::Mismatch, about, lines: vec![at.line], detail };
            tell(tally, report, written, &finding);
        }
        Ok(())
    }

    fn finish(&mut self) {
        let Session { findings, tally, report, written, .. } = self;
        findings.finish(|finding| tell(tally, report, written, &finding));
        let (tally, evicted) = (self.tally.clone(), self.findings.evicted);
        self.write(|report| report.summary(&tally, evicted));
    }

    fn write(&mut self, write: impl FnOnce(&mut Report<W>) -> io::Result<()>) {
        if self.written.is_ok() {
            self.written = write(&mut self.report);
        }
    }
}

fn tell<W: Write>(tally: &mut Tally, report: &mut Report<W>, written: &mut io::Result<()>, finding: &Finding) {
    tally.finding(finding.kind);
    if written.is_ok() {
        *written = report.finding(finding);
    }
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
fn legible(bytes: &[u8]) -> Vec<u8> {
    let mut clean = Vec::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        clean.extend_from_slice(chunk.valid().as_bytes());
        clean.resize(clean.len() + chunk.invalid().len(), b'?');
    }
    clean
}
