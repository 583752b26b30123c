//! `idem serve`: the charge server of the scenarios, for a user's own client. Invariant: it is the same server; only the
//! ledger and the address are the user's.

use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use super::args::ServeArgs;
use super::fault::{FaultPhase, PhaseCounter};
use super::ledger::{Ledger, ReceiptNames};
use super::mcp;
use super::mcp::tool::Tool;
use super::policy::Policy;
use super::service::{ChargeService, Server};
use crate::console::interrupt;
use crate::console::output;
use crate::console::output::say;
use crate::terms::exit::Exit;

/// How long a killed predecessor may take to be gone.
const PREDECESSOR: Duration = Duration::from_secs(4);

/// The command: serves until it is interrupted. Errors: a window where the policy has none, the ledger, the port.
pub fn command(args: &ServeArgs) -> anyhow::Result<Exit> {
    let policy = policy(args)?;
    if let Some(older) = args.revision.filter(|revision| args.asks && !revision.is_stateless()) {
        bail!("--asks changes nothing: by revision {older} a result cannot ask");
    }
    let names = ReceiptNames { scope: "serve".to_owned(), digits: 16 };
    let (ledger, found) = once_free(|| Ledger::open(&args.ledger, names.clone()))?;
    if !found.torn.is_empty() {
        let torn = String::from_utf8_lossy(&found.torn);
        say!("idem: ledger {}: cut off a torn last line, which is not a charge: {torn}", args.ledger.display());
    }
    let faults = Arc::new(PhaseCounter::new(FaultPhase::None));
    let mut service = ChargeService::new(policy, Arc::new(ledger), &found.charges, faults, 1);
    service.tool =
        args.mcp.then_some(Tool { hints: args.hints, only: args.revision, streams: args.events, asks: args.asks });
    if let (true, Some(tool)) = (args.stdio, service.tool) {
        return interrupt::until_signal(async {
            mcp::stdio::serve(service, tool).await;
            Ok(Exit::Ok)
        });
    }
    let bind = || TcpListener::bind(args.listen).with_context(|| format!("cannot listen on {}", args.listen));
    let listener = once_free(bind)?;
    let (address, path) = (listener.local_addr()?, if args.mcp { mcp::PATH } else { "/charges" });
    interrupt::until_signal(async {
        let _server = Server::start(listener, service)?;
        output::results(|out| writeln!(out, "listening on http://{address}{path}"))?;
        std::future::pending().await
    })
}

/// Takes what a predecessor may hold. One that was killed keeps its ledger and its port until its last thread has ended,
/// which is a little later than the process looks dead. Says once that it waits.
fn once_free<T>(mut take: impl FnMut() -> anyhow::Result<T>) -> anyhow::Result<T> {
    let end = Instant::now() + PREDECESSOR;
    let is_held = |error: &anyhow::Error| {
        let kind = error.root_cause().downcast_ref::<io::Error>().map(io::Error::kind);
        matches!(kind, Some(io::ErrorKind::ResourceBusy | io::ErrorKind::AddrInUse))
    };
    let mut taken = take();
    if let Some(held) = taken.as_ref().err().filter(|error| is_held(error)) {
        say!("idem: waiting up to {} s: {held:#}", PREDECESSOR.as_secs());
    }
    while taken.as_ref().is_err_and(&is_held) && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(5));
        taken = take();
    }
    taken
}

fn policy(args: &ServeArgs) -> anyhow::Result<Policy> {
    Ok(match (args.policy, args.window) {
        (policy, None) => policy,
        (Policy::KeyRacy { .. }, Some(window)) => Policy::KeyRacy { window },
        (Policy::KeyTtl { .. }, Some(window)) => Policy::KeyTtl { window },
        (Policy::Naive | Policy::KeyAtomic | Policy::ContentHash | Policy::KeyDurable, Some(_)) => {
            bail!("--window changes nothing: {} has no window", args.policy.name())
        }
    })
}
