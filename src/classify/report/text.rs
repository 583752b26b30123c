//! Aligned lines for people. Invariant: nothing foreign is written that a terminal would act on.

use std::io::{self, Write};

use crate::classify::extract::reading::Reading;
use crate::classify::findings::finder::{Evicted, Finding, Kind};
use crate::classify::findings::tally::Tally;
use crate::classify::judge::verdict::{Evidence, Verdict};
use crate::classify::place::placed;
use crate::classify::told;
use crate::console::printable::printable;
use crate::http::retry_after::RetryAfter;

pub fn verdict(
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

pub fn finding(out: &mut impl Write, files: &[String], finding: &Finding) -> io::Result<()> {
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

pub fn summary(out: &mut impl Write, tally: &Tally, evicted: Evicted) -> io::Result<()> {
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
