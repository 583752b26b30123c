//! What the attempts of one scenario share, and how they are made: side by side, in order, at once, around a restart.
//! Invariant: whether and when an intent is attempted again is the budget's word.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use tokio::sync::{Barrier, Semaphore};
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::attempt::{self, Attempt};
use crate::client::{self, Outcome};
use crate::fault::Faults;
use crate::intent::Intent;
use crate::ledger::{self, Charge, Ledger, ReceiptNames};
use crate::policy::Policy;
use crate::retry::Budget;
use crate::scenario::{BACKOFF, Scenario};
use crate::server::{ChargeService, Server};

/// Intents under way in one scenario: each holds a task, most of them waiting out a backoff.
const INTENTS_UNDER_WAY: usize = 16 * 1024;
/// Bound of one intent's time; no intent comes near it.
const INTENT_TIME: Duration = Duration::from_secs(60);
/// Above this many charges a receipt gets 16 hex digits, since 8 could collide.
const SHORT_RECEIPTS: u32 = 20;

/// A scenario as it is to be run: under its own policy or another, at its own size or another.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    pub scenario: &'static Scenario,
    pub policy: Policy,
    pub intents: u32,
}

/// What the attempts of one scenario share.
#[derive(Clone)]
pub struct Trial {
    setup: Setup,
    /// Outlives the server, so that a restarted one is found at the same address.
    listener: Arc<TcpListener>,
    pub address: SocketAddr,
    ledger: Arc<Ledger>,
    faults: Arc<Faults>,
    connections: Arc<Semaphore>,
    /// Where intents wait after their first attempts for the server's restart; None where there is none.
    restart: Option<Arc<Barrier>>,
}

impl Trial {
    pub fn set_up(setup: Setup, path: &Path, connections: Arc<Semaphore>) -> anyhow::Result<Trial> {
        let scenario = setup.scenario;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("cannot bind a port on 127.0.0.1")?;
        let address = listener.local_addr()?;
        let digits = if setup.intents * scenario.rivals > SHORT_RECEIPTS { 16 } else { 8 };
        let names = ReceiptNames { scope: scenario.name.to_owned(), digits };
        std::fs::File::create(path).with_context(|| format!("cannot begin ledger {}", path.display()))?;
        let (ledger, _) = Ledger::open(path, names)?;
        let restart = scenario.restart.then(|| Arc::new(Barrier::new(setup.intents as usize + 1)));
        Ok(Trial {
            setup,
            listener: Arc::new(listener),
            address,
            ledger: Arc::new(ledger),
            faults: Arc::new(Faults::new(scenario.phase)),
            connections,
            restart,
        })
    }

    pub fn serve(&self, charged: &[Charge]) -> anyhow::Result<Server> {
        let rivals = self.setup.scenario.rivals as usize;
        let service = ChargeService::new(self.setup.policy, self.ledger.clone(), charged, self.faults.clone(), rivals);
        Ok(Server::start(self.listener.try_clone()?, service)?)
    }

    /// All intents, side by side unless their order matters.
    pub async fn attempt_all(&self, intents: &[Intent]) -> anyhow::Result<Vec<Attempt>> {
        let side_by_side = match self.setup.scenario {
            scenario if scenario.in_order => 1,
            // Every intent has to reach the restart before any goes on.
            scenario if scenario.restart => intents.len(),
            _ => INTENTS_UNDER_WAY,
        };
        let mut under_way = JoinSet::new();
        let mut attempts = Vec::with_capacity(intents.len());
        for intent in intents {
            if under_way.len() == side_by_side {
                attempts.extend(under_way.join_next().await.transpose()?.into_iter().flatten());
            }
            under_way.spawn(self.clone().attempt_intent(intent.clone()));
        }
        while let Some(done) = under_way.join_next().await {
            attempts.extend(done?);
        }
        Ok(attempts)
    }

    /// The same, with the server killed and started anew between the first attempts and the rest.
    pub async fn attempt_all_with_restart(
        &self,
        server: Server,
        intents: &[Intent],
    ) -> anyhow::Result<(Server, Vec<Attempt>)> {
        let restart = async {
            if let Some(first_attempts_done) = &self.restart {
                first_attempts_done.wait().await;
            }
            server.stop().await;
            let found = ledger::read(self.ledger.path())?;
            let server = self.serve(&found.charges)?;
            if let Some(restarted) = &self.restart {
                restarted.wait().await;
            }
            anyhow::Ok(server)
        };
        tokio::try_join!(restart, self.attempt_all(intents))
    }

    /// The retry loop of one intent.
    async fn attempt_intent(self, intent: Intent) -> Vec<Attempt> {
        let since = Instant::now();
        let budget = Budget { attempts: self.setup.scenario.attempts, backoff: BACKOFF, total: INTENT_TIME };
        let mut attempts = Vec::with_capacity(2);
        for number in 1.. {
            let key = self.setup.scenario.key.key(&intent, number);
            let outcomes = self.attempt_at_once(&intent, key.as_deref()).await;
            attempts.extend(outcomes.iter().map(|outcome| attempt::record(&intent, number, key.clone(), outcome)));
            if number == 1 {
                self.await_restart().await;
            }
            match budget.wait(number + 1, &outcomes, since) {
                Some(wait) => tokio::time::sleep(wait).await,
                None => break,
            }
        }
        attempts
    }

    /// One attempt, or as many at once as there are rivals.
    async fn attempt_at_once(&self, intent: &Intent, key: Option<&str>) -> Vec<Outcome> {
        let rivals = self.setup.scenario.rivals;
        // All or none: a rival without a connection would leave the other waiting for it.
        let _permit = self.connections.acquire_many(rivals).await.expect("the semaphore is never closed");
        let request = attempt::request(self.address, intent, key);
        let patience = self.setup.scenario.patience;
        if rivals == 1 {
            return vec![client::attempt(self.address, &request, patience).await];
        }
        let mut racers = JoinSet::new();
        for _ in 0..rivals {
            let (address, request) = (self.address, request.clone());
            racers.spawn(async move { client::attempt(address, &request, patience).await });
        }
        racers.join_all().await
    }

    async fn await_restart(&self) {
        if let Some(restart) = &self.restart {
            restart.wait().await;
            restart.wait().await;
        }
    }
}
