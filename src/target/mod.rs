//! `idem probe --target`: does MY endpoint charge twice? The data path from options to a report. Invariant: the exit code
//! follows from verdicts alone, and the plan is shown before anything is sent.

mod answer;
mod body;
mod case;
mod checks;
mod faulty;
mod fence;
mod invariants;
mod join;
mod options;
mod oracle;
mod plan;
mod profile;
mod report;
mod row;
mod run;
mod secrets;
mod session;
mod shell;
mod template;
mod timeline;
mod verdict;

use std::io::{IsTerminal, Write};
use std::path::Path;

use anyhow::{Context, bail};

use crate::baseline::Baseline;
use crate::cli::probe::ProbeArgs;
use crate::exit::Exit;
use crate::interrupt;
use crate::output::{self, say};
use checks::{CHECKS, Check};
use options::Options;
use report::Report;
use run::Board;
use session::Session;

/// The command. Errors: a precondition failed.
pub fn command(args: &ProbeArgs) -> anyhow::Result<Exit> {
    if args.list {
        return list();
    }
    let options = Options::new(&args.target)?;
    let checks = chosen(&options)?;
    if args.target.plan {
        return plan::print(&options, &checks);
    }
    let baseline = args.baseline.as_deref().map(|path: &Path| Baseline::read(path)).transpose()?;
    plan::announce(&options, &checks);
    let session = Session::new(options);
    let board = Board::new(checks);
    let ended = interrupt::until_signal(async {
        board.run(&session, &progress(&board)).await;
        Ok(Exit::Ok)
    })?;
    let report = Report::new(&session, board.into_rows());
    report.print(args.format)?;
    let compared = baseline.map(|baseline| report.compare(&baseline)).transpose()?;
    Ok(report.exit().and(ended).and(compared.unwrap_or(Exit::Ok)))
}

/// The checks that were named, in declared order; all where none was. The baseline is always among them, since all else rests
/// on it.
fn chosen(options: &Options) -> anyhow::Result<Vec<&'static Check>> {
    if let Some(unknown) = options.chosen.iter().find(|name| !CHECKS.iter().any(|check| check.name == **name)) {
        let names: Vec<_> = CHECKS.iter().map(|check| check.name).collect();
        bail!("--check {unknown}: no such check; there are {}", names.join(", "));
    }
    let named = |check: &&Check| options.chosen.iter().any(|name| name == check.name) || check.name == "baseline";
    Ok(CHECKS.iter().filter(|check| options.chosen.is_empty() || named(check)).collect())
}

/// Says on a terminal what is done.
fn progress(board: &Board) -> impl Fn(&row::Row, usize) {
    let (to_terminal, all) = (std::io::stderr().is_terminal(), board.checks.len());
    move |row, finished| {
        if to_terminal {
            let end = if finished == all { "\r\x1b[K" } else { "" };
            // Nobody sees it: then nobody misses it.
            let _ = write!(std::io::stderr(), "\r{finished} of {all}: {} {}\x1b[K{end}", row.check.name, row.verdict);
        }
    }
}

/// Lists the checks: how each is provoked, what a finding means, the usual cure.
fn list() -> anyhow::Result<Exit> {
    output::results(|out| {
        CHECKS.iter().try_for_each(|check| {
            writeln!(out, "{:<20} {}", check.name, check.provokes)?;
            writeln!(out, "{:<20} a finding means: {}", "", check.means)?;
            writeln!(out, "{:<20} the usual cure: {}", "", check.cure)
        })
    })?;
    Ok(Exit::Ok)
}

impl Report {
    /// Says on standard error what differs from an earlier run's verdicts.
    fn compare(&self, baseline: &Baseline) -> anyhow::Result<Exit> {
        let document = serde_json::to_value(self.document()).context("cannot make the document")?;
        let differences = baseline.differences(&document);
        differences.iter().for_each(|difference| say!("idem: differs from the baseline: {difference}"));
        Ok(if differences.is_empty() { Exit::Ok } else { Exit::Finding })
    }
}
