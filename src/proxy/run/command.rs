//! The command: which runs, and what becomes of them. Invariant: exit 2 is a finding's; without one it is the command's own
//! code, of the run without a fault where there are several.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use anyhow::{bail, ensure};

use super::outcome::Outcome;
use super::report;
use super::trial::Bench;
use crate::classify::findings::history::Budget;
use crate::console::interrupt;
use crate::console::output;
use crate::console::output::say;
use crate::http::address::Address;
use crate::http::url::Url;
use crate::proxy::args::{FaultChoice, ProxyArgs};
use crate::proxy::command::{rules, settings};
use crate::proxy::fault_name::FaultName;
use crate::proxy::gate::Gate;
use crate::proxy::readings::Readings;
use crate::reconcile::oracle::{Given, Oracle};
use crate::terms::exit::Exit;

/// A free port: two test suites may run side by side.
const LISTEN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

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
        None => bail!("--fault: name what goes wrong; `idem explain faults` has them"),
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
        lag: Some(run.ledger_lag),
    };
    Ok(given.oracle("--ledger-intent-at", run.ledger_intent_at.as_deref())?.filter(|oracle| !oracle.is_none()))
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
    let outcome = Outcome::new(trial, fault, budget(args), bench.oracle.as_ref())?;
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

/// One run under each fault, the run without one first.
fn all(args: &ProxyArgs, bench: &Bench, mut file: Option<&mut Readings>) -> anyhow::Result<Exit> {
    ensure!(!args.run.kill_client, "--kill-client: give one fault, as --fault post_drop");
    let done = interrupt::unless_interrupted(async {
        let mut rows = Vec::new();
        for fault in FaultName::ALL {
            let trial = bench.run(rules(args, *fault)?, None, file.as_deref_mut()).await?;
            let outcome = Outcome::new(trial, *fault, budget(args), bench.oracle.as_ref())?;
            let is_silent = outcome.attempts() == 0;
            rows.push(outcome);
            if is_silent && rows.len() == 1 {
                break;
            }
        }
        Ok(rows)
    })?;
    let Some(rows) = done else { return Ok(Exit::Interrupted) };
    let exit = rows.iter().fold(Exit::Ok, |exit, outcome| exit.and(outcome.exit()));
    let exit = output::report(exit, |out| report::table(out, &rows));
    if let Some(last) = rows.last() {
        unheard(last, args);
    }
    Ok(told_apart(exit, rows.first().map_or(0, Outcome::code)))
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
