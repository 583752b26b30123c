//! What a reconciliation found, as text and as JSON. Invariant: `OK` is said only when the figures are clean and every
//! line was read, `MISMATCH` only when no unread line could undo it.

use std::io::{self, Write};

use serde::{Serialize, Serializer};

use super::tally::{Finding, IntentTally, Offender, Totals};
use crate::console::printable::printable;
use crate::terms::exit::Exit;
use crate::terms::named::named_enum;

/// Offenders named in text; the JSON names all.
pub const NAMED: usize = 20;

named_enum! {
    pub enum Conclusion {
        /// Every expected intent was charged once, and nothing else was.
        Ok = "OK",
        Mismatch = "MISMATCH",
        /// Lines that could not be read may hold what is missing, or more than was found.
        Unproven = "UNPROVEN",
    }
}

impl Conclusion {
    pub fn exit(self) -> Exit {
        match self {
            Conclusion::Ok => Exit::Ok,
            Conclusion::Mismatch => Exit::Finding,
            Conclusion::Unproven => Exit::Precondition,
        }
    }
}

/// Lines that count for nothing, or for nothing more.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Unread {
    /// Ledger lines that name no intent.
    pub ledger: u64,
    /// Lines of expected intents that name none.
    pub expected: u64,
    /// Lines that expect an intent again.
    pub repeated: u64,
    /// Ledger lines that `--where` leaves out.
    #[serde(skip_serializing_if = "is_zero")]
    pub passed_over: u64,
    /// Whether an input is broken somewhere, so that nobody knows how much follows.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_cut: bool,
}

impl Unread {
    pub fn is_all_read(&self) -> bool {
        self.ledger + self.expected == 0
    }
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// What the user asked for beside the intents: told only then.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    pub amounts: bool,
    pub window: bool,
    pub filter: bool,
}

pub struct ReconcileReport<'a> {
    pub tally: &'a IntentTally,
    pub totals: Totals,
    pub lines: Unread,
    pub asked: Asked,
}

impl ReconcileReport<'_> {
    pub fn conclusion(&self) -> Conclusion {
        let Totals { duplicates, lost, unexpected, differing, .. } = self.totals;
        // What is missing may stand in a line that could not be read; what was seen twice was seen.
        let is_missing = !self.lines.is_cut && (lost > self.lines.ledger || unexpected > self.lines.expected);
        let proven = duplicates > 0 || differing > 0 || is_missing;
        match (proven, self.totals.is_clean() && self.lines.is_all_read()) {
            (true, _) => Conclusion::Mismatch,
            (false, true) => Conclusion::Ok,
            (false, false) => Conclusion::Unproven,
        }
    }

    pub fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let Totals { committed, expected, distinct, duplicates, lost, unexpected, differing, outside } = self.totals;
        let figures = [
            ("committed", committed, "ledger entries", true),
            ("expected", expected, "intents that should be charged once", true),
            ("distinct", distinct, "intents charged", true),
            ("duplicates", duplicates, "charges beyond the first of an intent", true),
            ("lost", lost, "expected intents without a charge", true),
            ("unexpected", unexpected, "intents charged but not expected", true),
            ("differing", differing, "intents with two amounts", self.asked.amounts),
            ("outside", outside.expected, "intents expected at another time, not charged within it", self.asked.window),
            ("", outside.entries, "ledger entries at another time, of none of these intents", self.asked.window),
            ("left out", self.lines.passed_over, "ledger entries that --where leaves out", self.asked.filter),
        ];
        for (figure, count, what, _) in figures.iter().filter(|(.., is_told)| *is_told) {
            writeln!(out, "{figure:<10} {count:>10}  {what}")?;
        }
        self.offenders(out)?;
        writeln!(out, "{}", self.conclusion())
    }

    fn offenders(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut offenders = self.tally.offenders();
        for offender in offenders.by_ref().take(NAMED) {
            let findings = names(&offender).join("+");
            let amounts = offender.amounts.map(|[one, other]| format!(" amounts={one},{other}")).unwrap_or_default();
            let intent = printable(offender.intent);
            writeln!(out, "{findings:<20} charges={}{amounts} intent={intent}", offender.charges)?;
        }
        match offenders.count() {
            0 => Ok(()),
            more => writeln!(out, "... and {more} more; --format json names all"),
        }
    }

    /// One document on one line, however many offenders there are.
    pub fn json(&self, out: &mut dyn Write) -> io::Result<()> {
        let document = Document {
            tool: "idem",
            version: env!("CARGO_PKG_VERSION"),
            totals: self.totals,
            unread: self.lines,
            conclusion: self.conclusion(),
            offenders: self.tally,
        };
        serde_json::to_writer(&mut *out, &document)?;
        writeln!(out)
    }
}

#[derive(Serialize)]
struct Document<'a> {
    tool: &'static str,
    version: &'static str,
    #[serde(flatten)]
    totals: Totals,
    unread: Unread,
    conclusion: Conclusion,
    #[serde(serialize_with = "every_offender")]
    offenders: &'a IntentTally,
}

#[derive(Serialize)]
struct Entry<'a> {
    findings: Vec<&'static str>,
    #[serde(flatten)]
    offender: Offender<'a>,
}

fn every_offender<S: Serializer>(tally: &&IntentTally, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(tally.offenders().map(|offender| Entry { findings: names(&offender), offender }))
}

fn names(offender: &Offender) -> Vec<&'static str> {
    offender.findings().map(Finding::name).collect()
}
