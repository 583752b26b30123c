//! The command: which runs, and what becomes of them. Invariant: exit 2 is a finding's; without one it is the command's own
//! code, of the run without a fault where there are several.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use anyhow::{Context, bail, ensure};

use super::audit::{Audit, Standing};
use super::outcome::Outcome;
use super::report;
use super::trial::{Bench, Bound};
use crate::classify::findings::history::Budget;
use crate::classify::in_process::read_log;
use crate::console::interrupt;
use crate::console::output;
use crate::console::output::say;
use crate::http::address::Address;
use crate::http::url::Url;
use crate::proxy::args::{FaultChoice, ProxyArgs};
use crate::proxy::attempt_log::Rules;
use crate::proxy::command::{rules, settings};
use crate::proxy::fault_name::FaultName;
use crate::proxy::gate::Gate;
use crate::proxy::readings::Readings;
use crate::proxy::trigger::Trigger;
use crate::reconcile::oracle::{Given, Oracle};
use crate::terms::exit::Exit;

/// A free port: two test suites may run side by side.
const LISTEN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

/// For a server to write the last of its records, where the user does not say.
const LAG: Duration = Duration::from_millis(300);

/// How far an endless failure is watched, where the user does not say.
const AUDIT: Bound = Bound { attempts: 100, span: Duration::from_secs(60) };

/// Runs the user's command. Errors: an option, the ledger, the port, the command.
pub fn command(args: &ProxyArgs, upstream: &Address, ledger: Option<(Address, Url)>) -> anyhow::Result<Exit> {
    let bench = Bench {
        command: &args.run.command,
        listen: args.listen.unwrap_or(LISTEN),
        upstream,
        settings: settings(args, upstream),
        oracle: oracle(args, ledger)?,
    };
    let mut file = args.readings.as_deref().map(Readings::open).transpose()?;
    match args.fault {
        Some(FaultChoice::One(fault)) => one(args, &bench, fault, file.as_mut()),
        Some(FaultChoice::All) => all(args, &bench, file.as_mut()),
        None => audit(args, &bench, file.as_mut()),
    }
}

fn oracle(args: &ProxyArgs, url: Option<(Address, Url)>) -> anyhow::Result<Option<Oracle>> {
    let run = &args.run;
    let given = Given {
        ledger: run.ledger.as_deref(),
        url,
        command: run.ledger_cmd.as_deref(),
        items_at: run.ledger_items.as_deref(),
        headers: &run.ledger_header,
        lag: Some(run.ledger_lag.unwrap_or(LAG)),
    };
    let oracle = given.oracle("--ledger-intent-at", run.ledger_intent_at.as_deref())?;
    let oracle = oracle.filter(|oracle| !oracle.is_none());
    match run.about_ledger().filter(|_| oracle.is_none()) {
        Some(option) => bail!("{option} changes nothing: give a --ledger or a --ledger-cmd"),
        None => Ok(oracle),
    }
}

/// What classify holds an intent to.
pub fn budget(args: &ProxyArgs) -> Budget {
    Budget { attempts: args.run.max_attempts, span: args.run.max_span }
}

/// One run under one fault.
fn one(args: &ProxyArgs, bench: &Bench, fault: FaultName, file: Option<&mut Readings>) -> anyhow::Result<Exit> {
    let mut rules = rules(args, fault)?;
    rules.until_killed = args.run.kill_client;
    ensure!(
        !args.run.kill_client || fault.until_killed(&Gate::new()).is_some(),
        "--kill-client: with {fault} the client is told at once; give post_drop, post_slow, post_error, half_reply or \
         late_arrival"
    );
    let trial = interrupt::unless_interrupted(bench.run(rules, None, file))?;
    let Some(trial) = trial else { return Ok(Exit::Interrupted) };
    let outcome = Outcome::new(trial, (fault.name(), fault), budget(args), bench.oracle.as_ref())?;
    let exit = output::report(outcome.exit(), |out| report::one(out, &outcome));
    if args.run.kill_client && !outcome.trial.was_killed {
        say!("idem: the command was not killed: {fault} did not come about");
    }
    unheard(&outcome, args);
    if outcome.attempts() > 0 && !outcome.is_hit() {
        say!("idem: {fault} did not come about: no attempt was hit, so nothing is proven");
    }
    Ok(told_apart(exit, outcome.code()))
}

/// One run under each fault, one that is killed, and one without end.
fn audit(args: &ProxyArgs, bench: &Bench, mut file: Option<&mut Readings>) -> anyhow::Result<Exit> {
    let bound = Bound {
        attempts: args.run.max_attempts.unwrap_or(AUDIT.attempts),
        span: args.run.max_span.unwrap_or(AUDIT.span),
    };
    let done = interrupt::unless_interrupted(async {
        let faults = each(args, bench, file.as_deref_mut()).await?;
        if faults.len() == 1 {
            return Ok(Err(faults));
        }
        let killed = Rules { until_killed: true, ..rules(args, FaultName::PostDrop)? };
        let killed = bench.run(killed, None, file.as_deref_mut()).await?;
        let endless = Rules { on: Trigger::Every(1), ..rules(args, FaultName::PreFail)? };
        let endless = bench.run(endless, Some(bound), file).await?;
        let oracle = bench.oracle.as_ref();
        Ok(Ok(Audit {
            faults,
            killed: Outcome::new(killed, ("killed, again", FaultName::PostDrop), budget(args), oracle)?,
            // Nobody could have charged, so the ledger has nothing to say.
            endless: Outcome::new(endless, ("503 for ever", FaultName::PreFail), budget(args), None)?,
            bound,
            logged: args.run.client_log.as_deref().map(read_log).transpose().context("--client-log")?,
            span_was_given: args.run.max_span.is_some(),
        }))
    })?;
    let audit = match done {
        None => return Ok(Exit::Interrupted),
        Some(Ok(audit)) => audit,
        Some(Err(silent)) => return Ok(tabled(args, &silent)),
    };
    let is_broken = audit.points().iter().any(|point| point.standing == Standing::Broken);
    let exit = audit.runs().fold(control(&audit.faults), |exit, outcome| exit.and(outcome.exit()));
    let exit = exit.and(if is_broken { Exit::Finding } else { Exit::Ok });
    let exit = output::report(exit, |out| report::audit(out, &audit));
    Ok(told_apart(exit, audit.faults.first().map_or(0, Outcome::code)))
}

/// One run under each fault, the run without one first.
fn all(args: &ProxyArgs, bench: &Bench, file: Option<&mut Readings>) -> anyhow::Result<Exit> {
    ensure!(!args.run.kill_client, "--kill-client: give one fault, as --fault post_drop");
    match interrupt::unless_interrupted(each(args, bench, file))? {
        None => Ok(Exit::Interrupted),
        Some(rows) => Ok(tabled(args, &rows)),
    }
}

/// Where the run without a fault shows no attempt, it stays alone.
async fn each(args: &ProxyArgs, bench: &Bench<'_>, mut file: Option<&mut Readings>) -> anyhow::Result<Vec<Outcome>> {
    let mut rows: Vec<Outcome> = Vec::new();
    for fault in FaultName::ALL {
        if rows.first().is_some_and(|first| first.attempts() == 0) {
            break;
        }
        let trial = bench.run(rules(args, *fault)?, None, file.as_deref_mut()).await?;
        rows.push(Outcome::new(trial, (fault.name(), *fault), budget(args), bench.oracle.as_ref())?);
    }
    Ok(rows)
}

fn tabled(args: &ProxyArgs, rows: &[Outcome]) -> Exit {
    let exit = rows.iter().fold(control(rows), |exit, outcome| exit.and(outcome.exit()));
    let exit = output::report(exit, |out| report::all(out, rows));
    if let Some(last) = rows.last() {
        unheard(last, args);
    }
    told_apart(exit, rows.first().map_or(0, Outcome::code))
}

/// Without a fault an intent must succeed, or the runs under faults show little.
fn control(rows: &[Outcome]) -> Exit {
    let Some(first) = rows.first().filter(|first| first.attempts() > 0) else { return Exit::Ok };
    if first.intents().iter().any(|intent| intent.is_answered()) {
        return Exit::Ok;
    }
    say!("idem: without a fault no intent was answered with a success: is the request right?");
    Exit::Precondition
}

/// Says so where no attempt named an intent.
fn unheard(outcome: &Outcome, args: &ProxyArgs) {
    if outcome.attempts() > 0 {
        return;
    }
    match outcome.trial.attempts.len() {
        0 => say!("idem: nothing to judge: the command sent nothing to the URL in IDEM_PROXY"),
        some => say!(
            "idem: nothing to judge: {some} requests, and none names an intent at {}; say with --intent-at where it is",
            args.intent_at
        ),
    }
}

/// The exit of the whole, and on standard error whose it is.
fn told_apart(exit: Exit, code: u8) -> Exit {
    let whole = exit.and(Exit::of_command(code));
    match (exit, whole) {
        (Exit::Finding, _) => say!("idem: exit 2: a finding; the command ended with {code}"),
        (_, Exit::Command(_)) => say!("idem: exit {code} is the command's own; no finding"),
        (_, _) => {}
    }
    whole
}
