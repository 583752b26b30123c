//! The text report: the findings with their time lines, the table, the profile. Invariant: the table's columns are
//! those of the ten scenarios, and what others wrote (evidence, replies, receipts, headers) is made printable.

use std::io::{self, Write};

use super::Report;
use super::timeline::steps;
use super::transport::Transport;
use crate::console::printable::printable;
use crate::probe::report::table::figures;
use crate::target::chaos::summary::Summary;
use crate::target::facts::case::Case;
use crate::target::judge::verdict::Verdict;
use crate::target::run::row::Row;

const RULE: &str = "----------------------------------------------------------------------------------";

/// Columns of a check's name, where none is longer.
const NAME: usize = 19;

pub fn write(out: &mut dyn Write, report: &Report) -> io::Result<()> {
    for row in &report.rows {
        if let Some(case) = row.shown() {
            finding(out, report, row, case)?;
        }
    }
    table(out, report)?;
    for (name, said) in report.profile.lines() {
        writeln!(out, "profile: {name}: {}", printable(&said))?;
    }
    if let Some(transport) = Transport::of(&report.options.targets) {
        writeln!(out, "transport: {}", printable(&transport.to_string()))?;
    }
    writeln!(out, "latency={:.1}ms requests={}", report.latency.as_secs_f64() * 1e3, report.requests)?;
    writeln!(out, "wall={:.3}s", report.wall.as_secs_f64())
}

pub fn table(out: &mut dyn Write, report: &Report) -> io::Result<()> {
    let width = report.rows.iter().map(|row| row.check.name.len()).max().unwrap_or_default().max(NAME);
    writeln!(out, "{:<width$}  req  charg  uniq   dup  lost  verdict", "check")?;
    writeln!(out, "{RULE}")?;
    for row in &report.rows {
        write!(out, "{:<width$}", row.check.name)?;
        figures(out, &row.figures())?;
        match row.verdict {
            Verdict::Ok if row.remarks().is_empty() => writeln!(out, "  OK")?,
            Verdict::Ok => writeln!(out, "  OK: {}", printable(&row.remarks().join("; ")))?,
            Verdict::Unsafe if row.accepted => {
                writeln!(out, "  {} (exit 2 with --strict): {}", row.verdict, printable(&row.evidence))?;
            }
            verdict if row.accepted => writeln!(out, "  {verdict} (accepted): {}", printable(&row.evidence))?,
            verdict => writeln!(out, "  {verdict}: {}", printable(&row.evidence))?,
        }
    }
    writeln!(out, "{RULE}")?;
    if let Some(tool) = report.tool() {
        writeln!(out, "{}", printable(&tool.to_string()))?;
    }
    report.exploration.iter().flat_map(Summary::lines).try_for_each(|line| writeln!(out, "{line}"))
}

fn finding(out: &mut dyn Write, report: &Report, row: &Row, case: &Case) -> io::Result<()> {
    writeln!(out, "{} {}: {}", row.check.name, row.verdict, printable(&row.evidence))?;
    writeln!(out, "  provoked: {}", row.check.provokes)?;
    if row.verdict.is_finding() {
        writeln!(out, "  means: {}", row.check.means)?;
        writeln!(out, "  usual cure: {}", row.check.cure)?;
    }
    if let Some(schedule) = &row.schedule {
        writeln!(out, "  steps:")?;
        schedule.words().iter().try_for_each(|step| writeln!(out, "    {}", printable(step)))?;
    }
    writeln!(out, "  time line ({}):", printable(&case.label))?;
    steps(case).iter().try_for_each(|step| writeln!(out, "    {}", printable(&step.line())))?;
    for (n, receipt) in case.receipts().iter().enumerate() {
        writeln!(out, "  r{} = {}", n + 1, printable(receipt))?;
    }
    writeln!(out, "  by hand{}:", report.lacking())?;
    let to = &report.options.targets[0];
    for line in report.options.template.curls(&case.calls, to) {
        writeln!(out, "    {}", printable(&line))?;
    }
    writeln!(out)
}
