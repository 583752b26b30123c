//! `idem probe`: the data path from scenarios to a report. Invariant: the exit code follows from verdicts, repeats and
//! baseline, never from what is printed.

use std::io::IsTerminal;
use std::time::Instant;

use anyhow::{Context, bail};
use tokio::task::JoinSet;

use crate::baseline::Baseline;
use crate::cli::probe::{Format, ProbeArgs};
use crate::exit::Exit;
use crate::interrupt;
use crate::ledger_dir::LedgerDir;
use crate::output;
use crate::report::{self, Judged, Report};
use crate::run;
use crate::scenario::SCENARIOS;
use crate::target;
use crate::trial::Setup;
use crate::verdict::Verdict;

/// The command. Errors: a precondition failed.
pub fn command(args: &ProbeArgs) -> anyhow::Result<Exit> {
    if !args.target.target.is_empty() {
        return target::command(args);
    }
    if args.list {
        return list();
    }
    if args.format == Format::Junit {
        bail!("--format junit is for --target; the scenarios have text, table and json");
    }
    let setups = setups(args)?;
    if setups.iter().any(|setup| setup.intents == 0) {
        eprintln!("idem: nothing to probe: no intents");
        return Ok(Exit::ZeroInput);
    }
    let baseline = args.baseline.as_deref().map(Baseline::read).transpose()?;
    if baseline.as_ref().is_some_and(Baseline::is_empty) {
        eprintln!("idem: nothing to compare with: the baseline holds no scenario");
        return Ok(Exit::ZeroInput);
    }
    let ledgers = LedgerDir::open(args.ledger_dir.as_deref())?;
    interrupt::until_signal(probe(args, &setups, &ledgers, baseline.as_ref()))
}

async fn probe(
    args: &ProbeArgs,
    setups: &[Setup],
    ledgers: &LedgerDir,
    baseline: Option<&Baseline>,
) -> anyhow::Result<Exit> {
    let mut report = measure(setups, ledgers).await?;
    let mut exit = report.scenarios.iter().fold(Exit::Ok, |exit, judged| exit.and(judged.verdict.exit()));
    exit = exit.and(repeat(args.repeat, setups, ledgers, &mut report).await?);
    print(args.format, &report)?;
    if let Some(baseline) = baseline {
        exit = exit.and(compare(baseline, &report)?);
    }
    Ok(exit)
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

/// Runs the scenarios side by side and judges each.
async fn measure(setups: &[Setup], ledgers: &LedgerDir) -> anyhow::Result<Report> {
    let since = Instant::now();
    let connections = run::connections();
    let mut under_way = JoinSet::new();
    for (index, &setup) in setups.iter().enumerate() {
        let (path, connections) = (ledgers.ledger(setup.scenario.name), connections.clone());
        under_way.spawn(async move { (index, setup, run::run(setup, &path, connections).await) });
    }
    let mut done = under_way.join_all().await;
    done.sort_by_key(|&(index, ..)| index);
    let judged = done.into_iter().map(|(_, setup, run)| Ok(judge(setup, run.context(setup.scenario.name)?)));
    let scenarios = judged.collect::<anyhow::Result<_>>()?;
    Ok(Report { scenarios, wall: since.elapsed(), repeats: 1 })
}

fn judge(setup: Setup, run: run::Run) -> Judged {
    let measured = run.figures();
    let declared = setup.scenario.declared.figures(setup.intents);
    Judged { setup, declared, measured, verdict: Verdict::of(&declared, &measured), run }
}

/// Runs everything again, and again. A run that reads differently from the first is a finding.
async fn repeat(times: u32, setups: &[Setup], ledgers: &LedgerDir, first: &mut Report) -> anyhow::Result<Exit> {
    let mut exit = Exit::Ok;
    for number in 2..=times {
        if std::io::stderr().is_terminal() {
            eprint!("\rrun {number} of {times}\x1b[K");
        }
        let again = measure(setups, ledgers).await?;
        for (before, now) in first.scenarios.iter().zip(&again.scenarios) {
            if report::json::row(before)? != report::json::row(now)? {
                eprintln!("idem: run {number} of {} reads differently from run 1", now.setup.scenario.name);
                exit = Exit::Finding;
            }
        }
        first.repeats = number;
        first.wall += again.wall;
    }
    if times > 1 && std::io::stderr().is_terminal() {
        eprint!("\r\x1b[K");
    }
    Ok(exit)
}

fn print(format: Format, report: &Report) -> anyhow::Result<()> {
    let to_terminal = std::io::stdout().is_terminal();
    output::results(|out| match format {
        Format::Table => report::table::write(out, &report.scenarios),
        Format::Json | Format::Junit => report::json::write(out, report),
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
    .context("cannot write the report")
}

/// Compares with the baseline and says on standard error what differs.
fn compare(baseline: &Baseline, report: &Report) -> anyhow::Result<Exit> {
    let mut document = Vec::new();
    report::json::write(&mut document, report)?;
    let differences = baseline.differences(&serde_json::from_slice(&document)?);
    for difference in &differences {
        eprintln!("idem: differs from the baseline: {difference}");
    }
    Ok(if differences.is_empty() { Exit::Ok } else { Exit::Finding })
}

fn list() -> anyhow::Result<Exit> {
    output::results(|out| {
        SCENARIOS.iter().try_for_each(|scenario| {
            let beyond = if scenario.of_the_ten { "" } else { " (with --all or by name)" };
            writeln!(out, "{:<26} {}{beyond}", scenario.name, scenario.teaches)
        })
    })?;
    Ok(Exit::Ok)
}
