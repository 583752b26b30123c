//! `idem serve`: the charge server of the scenarios, for a user's own client. Invariant: it is the same server; only the
//! ledger and the address are the user's.

use std::net::TcpListener;
use std::sync::Arc;

use anyhow::{Context, bail};

use crate::cli::serve::ServeArgs;
use crate::exit::Exit;
use crate::fault::{Faults, Phase};
use crate::interrupt;
use crate::ledger::{Ledger, ReceiptNames};
use crate::output::{self, say};
use crate::policy::Policy;
use crate::server::{ChargeService, Server};

/// The command: serves until it is interrupted. Errors: a window where the policy has none, the ledger, the port.
pub fn command(args: &ServeArgs) -> anyhow::Result<Exit> {
    let policy = policy(args)?;
    let names = ReceiptNames { scope: "serve".to_owned(), digits: 16 };
    let (ledger, found) = Ledger::open(&args.ledger, names)?;
    if !found.torn.is_empty() {
        let torn = String::from_utf8_lossy(&found.torn);
        say!("idem: ledger {}: cut off a torn last line, which is no charge: {torn}", args.ledger.display());
    }
    let listener = TcpListener::bind(args.listen).with_context(|| format!("cannot listen on {}", args.listen))?;
    let address = listener.local_addr()?;
    let faults = Arc::new(Faults::new(Phase::None));
    let service = ChargeService::new(policy, Arc::new(ledger), &found.charges, faults, 1);
    interrupt::until_signal(async {
        let _server = Server::start(listener, service)?;
        output::results(|out| writeln!(out, "listening on http://{address}/charges"))?;
        std::future::pending().await
    })
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
