//! What the runs of a command showed, for people. Invariant: nothing foreign is written that a terminal would act on.

use std::io::{self, Write};

use super::audit::Audit;
use super::calls::calls;
use super::charges::Charges;
use super::outcome::Outcome;
use crate::classify::report::finding_text;
use crate::console::printable::printable;
use crate::terms::points::POINTS;

/// The command's output may have ended within a line.
fn begin(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out)
}

/// One run in full: as `idem classify` prints its readings, then what the ledger says.
pub fn one(out: &mut dyn Write, outcome: &Outcome) -> io::Result<()> {
    begin(out)?;
    out.write_all(&outcome.judged.text)?;
    calls(&outcome.intents()).iter().try_for_each(|line| writeln!(out, "{line}"))?;
    let Some(charges) = &outcome.charges else { return Ok(()) };
    let intents = outcome.intents().len();
    let totals = charges.totals;
    writeln!(
        out,
        "ledger: intents {intents}, attempts {}, charges {}, duplicates {}, lost {}",
        outcome.attempts(),
        totals.committed,
        totals.duplicates,
        totals.lost
    )?;
    verdicts(out, charges, "")
}

/// All runs in a table, then what was found in each.
pub fn all(out: &mut dyn Write, rows: &[Outcome]) -> io::Result<()> {
    begin(out)?;
    table(out, rows)?;
    for outcome in rows {
        let before = format!("{}: ", outcome.label);
        for finding in &outcome.judged.findings {
            out.write_all(before.as_bytes())?;
            finding_text(&mut *out, finding)?;
        }
        calls(&outcome.intents()).iter().try_for_each(|line| writeln!(out, "{before}{line}"))?;
        if let Some(charges) = &outcome.charges {
            verdicts(out, charges, &before)?;
        }
    }
    Ok(())
}

/// All runs in a table, then how the client stands to each point.
pub fn audit(out: &mut dyn Write, audit: &Audit) -> io::Result<()> {
    begin(out)?;
    table(out, audit.runs())?;
    writeln!(out)?;
    audit.points().iter().try_for_each(|point| {
        let asks = POINTS[point.number - 1].asks;
        writeln!(out, "{:>2}. {:<9}  {asks}", point.number, point.standing)?;
        writeln!(out, "    {:<9}  {}", "", point.why)
    })
}

fn table<'o>(out: &mut dyn Write, rows: impl IntoIterator<Item = &'o Outcome>) -> io::Result<()> {
    writeln!(
        out,
        "{:<16} {:>4} {:>7} {:>8} {:>7} {:>4} {:>4}  findings",
        "fault", "exit", "intents", "attempts", "charges", "dup", "lost"
    )?;
    for outcome in rows {
        let figure = |of: fn(&Charges) -> u64| outcome.charges.as_ref().map_or("-".to_owned(), |c| of(c).to_string());
        writeln!(
            out,
            "{:<16} {:>4} {:>7} {:>8} {:>7} {:>4} {:>4}  {}",
            outcome.label,
            outcome.code(),
            outcome.intents().len(),
            outcome.attempts(),
            figure(|charges| charges.totals.committed),
            figure(|charges| charges.totals.duplicates),
            figure(|charges| charges.totals.lost),
            found(outcome),
        )?;
    }
    Ok(())
}

/// Verdicts of the ledger and kinds of finding, the verdicts first.
fn found(outcome: &Outcome) -> String {
    if !outcome.is_hit() {
        return "not hit: proves nothing".to_owned();
    }
    let totals = outcome.charges.as_ref().map(|charges| charges.totals).unwrap_or_default();
    let mut names: Vec<&str> = Vec::new();
    names.extend((totals.duplicates > 0).then_some("DUPLICATE"));
    names.extend((totals.lost > 0).then_some("LOST"));
    names.extend(outcome.judged.tally.findings().filter(|(_, count)| *count > 0).map(|(kind, _)| kind.name()));
    if outcome.charges.as_ref().is_some_and(|charges| !charges.doubts.is_empty()) {
        names.push("UNPROVEN");
    }
    if names.is_empty() { "-".to_owned() } else { names.join(" ") }
}

fn verdicts(out: &mut dyn Write, charges: &Charges, before: &str) -> io::Result<()> {
    for verdict in &charges.verdicts {
        let name = verdict.finding.name().to_uppercase();
        let (intent, attempts, charges) = (printable(&verdict.intent), verdict.attempts, verdict.charges);
        writeln!(out, "{before}{name}: intent {intent}: attempts {attempts}, charges {charges}; {}", verdict.why)?;
    }
    charges.doubts.iter().try_for_each(|doubt| writeln!(out, "{before}UNPROVEN: {}", printable(doubt)))
}
