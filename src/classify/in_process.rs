//! Readings judged where they were made, for a command that makes them itself. Invariant: the same extracting, judging and
//! finding as for a log; only the reading of a log's forms is left out, since every line is a reading.

use std::borrow::Cow;
use std::io::{self, Write};

use serde::de::DeserializeSeed;

use super::args::Format;
use super::extract::reading::Reading;
use super::extract::slot::Slot;
use super::findings::finder::{Finding, Findings};
use super::findings::history::Budget;
use super::findings::tally::Tally;
use super::judge::verdict;
use super::report::Report;

/// More intents than this in one run of a command are forgotten, the oldest first.
const LOOKBACK: usize = 100_000;

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
