//! The command: what it may be given, the relay, and what came of it. Invariant: standard error and the file of readings are
//! the only places for our own words.

use std::io::{self, Write};

use anyhow::{Context, bail, ensure};
use serde_json::Value;
use tokio::sync::mpsc;

use super::fault::LineFault;
use super::relay::{Heard, Relay};
use crate::classify::in_process::judge;
use crate::console::interrupt;
use crate::mcp::bridge::process::{Process, next_line};
use crate::proxy::args::{FaultChoice, ProxyArgs};
use crate::proxy::attempt_line::AttemptLine;
use crate::proxy::attempt_log::AttemptLog;
use crate::proxy::command::rules;
use crate::proxy::readings::Readings;
use crate::proxy::run::calls::calls;
use crate::proxy::run::command::budget;
use crate::proxy::run::intents::intents;
use crate::terms::exit::Exit;

/// Relays until the client or the server ends, and judges. Errors: an option that needs HTTP or a client of ours, the
/// readings, the server's command.
pub fn command(args: &ProxyArgs) -> anyhow::Result<Exit> {
    if let Some(option) = misplaced(args) {
        bail!("{option} changes nothing between standard streams: it needs --upstream");
    }
    let name = match args.fault {
        Some(FaultChoice::One(name)) => name,
        Some(FaultChoice::All) => bail!("--fault all: between standard streams the client runs once: give one fault"),
        None => bail!("--fault: name what goes wrong; `idem explain faults` has them"),
    };
    let fault = LineFault::of(name, args.cut_after)
        .with_context(|| format!("--fault {name}: between standard streams give {}", LineFault::NAMES))?;
    ensure!(
        !fault.ends() || args.readings.is_some(),
        "--fault {name}: give --readings FILE: the client starts the server again, and the file says what was faulted before"
    );
    let mut log = AttemptLog::new(rules(args, name)?);
    let before = args.readings.as_deref().map(Readings::before).transpose()?.unwrap_or_default();
    for line in before.iter().filter_map(|line| serde_json::from_slice::<Value>(line).ok()) {
        line["intent"].as_str().into_iter().for_each(|intent| log.remember(intent));
    }
    let mut file = args.readings.as_deref().map(Readings::open).transpose()?;
    let mut attempts = Vec::new();
    let mut keep = |lines: &[AttemptLine]| -> anyhow::Result<()> {
        attempts.extend_from_slice(lines);
        match &mut file {
            Some(file) => file.append(lines),
            None => {
                lines.iter().for_each(|line| told(&line.json()));
                Ok(())
            }
        }
    };
    let exit = interrupt::until_signal(relay(args, log, fault, &mut keep))?;
    Ok(judged(args, before, &attempts)?.and(exit))
}

async fn relay(
    args: &ProxyArgs,
    log: AttemptLog,
    fault: LineFault,
    keep: &mut dyn FnMut(&[AttemptLine]) -> anyhow::Result<()>,
) -> anyhow::Result<Exit> {
    let (to, mut heard) = mpsc::unbounded_channel();
    let from_server = to.clone();
    // Fails where nobody listens any more.
    let server = Process::overheard(&args.run.command, move |line| drop(from_server.send(Heard::Server(line))));
    let server = server.map_err(anyhow::Error::msg)?;
    std::thread::spawn(move || {
        let mut input = io::stdin().lock();
        while let Some(line) = next_line(&mut input) {
            drop(to.send(Heard::Client(Some(line))));
        }
        drop(to.send(Heard::Client(None)));
    });
    let mut relay = Relay::new(server, log, fault, args.hold, keep);
    relay.run(&mut heard).await?;
    Ok(Exit::Ok)
}

/// What was found, on standard error. Readings of earlier starts count.
fn judged(args: &ProxyArgs, mut lines: Vec<Vec<u8>>, attempts: &[AttemptLine]) -> anyhow::Result<Exit> {
    lines.extend(attempts.iter().map(AttemptLine::json));
    let judged = judge(&lines, budget(args)).context("--readings: the file has lines that are not readings")?;
    told(judged.text.trim_ascii_end());
    calls(&intents(attempts)).iter().for_each(|line| told(line.as_bytes()));
    Ok(if judged.tally.fails(false) { Exit::Finding } else { Exit::Ok })
}

/// A line on standard error, which a client may have closed.
fn told(line: &[u8]) {
    let _ = io::stderr().lock().write_all(&[line, b"\n"].concat());
}

/// An option that has no effect here.
fn misplaced(args: &ProxyArgs) -> Option<&'static str> {
    let run = &args.run;
    [
        (args.cacert.is_some(), "--cacert"),
        (args.insecure, "--insecure"),
        (args.listen.is_some(), "--listen"),
        (args.timeout.is_some(), "--timeout"),
        (!args.allow_host.is_empty(), "--allow-host"),
        (args.retry_after.is_some(), "--retry-after"),
        (run.ledger.is_some(), "--ledger"),
        (run.ledger_cmd.is_some(), "--ledger-cmd"),
        (run.kill_client, "--kill-client"),
        (run.audit, "--audit"),
        (run.client_log.is_some(), "--client-log"),
    ]
    .into_iter()
    .chain(run.about_ledger().map(|option| (true, option)))
    .find_map(|(is_given, option)| is_given.then_some(option))
}
