//! `idem probe --chaos` and `--replay`: the data path from a seed, or a file, to a report. Invariant: the seed is said before
//! anything is sent, and the exit code follows from verdicts alone.

use std::time::{Duration, SystemTime};

use super::args::ChaosArgs;
use super::explore::Explorer;
use super::file::File;
use super::finding::CHAOS;
use super::in_process::InProcess;
use super::means::Means;
use super::replayed::replay;
use super::summary::Summary;
use crate::console::interrupt;
use crate::console::output::say;
use crate::probe::args::ProbeArgs;
use crate::server::policy::Policy;
use crate::target::args::TargetArgs;
use crate::target::command::chosen;
use crate::target::drive::session::Session;
use crate::target::judge::verdict::Verdict;
use crate::target::options::Options;
use crate::target::report;
use crate::target::report::Report;
use crate::target::run::row::Row;
use crate::target::run::schedule::Schedule;
use crate::terms::exit::Exit;

/// How long is explored where the user does not say.
const TIME: Duration = Duration::from_secs(60);

/// The command. Errors: a precondition failed.
pub fn command(probe: &ProbeArgs, target: &TargetArgs, args: &ChaosArgs) -> anyhow::Result<Exit> {
    let saved = args.replay.as_deref().map(File::read).transpose()?;
    let own = match target.is_given() {
        true => None,
        false => Some(InProcess::start(probe.policy.unwrap_or(Policy::KeyAtomic))?),
    };
    let mut options = Options::new(&own.as_ref().map_or_else(|| target.clone(), InProcess::args))?;
    if options.chosen.is_empty() {
        options.chosen.push("baseline".into());
    }
    let checks = chosen(&options)?;
    let seed = args.chaos.flatten().unwrap_or_else(by_clock);
    let time = args.time.unwrap_or(TIME);
    let files = report::files(&probe.report, &options)?;
    announce(&options, seed, time, saved.as_ref());
    let session = Session::new(options);
    let fixed = Schedule::new(checks);
    let mut explorer = Explorer::new(&session, seed, time);
    let mut replayed = Vec::new();
    let ended = interrupt::until_signal(async {
        session.begin().await?;
        fixed.run(&session, &|_| {}).await;
        match &saved {
            _ if fixed.is_stopped() => {}
            Some(file) => replay(&session, &file.findings, &mut replayed).await,
            None => explorer.run(&Means::of(&session.options, time)).await,
        }
        Ok(Exit::Ok)
    })?;
    if let Some(path) = &args.save {
        File::of(seed, &explorer.findings).save(path)?;
    }
    let summary = saved.is_none().then(|| Summary::of(seed, &explorer));
    let mut rows = fixed.into_rows(&session.options.accept);
    rows.extend(replayed);
    rows.extend(explored(explorer, summary.as_ref()));
    let report = Report { exploration: summary, ..Report::new(&session, rows) };
    Ok(report.publish(probe.format, files)?.and(ended))
}

/// A row for each finding, and one of the whole where there is none.
fn explored(mut explorer: Explorer<'_>, summary: Option<&Summary>) -> Vec<Row> {
    let accept = &explorer.session.options.accept;
    let findings = std::mem::take(&mut explorer.findings).into_iter().enumerate();
    let mut rows: Vec<Row> = findings.map(|(n, finding)| finding.into_row(n, accept)).collect();
    if let Some(summary) = summary.filter(|_| explorer.has_begun) {
        rows.extend(overall(&explorer, summary, rows.is_empty()));
    }
    rows
}

/// The row of the whole: an error, or that nothing was found.
fn overall(explorer: &Explorer<'_>, summary: &Summary, is_clean: bool) -> Option<Row> {
    let said = summary.line();
    let (verdict, why) = match (&explorer.failure, explorer.is_proven) {
        (Some(why), _) => (Verdict::Error, format!("{why}; {said}")),
        (None, _) if !is_clean => return None,
        (None, _) if explorer.undecided > 0 => (Verdict::Unproven, format!("{}; {said}", summary.undecided())),
        (None, _) if explorer.played == 0 => (Verdict::Unproven, format!("none was played to its end; {said}")),
        (None, true) => (Verdict::Ok, said),
        (None, false) if explorer.session.options.oracle.is_none() => {
            (Verdict::Unproven, format!("no ledger to show it; {said}"))
        }
        (None, false) => (Verdict::Unproven, format!("no schedule could be judged; {said}")),
    };
    Some(Row { explored: Some(explorer.figures), ..Row::undriven(&CHAOS, verdict, why) })
}

fn announce(options: &Options, seed: u64, time: Duration, saved: Option<&File>) {
    let target = options.targets[0].url(&options.template.path);
    match saved {
        Some(file) => say!("idem: replaying {} schedules of seed {} at {target}", file.findings.len(), file.seed),
        None => say!("idem: --chaos {seed}, for {} s, at {target}", time.as_secs_f64()),
    }
}

fn by_clock() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64 % 1_000_000)
}
