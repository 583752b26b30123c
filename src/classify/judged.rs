//! What is done with each reading: judged, counted, written, held against the others of its intent. Invariant: every
//! reading is counted once, as a verdict or as a line that tells of no call.

use std::borrow::Cow;
use std::io::{self, Write};

use super::extract::reading::Reading;
use super::findings::document::Document;
use super::findings::finder::{Finding, Findings, Kind};
use super::findings::tally::Tally;
use super::judge::verdict::{self, Verdict};
use super::partition::{self, Source};
use super::report::Report;

/// Where all readings end.
pub struct Judged<W> {
    pub report: Report<W>,
    pub findings: Findings,
    pub tally: Tally,
    /// Only the key of each reading is wanted, with the reading.
    pub partition: bool,
    /// The first failure to write; nothing is written after it.
    pub written: io::Result<()>,
}

impl<W: Write> Judged<W> {
    /// Takes a verdict on the reading that stands at this place.
    pub fn take(&mut self, place: u64, reading: &Reading, verdict: &Verdict, source: Source) {
        self.alone(place, reading, verdict, source);
        let Judged { findings, tally, report, written, partition, .. } = self;
        if !*partition {
            findings.observe(place, reading, verdict, |finding| tell(tally, report, written, &finding));
        }
    }

    /// The same for a reading whose intent is not compared with others'.
    pub fn alone(&mut self, place: u64, reading: &Reading, verdict: &Verdict, source: Source) {
        self.tally.verdict(verdict);
        let partition = self.partition;
        self.write(|report| match partition {
            true => {
                let (intent, key) = (reading.intent.as_deref(), reading.key.as_deref());
                report.line(|out| partition::line(out, intent, key, source))
            }
            false => report.verdict(place, reading, verdict),
        });
    }

    /// A document of scenarios or checks, with what is wrong in it.
    ///
    /// # Errors
    /// A scenario has nothing to be judged by; then nothing was taken.
    pub fn document(&mut self, place: u64, document: &Document, json: &[u8]) -> Result<(), String> {
        let mismatches = document.mismatches()?;
        self.tally.judged(document.len());
        if self.partition {
            self.write(|report| report.line(|out| partition::line(out, None, None, Source::Json(json))));
            return Ok(());
        }
        for attempt in document.attempts() {
            self.alone(place, attempt, &verdict::judge(attempt), Source::Json(json));
        }
        let Judged { tally, report, written, .. } = self;
        for mismatch in mismatches {
            let (about, detail) = (Cow::Owned(mismatch.about), Some(mismatch.detail));
            tell(tally, report, written, &Finding { kind: Kind::Mismatch, about, lines: vec![place], detail });
        }
        Ok(())
    }

    /// Tells what is left open, and the summary.
    pub fn finish(&mut self) {
        if self.partition {
            return self.write(Report::end);
        }
        let Judged { findings, tally, report, written, .. } = self;
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
