//! `idem probe`: the data path from scenarios to a report. Invariant: the exit code follows from verdicts, repeats and
//! baseline, never from what is printed.

use std::io::IsTerminal;
use std::sync::Arc;
use std::time::Instant;

use anyhow::bail;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::args::{Format, ProbeArgs};
use super::baseline::Baseline;
use super::ledger_dir::LedgerDir;
use super::report;
use super::report::{Judged, ProbeReport};
use super::run;
use super::runner::{Setup, Shared};
use super::scenario::SCENARIOS;
use super::verdict::RowVerdict;
use crate::console::interrupt;
use crate::console::output;
use crate::console::output::say;
use crate::console::progress::Progress;
use crate::console::report_files::ReportFiles;
use crate::terms::exit::Exit;

/// Attempts at one moment, over all scenarios: two descriptors each, and 256 is all that some systems give a process.
const CONNECTIONS: usize = 48;

/// The command: the scenarios against the in-process server. Errors: a precondition failed.
pub fn command(args: &ProbeArgs) -> anyhow::Result<Exit> {
    if args.list {
        return Ok(list());
    }
    let baseline = match Baseline::asked_for(args.baseline.as_deref())? {
        Ok(baseline) => baseline,
        Err(nothing) => return Ok(nothing),
    };
    let setups = setups(args)?;
    if setups.iter().any(|setup| setup.intents == 0) {
        say!("idem: nothing to probe: no intents");
        return Ok(Exit::ZeroInput);
    }
    let files = ReportFiles::open(&args.report, report::FORMATS)?;
    let measured = interrupt::unless_interrupted(async {
        let ledgers = LedgerDir::open(args.ledger_dir.as_deref())?;
        measure_all(args.repeat, &setups, &ledgers).await
    })?;
    let Some((report, exit)) = measured else { return Ok(Exit::Interrupted) };
    let exit = report.scenarios.iter().fold(exit, |exit, judged| exit.and(judged.verdict.exit()));
    let exit = print(args.format, &report, exit).and(files.write(&report));
    report::tell_github(&report);
    Ok(match baseline {
        Some(baseline) => exit.and(compare(&baseline, &report)?),
        None => exit,
    })
}

/// What to run, in declared order.
fn setups(args: &ProbeArgs) -> anyhow::Result<Vec<Setup>> {
    let chosen = SCENARIOS.iter().filter(|scenario| match args.scenario.as_slice() {
        [] => args.all || scenario.of_the_ten,
        names => names.iter().any(|named| named.name == scenario.name),
    });
    let setups: Vec<_> = chosen
        .map(|scenario| {
            let size = if scenario.is_race() { args.rounds } else { args.intents };
            let policy = args.policy.unwrap_or(scenario.policy);
            Setup { scenario, policy, intents: size.unwrap_or(scenario.intents) }
        })
        .collect();
    let races = setups.iter().filter(|setup| setup.scenario.is_race()).count();
    if args.rounds.is_some() && races == 0 {
        bail!("--rounds changes nothing: none of the chosen scenarios is a race; use --intents");
    }
    if args.intents.is_some() && races == setups.len() {
        bail!("--intents changes nothing: all chosen scenarios are races; use --rounds");
    }
    Ok(setups)
}

/// Runs everything as often as asked. The report is the first run's; a later one that reads differently is a finding,
/// and a scenario that could not be run is named and leaves the others standing.
async fn measure_all(times: u32, setups: &[Setup], ledgers: &LedgerDir) -> anyhow::Result<(ProbeReport, Exit)> {
    let (mut report, mut exit) = measure(setups, ledgers).await;
    for number in 2..=times {
        let (again, failed) = measure(setups, ledgers).await;
        exit = exit.and(failed);
        for now in &again.scenarios {
            let before = report.scenarios.iter().find(|before| before.setup.scenario.name == now.setup.scenario.name);
            if before.map(report::json::row).transpose()? != Some(report::json::row(now)?) {
                say!("idem: run {number} of {} reads differently from run 1", now.setup.scenario.name);
                exit = exit.and(Exit::Finding);
            }
        }
        report.repeats = number;
        report.wall += again.wall;
    }
    Ok((report, exit))
}

/// Runs the scenarios side by side and judges each.
async fn measure(setups: &[Setup], ledgers: &LedgerDir) -> (ProbeReport, Exit) {
    let since = Instant::now();
    let intents = setups.iter().map(|setup| u64::from(setup.intents)).sum();
    let shared =
        Shared { connections: Arc::new(Semaphore::new(CONNECTIONS)), progress: Arc::new(Progress::new(intents)) };
    let mut under_way = JoinSet::new();
    for (index, &setup) in setups.iter().enumerate() {
        let (path, shared) = (ledgers.ledger(setup.scenario.name), shared.clone());
        under_way.spawn(async move { (index, setup, run::run(setup, &path, shared).await) });
    }
    let mut done = under_way.join_all().await;
    done.sort_by_key(|&(index, ..)| index);
    let mut exit = Exit::Ok;
    let (mut scenarios, mut failed) = (Vec::with_capacity(done.len()), Vec::new());
    for (_, setup, run) in done {
        match run {
            Ok(run) => scenarios.push(judge(setup, run)),
            Err(error) => {
                say!("idem: error: {}: {error:#}", setup.scenario.name);
                exit = Exit::Precondition;
                failed.push((setup.scenario.name, format!("{error:#}")));
            }
        }
    }
    (ProbeReport { scenarios, failed, wall: since.elapsed(), repeats: 1 }, exit)
}

fn judge(setup: Setup, run: run::Run) -> Judged {
    let measured = run.figures();
    let declared = setup.scenario.declared.figures(setup.intents);
    Judged { setup, declared, measured, verdict: RowVerdict::of(&declared, &measured), run }
}

fn print(format: Format, report: &ProbeReport, exit: Exit) -> Exit {
    let to_terminal = std::io::stdout().is_terminal();
    output::report(exit, |out| match format {
        Format::Table => report::table::write(out, &report.scenarios),
        Format::Json => report::json::write(out, report),
        Format::Junit => report::junit::write(out, report),
        Format::Text => {
            report::text::write(out, &report.scenarios)?;
            report::table::write(out, &report.scenarios)?;
            writeln!(out, "wall={:.3}s", report.wall.as_secs_f64())?;
            if to_terminal {
                writeln!(out, "the JSON detail: idem probe --format json")
            } else {
                report::json::write(out, report)
            }
        }
    })
}

fn compare(baseline: &Baseline, report: &ProbeReport) -> anyhow::Result<Exit> {
    let mut document = Vec::new();
    report::json::write(&mut document, report)?;
    Ok(baseline.compare(&serde_json::from_slice(&document)?))
}

fn list() -> Exit {
    output::report(Exit::Ok, |out| {
        SCENARIOS.iter().try_for_each(|scenario| {
            let beyond = if scenario.of_the_ten { "" } else { " (with --all or by name)" };
            writeln!(out, "{:<26} {}{beyond}", scenario.name, scenario.teaches)
        })
    })
}
