//! Readings judged where they were made, for a command that makes them itself. Invariant: the same extracting, judging and
//! finding as for a log; only the reading of a log's forms is left out, since every line is a reading.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use anyhow::Context;
use serde::de::DeserializeSeed;
use serde_json::Value;

use super::args::{ClassifyArgs, Format};
use super::command::classify;
use super::extract::reading::Reading;
use super::extract::slot::Slot;
use super::findings::finder::{Finding, Findings};
use super::findings::history::Budget;
use super::findings::tally::Tally;
use super::judge::verdict;
use super::report::Report;
use super::session::Session;

/// More intents than this in one run of a command are forgotten, the oldest first.
const LOOKBACK: usize = 100_000;

/// What a client's log shows of its retries.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Logged {
    /// Attempts with a number above 1.
    pub retries: u64,
    /// Kinds of finding and the intents they are about.
    pub findings: Vec<(String, String)>,
}

/// Reads a log as `idem classify` does.
///
/// # Errors
/// The log cannot be opened or read.
pub fn read_log(path: &Path) -> anyhow::Result<Logged> {
    let name = || format!("cannot read {}", path.display());
    let log = File::open(path).with_context(name)?;
    let mut lines = Vec::new();
    let mut session = Session::new(&mut lines, &ClassifyArgs::of_machine(), &[path.to_owned()]);
    session.begin(path);
    classify(log, false, &mut session).with_context(name)?;
    let (_, written) = session.finish();
    written?;
    let mut logged = Logged::default();
    for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let line: Value = serde_json::from_slice(line)?;
        let text = |name: &str| line[name].as_str().unwrap_or_default().to_owned();
        logged.retries += u64::from(line["attempt"].as_u64().is_some_and(|number| number > 1));
        if line.get("finding").is_some() {
            logged.findings.push((text("finding"), text("intent")));
        }
    }
    Ok(logged)
}

/// What the readings come to.
#[derive(Default)]
pub struct Judged {
    pub findings: Vec<Finding<'static>>,
    pub tally: Tally,
    /// What `idem classify` prints of them.
    pub text: Vec<u8>,
}

/// Judges readings, one JSON object each; their lines are counted from 1.
///
/// # Errors
/// A reading is not one, which is a fault of whoever made it.
pub fn judge(readings: &[Vec<u8>], budget: Budget) -> io::Result<Judged> {
    let (mut findings, mut judged) = (Findings::new(LOOKBACK, budget), Judged::default());
    let mut report = Report::new(Vec::new(), Format::Text, false);
    let mut told = Vec::new();
    for (line, bytes) in (1..).zip(readings) {
        let mut reading = Reading::default();
        Slot::whole(&mut reading).deserialize(&mut serde_json::Deserializer::from_slice(bytes))?;
        let verdict = verdict::judge(&reading);
        judged.tally.verdict(&verdict);
        report.verdict(line, &reading, &verdict)?;
        findings.observe(line, &reading, &verdict, |finding| told.push(owned(finding)));
        report_new(&mut report, &mut judged, &mut told)?;
    }
    findings.finish(|finding| told.push(owned(finding)));
    report_new(&mut report, &mut judged, &mut told)?;
    report.summary(&judged.tally, findings.evicted)?;
    judged.text = report.into_out();
    Ok(judged)
}

fn report_new(
    report: &mut Report<impl Write>,
    judged: &mut Judged,
    told: &mut Vec<Finding<'static>>,
) -> io::Result<()> {
    for finding in told.drain(..) {
        judged.tally.finding(finding.kind);
        report.finding(&finding)?;
        judged.findings.push(finding);
    }
    Ok(())
}

fn owned(finding: Finding) -> Finding<'static> {
    let Finding { kind, about, lines, detail } = finding;
    Finding { kind, about: Cow::Owned(about.into_owned()), lines, detail }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_log_is_read_for_the_numbers_of_its_attempts() {
        let mut log = tempfile::NamedTempFile::new().unwrap();
        let line = |number: u32| format!("{{\"intent\":\"a\",\"key\":\"k\",\"attempt\":{number},\"status\":503}}\n");
        log.write_all((line(1) + "some words\n" + &line(2) + &line(4)).as_bytes()).unwrap();
        let gaps = vec![("attempt-gap".to_owned(), "a".to_owned()), ("unresolved".to_owned(), "a".to_owned())];
        assert_eq!(read_log(log.path()).unwrap(), Logged { retries: 2, findings: gaps });
        let missing = read_log(Path::new("/nowhere/log")).unwrap_err();
        assert!(missing.to_string().contains("cannot read /nowhere/log"), "{missing}");
    }

    #[test]
    fn the_text_is_what_classify_prints() {
        let judged = judge(
            &[br#"{"intent":"a","status":503}"#.to_vec(), br#"{"intent":"a","status":200}"#.to_vec()],
            Budget { attempts: Some(1), span: None },
        )
        .unwrap();
        let text = String::from_utf8(judged.text).unwrap();
        assert!(text.contains("finding: no-key: intent a, lines 1 and 2\n") && text.ends_with("budget 1\n"), "{text}");
        assert_eq!(judged.findings.len(), 2);
        assert!(judge(&[b"{".to_vec()], Budget::default()).is_err());
    }
}
