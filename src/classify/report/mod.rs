//! Verdicts, findings and the summary, in text or in JSON lines. Invariant: a line is written as soon as it is known, so
//! the output needs no more memory than its buffer.

mod jsonl;
mod text;

use std::borrow::Cow;
use std::io::{self, Write};

use super::args::Format;
use super::extract::reading::Reading;
use super::findings::finder::{Evicted, Finding};
use super::findings::tally::Tally;
use super::groups::Groups;
use super::judge::verdict::Verdict;
use crate::terms::outcome::Symptom;

/// Where results go. A line is put together in `buffer`, which is written out when it is full.
pub struct Report<W> {
    out: W,
    buffer: Vec<u8>,
    format: Format,
    /// Only the summary is wanted.
    brief: bool,
    /// The names of the inputs, where there are several.
    files: Vec<String>,
    /// Where verdicts and findings wait for those that are worse. None: they are written as they come.
    groups: Option<Groups>,
    /// `","symptom":...,"evidence":` of each symptom: the same bytes on every line.
    middles: Vec<String>,
}

/// A finding in a line for people.
pub fn finding_text(mut out: impl Write, finding: &Finding) -> io::Result<()> {
    text::finding(&mut out, &[], finding)
}

/// Bytes that are kept back before they are written.
const BUFFER: usize = 64 * 1024;

impl<W: Write> Report<W> {
    pub fn new(out: W, format: Format, brief: bool) -> Report<W> {
        let middles = Symptom::ALL.iter().map(|symptom| jsonl::middle(*symptom, symptom.advice())).collect();
        Report { out, buffer: Vec::with_capacity(2 * BUFFER), format, brief, files: Vec::new(), groups: None, middles }
    }

    /// The inputs, where there are several: from now on each place is told with its file.
    pub fn name_files(&mut self, names: Vec<String>) {
        self.files = names;
    }

    /// A line of another kind than a verdict.
    pub fn line(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> io::Result<()> {
        write(&mut self.buffer);
        self.pass_on()
    }

    /// Writes out everything, without a summary.
    pub fn end(&mut self) -> io::Result<()> {
        self.out.write_all(&self.buffer)?;
        self.out.flush()
    }

    /// What was written, after the end.
    pub fn into_out(self) -> W {
        self.out
    }

    /// Puts the worst first, or not.
    pub fn worst_first(mut self, wanted: bool) -> Report<W> {
        self.groups = wanted.then(Groups::default);
        self
    }

    /// One reading's verdict.
    pub fn verdict(&mut self, line: u64, reading: &Reading, verdict: &Verdict) -> io::Result<()> {
        match (self.brief, self.format) {
            (true, _) => return Ok(()),
            (false, Format::Text) => text::verdict(&mut self.buffer, &self.files, line, reading, verdict)?,
            (false, Format::Jsonl) => {
                let plain = verdict.advice == verdict.symptom.advice();
                let middle = match plain {
                    true => Cow::Borrowed(self.middles[verdict.symptom as usize].as_str()),
                    false => jsonl::middle(verdict.symptom, verdict.advice).into(),
                };
                jsonl::verdict(&mut self.buffer, &self.files, &middle, line, reading, verdict);
            }
        }
        if let Some(groups) = &mut self.groups {
            groups.verdict(verdict.advice.effect, &self.buffer)?;
            self.buffer.clear();
        }
        self.pass_on()
    }

    pub fn finding(&mut self, finding: &Finding) -> io::Result<()> {
        match (self.brief, self.format) {
            (true, _) => return Ok(()),
            (false, Format::Text) => text::finding(&mut self.buffer, &self.files, finding)?,
            (false, Format::Jsonl) => jsonl::finding(&mut self.buffer, &self.files, finding)?,
        }
        if let Some(groups) = &mut self.groups {
            groups.finding(&self.buffer)?;
            self.buffer.clear();
        }
        self.pass_on()
    }

    /// The last part of the output; writes out everything.
    pub fn summary(&mut self, tally: &Tally, evicted: Evicted) -> io::Result<()> {
        if let Some(mut groups) = self.groups.take() {
            groups.write(&mut self.out, self.format == Format::Text)?;
        }
        match self.format {
            Format::Text => text::summary(&mut self.buffer, tally, evicted)?,
            Format::Jsonl => jsonl::summary(&mut self.buffer, tally, evicted)?,
        }
        self.end()
    }

    fn pass_on(&mut self) -> io::Result<()> {
        if self.buffer.len() >= BUFFER {
            self.out.write_all(&self.buffer)?;
            self.buffer.clear();
        }
        Ok(())
    }
}
