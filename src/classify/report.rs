//! Verdicts, findings and the summary, in text or in JSON lines. Invariant: a line is written as soon as it is known, so
//! the output needs no more memory than its buffer.

use std::borrow::Cow;
use std::io::{self, Write};

use super::args::Format;
use super::extract::reading::Reading;
use super::findings::finder::{Evicted, Finding, Kind};
use super::findings::tally::Tally;
use super::groups::Groups;
use super::judge::verdict::{Evidence, Verdict};
use super::place::{parts, placed};
use super::told;
use crate::console::printable::printable;
use crate::http::retry_after::RetryAfter;
use crate::terms::outcome::{Advice, Symptom};

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

/// Bytes that are kept back before they are written.
const BUFFER: usize = 64 * 1024;

impl<W: Write> Report<W> {
    pub fn new(out: W, format: Format, brief: bool) -> Report<W> {
        let middles = Symptom::ALL.iter().map(|symptom| middle(*symptom, symptom.advice())).collect();
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

    /// Puts the worst first, or not.
    pub fn worst_first(mut self, wanted: bool) -> Report<W> {
        self.groups = wanted.then(Groups::default);
        self
    }

    /// One reading's verdict.
    pub fn verdict(&mut self, line: u64, reading: &Reading, verdict: &Verdict) -> io::Result<()> {
        match (self.brief, self.format) {
            (true, _) => return Ok(()),
            (false, Format::Text) => text_verdict(&mut self.buffer, &self.files, line, reading, verdict)?,
            (false, Format::Jsonl) => {
                let plain = verdict.advice == verdict.symptom.advice();
                let middle = match plain {
                    true => Cow::Borrowed(self.middles[verdict.symptom as usize].as_str()),
                    false => middle(verdict.symptom, verdict.advice).into(),
                };
                json_verdict(&mut self.buffer, &self.files, &middle, line, reading, verdict);
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
            (false, Format::Text) => text_finding(&mut self.buffer, &self.files, finding)?,
            (false, Format::Jsonl) => json_finding(&mut self.buffer, &self.files, finding)?,
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
            Format::Text => text_summary(&mut self.buffer, tally, evicted)?,
            Format::Jsonl => json_summary(&mut self.buffer, tally, evicted)?,
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

fn text_verdict(
    out: &mut impl Write,
    files: &[String],
    line: u64,
    reading: &Reading,
    verdict: &Verdict,
) -> io::Result<()> {
    let advice = verdict.advice;
    write!(out, "{:>6}  {:<14} ", placed(files, line), printable(reading.intent.as_deref().unwrap_or("-")))?;
    match reading.attempt {
        Some(attempt) => write!(out, "{:<4}", format!("#{attempt}"))?,
        None => write!(out, "{:<4}", "-")?,
    }
    write!(out, " {:<15} {:<8} {:<20}  ", verdict.symptom, advice.effect, advice.action)?;
    match &verdict.evidence {
        Evidence::Status(status) => write!(out, "status {status}")?,
        Evidence::Words(words) => out.write_all(printable(words).as_bytes())?,
        Evidence::Field(field) => out.write_all(printable(field).as_bytes())?,
        Evidence::Nothing => out.write_all(b"-")?,
    }
    if let Some(wait) = reading.retry_after.as_deref().filter(|wait| RetryAfter::parse(wait).is_some()) {
        write!(out, ", retry after {}", printable(wait.trim()))?;
    }
    let evidence = match &verdict.evidence {
        Evidence::Words(words) => words,
        Evidence::Status(_) | Evidence::Field(_) | Evidence::Nothing => "",
    };
    told::write(out, reading, evidence)?;
    out.write_all(b"\n")
}

fn text_finding(out: &mut impl Write, files: &[String], finding: &Finding) -> io::Result<()> {
    let mark = if finding.kind.is_warning() { "warning" } else { "finding" };
    let noun = if finding.kind == Kind::Mismatch { "" } else { "intent " };
    let lines: Vec<String> = finding.lines.iter().map(|line| placed(files, *line)).collect();
    let noun_lines = if lines.len() == 1 { "line" } else { "lines" };
    let about = printable(&finding.about);
    write!(out, "{mark}: {}: {noun}{about}, {noun_lines} {}", finding.kind, lines.join(" and "))?;
    match &finding.detail {
        Some(detail) => writeln!(out, ": {}", printable(detail)),
        None => writeln!(out),
    }
}

fn text_summary(out: &mut impl Write, tally: &Tally, evicted: Evicted) -> io::Result<()> {
    writeln!(out, "readings {}{}", tally.readings(), counts(tally.actions()))?;
    if tally.scenarios() > 0 {
        writeln!(out, "scenarios and checks {}", tally.scenarios())?;
    }
    if tally.unknown() > 0 {
        writeln!(out, "unknown {}: verify these by hand, and tell us their wording", tally.unknown())?;
    }
    if tally.other_lines() > 0 {
        writeln!(out, "other lines {}: they tell of no call", tally.other_lines())?;
    }
    if !tally.names().is_empty() {
        let names: Vec<String> =
            tally.names().iter().map(|(name, used)| format!("{} {used}", printable(name))).collect();
        writeln!(out, "fields used: {}", names.join(", "))?;
    }
    if tally.malformed() > 0 {
        writeln!(out, "malformed {}: named on standard error", tally.malformed())?;
    }
    if evicted.intents + evicted.keys + evicted.receipts > 0 {
        let Evicted { intents, keys, receipts, unresolved } = evicted;
        let gone = format!("{intents} intents ({unresolved} unresolved), {keys} keys and {receipts} receipts");
        writeln!(out, "forgotten {gone}: see --lookback")?;
    }
    let total: u64 = tally.findings().map(|(_, count)| count).sum();
    writeln!(out, "findings {total}{}", counts(tally.findings().map(|(kind, count)| (kind.name(), count))))
}

/// `: name n, name n`, without those that are 0.
fn counts(items: impl Iterator<Item = (&'static str, u64)>) -> String {
    let some: Vec<String> = items.filter(|(_, n)| *n > 0).map(|(name, n)| format!("{name} {n}")).collect();
    if some.is_empty() { String::new() } else { format!(": {}", some.join(", ")) }
}

fn middle(symptom: Symptom, advice: Advice) -> String {
    format!(r#","symptom":"{symptom}","effect":"{}","action":"{}","evidence":"#, advice.effect, advice.action)
}

fn json_verdict(out: &mut Vec<u8>, files: &[String], middle: &str, line: u64, reading: &Reading, verdict: &Verdict) {
    let (file, line) = parts(files, line);
    out.extend_from_slice(b"{\"line\":");
    number(out, line);
    if let Some(file) = file {
        out.extend_from_slice(b",\"file\":");
        quoted(out, file);
    }
    if let Some(intent) = &reading.intent {
        out.extend_from_slice(b",\"intent\":");
        quoted(out, intent);
    }
    if let Some(attempt) = reading.attempt {
        out.extend_from_slice(b",\"attempt\":");
        number(out, attempt);
    }
    out.extend_from_slice(middle.as_bytes());
    evidence(out, &verdict.evidence);
    match reading.retry_after.as_deref().and_then(|wait| RetryAfter::parse(wait).map(|parsed| (wait, parsed))) {
        Some((_, RetryAfter::Delay(delay))) => {
            out.extend_from_slice(b",\"retry_after\":");
            number(out, delay.as_secs());
        }
        Some((date, RetryAfter::Date(_))) => {
            out.extend_from_slice(b",\"retry_after\":");
            quoted(out, date.trim());
        }
        None => {}
    }
    out.extend_from_slice(b"}\n");
}

fn evidence(out: &mut Vec<u8>, evidence: &Evidence) {
    match evidence {
        Evidence::Status(status) => {
            out.extend_from_slice(b"\"status ");
            number(out, u64::from(*status));
            out.push(b'"');
        }
        Evidence::Words(words) => quoted(out, words),
        Evidence::Field(field) => quoted(out, field),
        Evidence::Nothing => out.extend_from_slice(b"null"),
    }
}

fn json_finding(out: &mut Vec<u8>, files: &[String], finding: &Finding) -> io::Result<()> {
    let noun = if finding.kind == Kind::Mismatch { "scenario" } else { "intent" };
    write!(out, "{{\"finding\":\"{}\",\"{noun}\":", finding.kind)?;
    quoted(out, &finding.about);
    let places: Vec<_> = finding.lines.iter().map(|line| parts(files, *line)).collect();
    let lines: Vec<String> = places.iter().map(|(_, line)| line.to_string()).collect();
    write!(out, ",\"lines\":[{}]", lines.join(","))?;
    let named: Vec<&str> = places.iter().filter_map(|(file, _)| *file).collect();
    if !named.is_empty() {
        write!(out, ",\"files\":{}", serde_json::json!(named))?;
    }
    if let Some(detail) = &finding.detail {
        out.extend_from_slice(b",\"detail\":");
        quoted(out, detail);
    }
    out.write_all(b"}\n")
}

fn json_summary(out: &mut Vec<u8>, tally: &Tally, evicted: Evicted) -> io::Result<()> {
    let Evicted { intents, keys, receipts, unresolved } = evicted;
    let (readings, scenarios) = (tally.readings(), tally.scenarios());
    write!(out, "{{\"summary\":{{\"readings\":{readings},\"scenarios\":{scenarios},\"actions\":{{")?;
    members(out, tally.actions())?;
    out.write_all(b"},\"symptoms\":{")?;
    members(out, tally.symptoms())?;
    let (unknown, malformed) = (tally.unknown(), tally.malformed());
    write!(out, "}},\"unknown\":{unknown},\"malformed\":{malformed},\"other_lines\":{}", tally.other_lines())?;
    if !tally.names().is_empty() {
        let names: Vec<String> =
            tally.names().iter().map(|(name, used)| format!("{}:{used}", serde_json::Value::from(&**name))).collect();
        write!(out, ",\"fields\":{{{}}}", names.join(","))?;
    }
    out.write_all(b",\"findings\":{")?;
    members(out, tally.findings().map(|(kind, count)| (kind.name(), count)))?;
    writeln!(
        out,
        "}},\"evicted\":{{\"intents\":{intents},\"keys\":{keys},\"receipts\":{receipts},\"unresolved\":{unresolved}}}}}}}"
    )
}

/// Members of an object, without those that are 0.
fn members(out: &mut impl Write, items: impl Iterator<Item = (&'static str, u64)>) -> io::Result<()> {
    let mut comma = "";
    for (name, count) in items.filter(|(_, count)| *count > 0) {
        write!(out, "{comma}\"{name}\":{count}")?;
        comma = ",";
    }
    Ok(())
}

/// A JSON string (RFC 8259, 7).
fn quoted(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    let mut plain = 0;
    for (at, byte) in text.bytes().enumerate().filter(|(_, byte)| matches!(byte, b'"' | b'\\' | 0..0x20 | 0x7F)) {
        out.extend_from_slice(&text.as_bytes()[plain..at]);
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            _ => out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
        }
        plain = at + 1;
    }
    out.extend_from_slice(&text.as_bytes()[plain..]);
    out.push(b'"');
}

/// Decimal digits, without the formatting machinery: a few of them stand in every line.
fn number(out: &mut Vec<u8>, mut value: u64) {
    let mut digits = [0u8; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            return out.extend_from_slice(&digits[at..]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_decimal() {
        for value in [0, 7, 10, 1_234_567_890, u64::MAX] {
            let mut out = Vec::new();
            number(&mut out, value);
            assert_eq!(String::from_utf8(out).unwrap(), value.to_string());
        }
    }

    #[test]
    fn texts_are_quoted_as_json() {
        for text in ["", "plain é", "a\"b\\c", "\u{0}\n\u{1f}\u{7f}x", "\\"] {
            let mut out = Vec::new();
            quoted(&mut out, text);
            assert_eq!(serde_json::from_slice::<String>(&out).unwrap(), text);
        }
    }
}
