//! `idem proxy`: the fault proxy for a user's own client. Invariant: every attempt becomes one line of the readings, also
//! when the proxy is interrupted.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use tokio::net::TcpListener;

use super::args::ProxyArgs;
use super::attempt_line::AttemptLine;
use super::attempt_log::{AttemptLog, Rules};
use super::fault_name::FaultName;
use super::listener::Proxy;
use super::settings::Settings;
use super::trigger::Trigger;
use crate::console::interrupt;
use crate::console::output;
use crate::console::output::say;
use crate::http::address::Address;
use crate::http::trust::Trust;
use crate::terms::exit::Exit;

/// The command: serves until it is interrupted. Errors: an option that would change nothing, the upstream's address, the
/// port, the readings.
pub fn command(args: &ProxyArgs) -> anyhow::Result<Exit> {
    let rules = rules(args)?;
    ensure!(args.upstream.path == "/", "--upstream {}: give no path; paths are the client's", args.upstream);
    let upstream = upstream(args)?;
    let mut readings = Readings::open(&args.readings)?;
    let settings =
        Settings { reply: args.timeout, hold: args.hold, host: Some(upstream.authority), ..Settings::default() };
    let log = Arc::new(Mutex::new(AttemptLog::new(rules)));
    // Outlives the runtime, so that the events which were not yet read can be.
    let mut running: Option<Proxy> = None;
    let exit = interrupt::until_signal(async {
        let listener =
            TcpListener::bind(args.listen).await.with_context(|| format!("cannot listen on {}", args.listen))?;
        let plan = Arc::clone(&log);
        let proxy = running
            .insert(Proxy::start(listener, upstream.route, settings, move |exchange| locked(&plan).enter(exchange))?);
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

fn upstream(args: &ProxyArgs) -> anyhow::Result<Address> {
    let trust = Trust::of_options(args.cacert.as_deref(), args.insecure, args.upstream.is_tls())?;
    let address = Address::resolve(&args.upstream, &args.allow_host, &Arc::new(trust)).context("--upstream")?;
    if let Some(warning) = address.warning() {
        say!("idem: warning: {warning}");
    }
    Ok(address)
}

/// A panic elsewhere left the log as it was between two calls, which is a whole state.
fn locked(log: &Mutex<AttemptLog>) -> MutexGuard<'_, AttemptLog> {
    log.lock().unwrap_or_else(PoisonError::into_inner)
}

fn rules(args: &ProxyArgs) -> anyhow::Result<Rules> {
    let answers = matches!(args.fault, FaultName::PreFail | FaultName::PostError);
    ensure!(
        args.retry_after.is_none() || answers,
        "--retry-after changes nothing: {} answers nothing itself",
        args.fault
    );
    ensure!(
        args.cut_after.is_none() || args.fault == FaultName::Cut,
        "--cut-after changes nothing: {} is not a cut",
        args.fault
    );
    let by_chance = matches!(args.on, Trigger::Chance(_));
    ensure!(args.seed.is_none() || by_chance, "--seed changes nothing: only --on p=P is by chance");
    Ok(Rules {
        fault: args.fault,
        on: args.on,
        seed: args.seed.unwrap_or(0),
        retry_after: args.retry_after,
        cut_after: args.cut_after.unwrap_or(Duration::ZERO),
        intent_at: args.intent_at.clone(),
        key_at: args.key_place(),
        receipt_at: args.receipt_at.clone(),
    })
}

/// The file of readings: appended to, one write a line.
struct Readings {
    file: File,
    name: String,
    /// The file ends in the middle of a line, which the next must not be glued to.
    is_torn: bool,
}

impl Readings {
    fn open(path: &Path) -> anyhow::Result<Readings> {
        let name = format!("--readings {}", path.display());
        let mut file =
            OpenOptions::new().read(true).append(true).create(true).open(path).with_context(|| name.clone())?;
        let is_torn = ends_torn(&mut file).with_context(|| name.clone())?;
        Ok(Readings { file, name, is_torn })
    }

    fn append(&mut self, readings: &[AttemptLine]) -> anyhow::Result<()> {
        for line in readings {
            let mut bytes = if std::mem::take(&mut self.is_torn) { b"\n".to_vec() } else { Vec::new() };
            serde_json::to_writer(&mut bytes, line)?;
            bytes.push(b'\n');
            self.file.write_all(&bytes).with_context(|| self.name.clone())?;
        }
        Ok(())
    }
}

/// False for an empty file and for what cannot be read back, such as a pipe.
fn ends_torn(file: &mut File) -> std::io::Result<bool> {
    if !file.metadata()?.is_file() || file.metadata()?.len() == 0 {
        return Ok(false);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}
