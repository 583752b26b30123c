//! `idem probe --target`: does MY endpoint charge twice? The data path from options to a report. Invariant: the exit
//! code follows from verdicts alone, and the plan is shown before anything is sent.

use anyhow::{anyhow, bail};

use super::args::TargetArgs;
use super::checks::{CHECKS, Check};
use super::drive::session::Session;
use super::options::Options;
use super::report;
use super::report::Report;
use super::run::plan;
use super::run::progress::CheckProgress;
use super::run::schedule::Schedule;
use crate::console::interrupt;
use crate::console::output;
use crate::console::progress::beside;
use crate::probe::args::ProbeArgs;
use crate::probe::baseline::Baseline;
use crate::terms::exit::Exit;
use crate::terms::named::by_name;

/// The command. Errors: a precondition failed.
pub fn command(probe: &ProbeArgs, args: &TargetArgs) -> anyhow::Result<Exit> {
    if probe.list {
        return Ok(list());
    }
    let baseline = match Baseline::asked_for(probe.baseline.as_deref())? {
        Ok(baseline) => baseline,
        Err(nothing) => return Ok(nothing),
    };
    let options = Options::new(args)?;
    let checks = chosen(&options)?;
    if args.plan {
        return plan::print(&options, &checks);
    }
    let files = report::files(&probe.report, &options)?;
    plan::announce(&options, &checks);
    let session = Session::new(options);
    let schedule = Schedule::new(checks);
    let progress = CheckProgress::new(&session, &schedule.checks);
    let ended = interrupt::until_signal(async {
        session.begin().await?;
        beside(schedule.run(&session, &|row| progress.add(row)), || progress.line()).await;
        Ok(Exit::Ok)
    })?;
    let report = Report::new(&session, schedule.into_rows(&session.options.accept));
    let exit = report.publish(probe.format, files)?.and(ended);
    Ok(match baseline {
        Some(baseline) => exit.and(baseline.compare(&serde_json::to_value(report.document())?)),
        None => exit,
    })
}

/// The checks that were named, in declared order; all where none was. The baseline is always among them, since all else
/// rests on it.
pub fn chosen(options: &Options) -> anyhow::Result<Vec<&'static Check>> {
    for name in &options.chosen {
        by_name(name, CHECKS.iter(), |check| check.name).map_err(|why| anyhow!("--check {name}: {why}"))?;
    }
    let unfit = |name: &String| CHECKS.iter().find(|check| check.name == name)?.unfit(options);
    if let Some((name, why)) = options.chosen.iter().find_map(|name| Some((name, unfit(name)?))) {
        bail!("--check {name}: {why}");
    }
    let named = |check: &&Check| options.chosen.iter().any(|name| name == check.name) || check.name == "baseline";
    let fit = CHECKS.iter().filter(|check| check.unfit(options).is_none());
    Ok(fit.filter(|check| options.chosen.is_empty() || named(check)).collect())
}

/// Lists the checks: how each is provoked, what a finding means, the usual cure.
fn list() -> Exit {
    output::report(Exit::Ok, |out| {
        CHECKS.iter().try_for_each(|check| {
            writeln!(out, "{:<20} {}", check.name, check.provokes)?;
            writeln!(out, "{:<20} a finding means: {}", "", check.means)?;
            writeln!(out, "{:<20} the usual cure: {}", "", check.cure)
        })
    })
}
