//! JSON lines for the next program in the pipe. Invariant: one object a line, escaped by JSON's own rules.

use std::io::{self, Write};

use serde::Serialize;

use crate::classify::extract::reading::Reading;
use crate::classify::findings::finder::{Evicted, Finding, Kind};
use crate::classify::findings::tally::Tally;
use crate::classify::judge::verdict::{Evidence, Verdict};
use crate::classify::place::parts;
use crate::http::retry_after::RetryAfter;
use crate::terms::outcome::{Advice, Symptom};

/// `,"symptom":...,"evidence":`, the part that is the same for a symptom with this advice.
pub fn middle(symptom: Symptom, advice: Advice) -> String {
    format!(r#","symptom":"{symptom}","effect":"{}","action":"{}","evidence":"#, advice.effect, advice.action)
}

pub fn verdict(out: &mut Vec<u8>, files: &[String], middle: &str, line: u64, reading: &Reading, verdict: &Verdict) {
    let (file, line) = parts(files, line);
    out.extend_from_slice(b"{\"line\":");
    value(out, &line);
    if let Some(file) = file {
        out.extend_from_slice(b",\"file\":");
        value(out, file);
    }
    if let Some(intent) = &reading.intent {
        out.extend_from_slice(b",\"intent\":");
        value(out, &**intent);
    }
    if let Some(attempt) = reading.attempt {
        out.extend_from_slice(b",\"attempt\":");
        value(out, &attempt);
    }
    out.extend_from_slice(middle.as_bytes());
    evidence(out, &verdict.evidence);
    match reading.retry_after.as_deref().and_then(|wait| RetryAfter::parse(wait).map(|parsed| (wait, parsed))) {
        Some((_, RetryAfter::Delay(delay))) => {
            out.extend_from_slice(b",\"retry_after\":");
            value(out, &delay.as_secs());
        }
        Some((date, RetryAfter::Date(_))) => {
            out.extend_from_slice(b",\"retry_after\":");
            value(out, date.trim());
        }
        None => {}
    }
    out.extend_from_slice(b"}\n");
}

fn evidence(out: &mut Vec<u8>, evidence: &Evidence) {
    match evidence {
        Evidence::Status(status) => {
            out.extend_from_slice(b"\"status ");
            value(out, &u64::from(*status));
            out.push(b'"');
        }
        Evidence::Words(words) => value(out, &**words),
        Evidence::Field(field) => value(out, field),
        Evidence::Nothing => out.extend_from_slice(b"null"),
    }
}

pub fn finding(out: &mut Vec<u8>, files: &[String], finding: &Finding) -> io::Result<()> {
    let noun = if finding.kind == Kind::Mismatch { "scenario" } else { "intent" };
    write!(out, "{{\"finding\":\"{}\",\"{noun}\":", finding.kind)?;
    value(out, &*finding.about);
    let places: Vec<_> = finding.lines.iter().map(|line| parts(files, *line)).collect();
    let lines: Vec<String> = places.iter().map(|(_, line)| line.to_string()).collect();
    write!(out, ",\"lines\":[{}]", lines.join(","))?;
    let named: Vec<&str> = places.iter().filter_map(|(file, _)| *file).collect();
    if !named.is_empty() {
        write!(out, ",\"files\":{}", serde_json::json!(named))?;
    }
    if let Some(detail) = &finding.detail {
        out.extend_from_slice(b",\"detail\":");
        value(out, detail);
    }
    out.write_all(b"}\n")
}

pub fn summary(out: &mut Vec<u8>, tally: &Tally, evicted: Evicted) -> io::Result<()> {
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

/// A text or a number as JSON.
fn value<T: Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) {
    serde_json::to_writer(out, value).expect("texts and numbers have a JSON form, and a buffer takes it");
}
