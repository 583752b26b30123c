//! The charge server of the scenarios as the target, where the user gives none. Invariant: it runs on a thread of its own,
//! so that who probes it does not share its scheduler, and ends with its owner.

use std::net::TcpListener;
use std::sync::Arc;

use anyhow::Context;
use tempfile::TempDir;

use crate::server::fault::{FaultPhase, PhaseCounter};
use crate::server::ledger::{Ledger, ReceiptNames};
use crate::server::policy::Policy;
use crate::server::service::{ChargeService, Server};
use crate::target::args::TargetArgs;

/// A running server and its ledger.
pub struct InProcess {
    folder: TempDir,
    address: std::net::SocketAddr,
    /// Dropping it ends the server.
    _stop: tokio::sync::oneshot::Sender<()>,
}

impl InProcess {
    /// # Errors
    /// No port, or no folder for the ledger.
    pub fn start(policy: Policy) -> anyhow::Result<InProcess> {
        let folder = tempfile::tempdir().context("cannot make a folder for the ledger")?;
        let names = ReceiptNames { scope: "chaos".to_owned(), digits: 16 };
        let ledger = Ledger::begin(&folder.path().join("charges.jsonl"), names)?;
        let listener = TcpListener::bind("127.0.0.1:0").context("cannot listen on 127.0.0.1")?;
        let address = listener.local_addr()?;
        let faults = Arc::new(PhaseCounter::new(FaultPhase::None));
        let service = ChargeService::new(policy, Arc::new(ledger), &[], faults, 1);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        std::thread::spawn(move || {
            runtime.block_on(async {
                // Without a server every request is refused, which the baseline tells.
                let _server = Server::start(listener, service);
                let _ = stopped.await;
            });
        });
        Ok(InProcess { folder, address, _stop: stop })
    }

    /// The options that make it the target.
    pub fn args(&self) -> TargetArgs {
        let ledger = self.folder.path().join("charges.jsonl");
        TargetArgs {
            target: vec![format!("http://{}/charges", self.address)],
            ledger: vec![ledger.display().to_string()],
            ..TargetArgs::default()
        }
    }
}
