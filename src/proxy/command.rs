//! `idem proxy`: the fault proxy for a user's own client. Invariant: every attempt becomes one line of the readings, also
//! when the proxy is interrupted.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use tokio::net::TcpListener;

use super::args::{FaultChoice, ProxyArgs};
use super::attempt_log::{AttemptLog, Rules};
use super::fault_name::FaultName;
use super::listener::Proxy;
use super::readings::Readings;
use super::run;
use super::said::ReplyRules;
use super::settings::Settings;
use super::streams;
use super::trigger::Trigger;
use crate::console::interrupt;
use crate::console::output;
use crate::console::output::say;
use crate::http::address::Address;
use crate::http::trust::Trust;
use crate::http::url::Url;
use crate::terms::exit::Exit;

/// Where it listens until it is interrupted, unless an address was given.
const LISTEN: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 8081);

/// For the server's reply, where the user does not say.
const REPLY: Duration = Duration::from_secs(30);

/// The command: serves until it is interrupted, or runs the command that was given. Errors: an option that would change
/// nothing, the upstream's address, the port, the readings.
pub fn command(args: &ProxyArgs) -> anyhow::Result<Exit> {
    let Some(upstream) = &args.upstream else {
        ensure!(args.run.is_given(), "--mcp: name the server: --upstream URL, or its command behind --");
        return streams::command(args);
    };
    ensure!(upstream.path == "/", "--upstream {upstream}: give no path; paths are the client's");
    let (upstream, ledger) = addresses(args, upstream)?;
    if args.run.is_given() {
        return run::command(args, &upstream, ledger);
    }
    let fault = match args.fault {
        Some(FaultChoice::One(fault)) => fault,
        Some(FaultChoice::All) => bail!("--fault all runs a command once for each fault: give the command behind --"),
        None => bail!("--fault: name what goes wrong; `idem explain faults` has them"),
    };
    let readings = args.readings.as_deref().context("--readings: name the file that the readings go to")?;
    serve(args, rules(args, fault)?, &upstream, Readings::open(readings)?)
}

fn serve(args: &ProxyArgs, rules: Rules, upstream: &Address, mut readings: Readings) -> anyhow::Result<Exit> {
    let log = Arc::new(Mutex::new(AttemptLog::new(rules)));
    // Outlives the runtime, so that the events which were not yet read can be.
    let mut running: Option<Proxy> = None;
    let exit = interrupt::until_signal(async {
        let listen = args.listen.unwrap_or(LISTEN);
        let proxy = running.insert(start(listen, upstream, settings(args, upstream), &log).await?);
        let address = proxy.address();
        output::results(|out| writeln!(out, "listening on http://{address}"))?;
        while let Some(event) = proxy.events().next().await {
            readings.append(&locked(&log).observe(&event))?;
        }
        bail!("the proxy ended by itself")
    })?;
    while let Some(event) = running.as_mut().and_then(|proxy| proxy.events().ready()) {
        readings.append(&locked(&log).observe(&event))?;
    }
    readings.append(&locked(&log).stop())?;
    Ok(exit)
}

/// The server's, and the ledger's if that is a URL.
fn addresses(args: &ProxyArgs, upstream: &Url) -> anyhow::Result<(Address, Option<(Address, Url)>)> {
    let ledger = args.run.ledger.as_deref().filter(|text| Url::is_meant(text));
    let ledger = ledger.map(|text| Url::parse(text).context("--ledger")).transpose()?;
    let is_asked = upstream.is_tls() || ledger.as_ref().is_some_and(Url::is_tls);
    let trust = Arc::new(Trust::of_options(args.cacert.as_deref(), args.insecure, is_asked)?);
    let resolve = |url: &Url, option: &'static str| Address::resolve(url, &args.allow_host, &trust).context(option);
    let upstream = resolve(upstream, "--upstream")?;
    let ledger = ledger.map(|url| Ok::<_, anyhow::Error>((resolve(&url, "--ledger")?, url))).transpose()?;
    let all = [&upstream].into_iter().chain(ledger.iter().map(|(address, _)| address));
    all.filter_map(Address::warning).for_each(|warning| say!("idem: warning: {warning}"));
    Ok((upstream, ledger))
}

/// Starts a proxy whose faults and readings are the log's.
pub async fn start(
    listen: SocketAddr,
    upstream: &Address,
    settings: Settings,
    log: &Arc<Mutex<AttemptLog>>,
) -> anyhow::Result<Proxy> {
    let listener = TcpListener::bind(listen).await.with_context(|| format!("cannot listen on {listen}"))?;
    let plan = Arc::clone(log);
    Ok(Proxy::start(listener, upstream.route.clone(), settings, move |exchange| locked(&plan).enter(exchange))?)
}

pub fn settings(args: &ProxyArgs, upstream: &Address) -> Settings {
    Settings {
        reply: args.timeout.unwrap_or(REPLY),
        hold: args.hold,
        host: Some(upstream.authority.clone()),
        ..Settings::default()
    }
}

/// A panic elsewhere left the log as it was between two calls, which is a whole state.
pub fn locked(log: &Mutex<AttemptLog>) -> MutexGuard<'_, AttemptLog> {
    log.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What was chosen, with this fault.
///
/// # Errors
/// Names an option that would change nothing.
pub fn rules(args: &ProxyArgs, fault: FaultName) -> anyhow::Result<Rules> {
    let is_all = args.fault.is_none_or(|choice| choice == FaultChoice::All);
    ensure!(
        args.retry_after.is_none() || is_all || fault.answers(),
        "--retry-after changes nothing: {fault} answers nothing itself",
    );
    ensure!(
        args.cut_after.is_none() || is_all || fault == FaultName::Cut,
        "--cut-after changes nothing: {fault} is not a cut"
    );
    let by_chance = matches!(args.on, Trigger::Chance(_));
    ensure!(args.seed.is_none() || by_chance, "--seed changes nothing: only --on p=P is by chance");
    Ok(Rules {
        fault,
        on: args.on,
        seed: args.seed.unwrap_or(0),
        retry_after: args.retry_after,
        cut_after: args.cut_after.unwrap_or(Duration::ZERO),
        intent_at: args.intent_place()?,
        key_at: args.key_place()?,
        reply: ReplyRules { receipt_at: args.receipt_at.clone(), of_tools: args.mcp },
        until_killed: false,
    })
}
