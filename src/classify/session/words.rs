//! Lines of words: rows of a table, fields, a log record behind a prefix, messages and their traces. Invariant: JSON within
//! a line goes before its words only if it is a record and the words do not tell of more risk.

use std::borrow::Cow;
use std::io::Write;

use super::values::parsed;
use super::{Session, embedded, pairs, place, prefix};
use crate::classify::extract::reading::{Reading, Role, Status, Text};
use crate::classify::extract::row::Header;
use crate::classify::judge::chain;
use crate::classify::judge::tells::{is_quiet, words_tell};
use crate::classify::judge::verdict::{self, Verdict};
use crate::classify::judge::vocabulary::Says;
use crate::classify::partition::Source;
use crate::classify::read::access::{access, only_reads};
use crate::classify::read::prefix::Stripped;
use crate::classify::read::reader::{LONGEST, Position, Refused};
use crate::terms::outcome::{Effect, Symptom};

impl<W: Write> Session<W> {
    /// A row of a table.
    pub(super) fn row(&mut self, at: Position, header: &Header, line: &str) {
        // Only who asks for the cells by other names, or for the row itself, has them put together.
        let wanted = self.judged.partition || !self.mapping.is_empty();
        let json = if wanted { header.object(line) } else { String::new() };
        match header.reading(line) {
            Some(mut reading) => {
                self.mapping.apply(&mut reading, json.as_bytes());
                self.offer(at, &reading, Source::Row(&json));
            }
            None => self.judged.tally.other(1),
        }
    }

    /// A line of words, by itself or out of a wrapper that may know the time.
    pub(super) fn line(&mut self, at: Position, text: &str, indented: bool, time: Option<&str>, depth: u8) {
        let stripped = prefix::strip(text);
        let time = stripped.time.or(time);
        let rest = stripped.rest.trim();
        if !self.text && (self.embedded(at, &stripped, time, depth) || self.fields(at, rest, time)) {
            return;
        }
        if self.block.takes(&stripped, indented) {
            return;
        }
        self.flush();
        self.block.begin(at, &stripped);
        self.block.time = time.map(str::to_owned);
    }

    /// A log record behind a prefix. False where there is none, or the words say more.
    fn embedded(&mut self, at: Position, line: &Stripped, time: Option<&str>, depth: u8) -> bool {
        let Some((before, object)) = embedded::object(line.rest) else { return false };
        let Ok(mut reading) = parsed(object.as_bytes()) else { return false };
        let named = reading.intent.is_some() || reading.key.is_some() || reading.attempt.is_some();
        let is_record = named || reading.own_status || reading.time.is_some() || before.trim().is_empty();
        if !is_record || !reading.known && !named {
            return false;
        }
        if reading.time.is_none() {
            reading.time = time.map(Cow::Borrowed);
        }
        if !before.trim().is_empty() {
            reading.quiet |= is_quiet(before);
            beside(&mut reading, before.trim());
        }
        self.record(at, object.as_bytes(), &mut reading, Source::Line(time, line.rest), depth + 1);
        true
    }

    /// A line of `name=value`. False where it is none, or says nothing by its names.
    fn fields(&mut self, at: Position, line: &str, time: Option<&str>) -> bool {
        if !pairs::is_logfmt(line) {
            return false;
        }
        let mut reading = pairs::read(line);
        pairs::about(&mut reading, line, &mut self.mapping);
        reading.time = reading.time.take().or(time.map(Cow::Borrowed));
        let verdict = verdict::judge(&reading);
        if verdict.symptom == Symptom::Unknown && reading.trouble.is_none() {
            return false;
        }
        if !pairs::is_probes(line) {
            self.offer(at, &reading, Source::Line(time, line));
            return true;
        }
        self.flush();
        self.judged.alone(place(self.file, at.line), &reading, &verdict, Source::Line(time, line));
        true
    }

    /// The lines that are open, as one reading.
    pub(super) fn block_of_words(&mut self, at: Position) {
        if self.block.too_long {
            let why = format!("what belongs to this line is longer than {} MiB; the rest is left out", LONGEST >> 20);
            super::Sink::refused(self, Refused { at, why });
        }
        let text = std::mem::take(&mut self.block.text);
        let time = self.block.time.take();
        self.message(at, &text, time.as_deref(), self.text, self.block.lines);
        self.block.text = text;
    }

    /// A message, with the trace that belongs to it; of so many lines. `sure`: it is a reading, whatever it says.
    pub(super) fn message(&mut self, at: Position, text: &str, time: Option<&str>, sure: bool, lines: u64) {
        let mut reading = Reading::from_text(text);
        reading.time = time.map(Cow::Borrowed);
        let reads = self.by_access_log(&mut reading, text);
        pairs::about(&mut reading, text, &mut self.mapping);
        let (verdict, repeated) = verdict::judge_call(&reading);
        let doubt = doubt(text, &verdict);
        let verdict = doubt.as_ref().map_or(verdict, verdict::judge);
        // With `--text` every line is a message of its own; lines that name an intent are held together by that.
        let alone = self.text || reading.intent.is_some();
        let verdict = if alone { verdict } else { self.retries.judge(at.line, verdict, repeated) };
        if sure || (!reads && words_tell(&reading, &verdict)) {
            self.judged.take(place(self.file, at.line), &reading, &verdict, Source::Words(time, text));
        } else {
            self.judged.tally.other(lines);
        }
    }

    /// Takes the status of an access log's line. True for a request that only reads.
    fn by_access_log(&self, reading: &mut Reading, text: &str) -> bool {
        let Some(found) = access(text) else { return false };
        reading.set_status(Status::Code(found.status));
        (reading.own_status, reading.trouble) = (true, None);
        reading.texts.iter_mut().for_each(|text| text.role = Role::Log);
        only_reads(found.method)
    }
}

/// The first line of a block, where it tells of more risk than the trace below it: that may be of another attempt.
fn doubt<'t>(text: &'t str, verdict: &Verdict) -> Option<Reading<'t>> {
    if verdict.advice.effect != Effect::No {
        return None;
    }
    let end = memchr::memchr(b'\n', text.as_bytes())?;
    let head = Reading::from_text(text.get(..end)?);
    let risky = is_risky(&head);
    risky.then_some(head)
}

/// Whether the request may have gone out, by words that are more than a wrapper's.
fn is_risky(reading: &Reading) -> bool {
    let Some(proof) = chain::read(reading).proof else { return false };
    let vague = matches!(proof.says, Says::Hint(_)) || proof.symptom == Symptom::Timeout;
    !vague && verdict::judge(reading).advice.effect == Effect::Maybe
}

/// Puts the words before a record beside it; where they tell of more risk than the record, nothing is certain.
fn beside(reading: &mut Reading, words: &str) {
    let risky = is_risky(&Reading::from_text(words));
    if risky && verdict::judge(reading).advice.effect == Effect::No {
        reading.status = Status::Conflict;
    }
    let branch = reading.branch;
    reading.texts.push(Text { depth: 0, branch, role: Role::Log, text: Cow::Owned(words.to_owned()) });
}
