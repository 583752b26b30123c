//! One run over all inputs: what each value and each line is, and the reading made of it. Invariant: readings are taken in
//! the order of the input; a line that is open, because more may belong to it, is taken before anything behind it.

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::args::ClassifyArgs;
use super::extract::mapping::Mapping;
use super::extract::reading::Reading;
use super::extract::row::Header;
use super::extract::{flat, pairs};
use super::findings::finder::Findings;
use super::findings::tally::Tally;
use super::judge::tells::tells;
use super::judge::verdict;
use super::judged::Judged;
use super::partition::Source;
use super::place::place;
use super::read::reader::{Position, Refused, Sink};
use super::read::{ansi, embedded, prefix, trace::Block};
use super::report::Report;
use crate::console::input;
use crate::console::output::say;

mod retries;
mod values;
mod words;

use retries::Retries;

/// One run.
pub struct Session<W> {
    judged: Judged<W>,
    mapping: Mapping,
    /// Every line is a message, and none is JSON.
    text: bool,
    /// The input that is read, as messages name it, and its number from 0.
    name: String,
    file: u64,
    block: Block,
    /// The table that the input is.
    header: Option<Header>,
    /// Nothing was read of this input yet.
    fresh: bool,
    retries: Retries,
}

impl<W: Write> Session<W> {
    /// A run over these inputs that writes its results to `out`.
    pub fn new(out: W, args: &ClassifyArgs, paths: &[PathBuf]) -> Session<W> {
        let mut report = Report::new(out, args.format, args.summary).worst_first(args.worst_first);
        if paths.len() > 1 {
            report.name_files(paths.iter().map(|path| input::name(path)).collect());
        }
        let judged = Judged {
            report,
            findings: Findings::new(args.lookback as usize, args.budget()),
            tally: Tally::default(),
            partition: args.partition_key,
            written: Ok(()),
        };
        Session {
            judged,
            mapping: Mapping::new(&args.intent_field, &args.key_field, &args.attempt_field),
            text: args.text,
            name: String::new(),
            file: 0,
            block: Block::default(),
            header: None,
            fresh: true,
            retries: Retries::default(),
        }
    }

    /// Goes on to the next input.
    pub fn begin(&mut self, path: &Path) {
        self.flush();
        self.file += u64::from(!self.name.is_empty());
        self.name = input::name(path);
        (self.header, self.fresh, self.retries) = (None, true, Retries::default());
    }

    /// Ends the run: its counts, and what became of the writing.
    pub fn finish(mut self) -> (Tally, io::Result<()>) {
        self.flush();
        for (name, used) in self.mapping.used() {
            self.judged.tally.mapped(name, used);
        }
        self.judged.finish();
        (self.judged.tally, self.judged.written)
    }

    /// Takes a reading, or counts it as one that tells of no call.
    fn offer(&mut self, at: Position, reading: &Reading, source: Source) {
        self.flush();
        let verdict = verdict::judge(reading);
        if tells(reading, &verdict) {
            self.judged.take(place(self.file, at.line), reading, &verdict, source);
        } else {
            self.judged.tally.other(1);
        }
    }

    /// Takes the lines that are open.
    fn flush(&mut self) {
        if let Some(at) = self.block.at.take() {
            self.block_of_words(at);
        }
    }
}

impl<W: Write> Sink for Session<W> {
    fn value(&mut self, at: Position, bytes: &[u8]) -> Result<(), Refused> {
        self.fresh = false;
        let mut reading = Reading::default();
        if flat::read(bytes, &mut reading).is_some() {
            self.record(at, bytes, &mut reading, Source::Json(bytes), 0);
            return Ok(());
        }
        if !matches!(bytes.first(), Some(b'{' | b'"')) {
            return Err(Refused { at, why: "a reading is an object or a text".to_owned() });
        }
        self.json(at, bytes).or_else(|refused| match std::str::from_utf8(bytes) {
            Ok(_) => Err(refused),
            Err(_) => self.json(at, &values::legible(bytes)),
        })
    }

    fn words(&mut self, at: Position, line: &[u8]) {
        // Checked whole first, which takes many bytes at a time; mended piece by piece only if need be.
        let text = match std::str::from_utf8(line) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => String::from_utf8_lossy(line),
        };
        let text = ansi::plain(text);
        if std::mem::take(&mut self.fresh) && !self.text {
            self.header = Header::of(&text);
            if self.header.is_some() {
                return;
            }
        }
        match self.header.take() {
            Some(header) => {
                self.row(at, &header, &text);
                self.header = Some(header);
            }
            None => self.line(at, &text, at.column > 1, None, 0),
        }
    }

    fn refused(&mut self, refused: Refused) {
        let Refused { at: Position { line, column }, why } = refused;
        say!("idem: error: {}: line {line}, column {column}: {why}", self.name);
        self.judged.tally.refused();
    }

    fn done(&self) -> bool {
        self.judged.written.is_err()
    }
}

#[cfg(test)]
mod tests;
