//! What the attempts of one scenario share, and how they are made: side by side, in order, at once, around a restart.
//! Invariant: whether and when an intent is attempted again is the budget's word.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use tokio::sync::{Barrier, Semaphore};
use tokio::task::JoinSet;

use super::attempt;
use super::attempt::ReadAttempt;
use super::retry::Budget;
use super::scenario::{BACKOFF, Scenario};
use crate::console::progress::Progress;
use crate::http::client;
use crate::http::client::Outcome;
use crate::server::fault::PhaseCounter;
use crate::server::ledger;
use crate::server::ledger::{Charge, Ledger, ReceiptNames};
use crate::server::policy::Policy;
use crate::server::service::{ChargeService, Server};
use crate::terms::intent::Intent;
use crate::terms::outcome::Symptom;

/// Intents under way in one scenario: each holds a task, most of them waiting out a backoff.
const INTENTS_UNDER_WAY: usize = 16 * 1024;
/// Bound of the time that one intent's attempts and backoffs may take.
const INTENT_TIME: Duration = Duration::from_secs(60);

/// A scenario as it is to be run: under its own policy or another, at its own size or another.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    pub scenario: &'static Scenario,
    pub policy: Policy,
    pub intents: u32,
}

/// What all scenarios of one probe share.
#[derive(Clone, Debug)]
pub struct Shared {
    /// Bounds the attempts at one moment.
    pub connections: Arc<Semaphore>,
    pub progress: Arc<Progress>,
}

/// What the attempts of one scenario share.
#[derive(Clone)]
pub struct ScenarioRunner {
    setup: Setup,
    /// Outlives the server, so that a restarted one is found at the same address.
    listener: Arc<TcpListener>,
    pub address: SocketAddr,
    ledger: Arc<Ledger>,
    faults: Arc<PhaseCounter>,
    shared: Shared,
    /// Where intents wait after their first attempts for the server's restart; None where there is none.
    restart: Option<Arc<Barrier>>,
}

impl ScenarioRunner {
    /// A bound port and an empty ledger at `path`. Errors: either cannot be had.
    pub fn set_up(setup: Setup, path: &Path, mut shared: Shared) -> anyhow::Result<ScenarioRunner> {
        let scenario = setup.scenario;
        if scenario.in_order {
            // One at a time as it is: in the common queue each would wait for thousands of others.
            shared.connections = Arc::new(Semaphore::new(1));
        }
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("cannot bind a port on 127.0.0.1")?;
        let address = listener.local_addr()?;
        // Scaled up there may be so many charges that 8 digits could collide.
        let digits = if setup.intents > scenario.intents { 16 } else { 8 };
        let names = ReceiptNames { scope: scenario.name.to_owned(), digits };
        let ledger = Ledger::begin(path, names)?;
        let restart = scenario.restart.then(|| Arc::new(Barrier::new(setup.intents as usize + 1)));
        Ok(ScenarioRunner {
            setup,
            listener: Arc::new(listener),
            address,
            ledger: Arc::new(ledger),
            faults: Arc::new(PhaseCounter::new(scenario.phase)),
            shared,
            restart,
        })
    }

    pub fn serve(&self, charged: &[Charge]) -> anyhow::Result<Server> {
        let rivals = self.setup.scenario.rivals as usize;
        let service = ChargeService::new(self.setup.policy, self.ledger.clone(), charged, self.faults.clone(), rivals);
        Ok(Server::start(self.listener.try_clone()?, service)?)
    }

    /// The ledger as it is on disk. Errors: it cannot be read, or not every charge could be written.
    pub fn charges(&self) -> anyhow::Result<Vec<Charge>> {
        let path = self.ledger.path();
        if let Some(failure) = self.ledger.failure() {
            bail!("cannot write ledger {}: {failure}", path.display());
        }
        let reading = ledger::read(path)?;
        if !reading.torn.is_empty() {
            bail!("ledger {} ends in a torn line", path.display());
        }
        Ok(reading.charges)
    }

    /// All intents, side by side unless their order matters.
    pub async fn attempt_all(&self, intents: &[Intent]) -> anyhow::Result<Vec<ReadAttempt>> {
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
                attempts.extend(under_way.join_next().await.transpose()?.transpose()?.into_iter().flatten());
            }
            under_way.spawn(self.clone().attempt_intent(intent.clone()));
        }
        while let Some(done) = under_way.join_next().await {
            attempts.extend(done??);
        }
        Ok(attempts)
    }

    /// The same, with the server killed and started anew between the first attempts and the rest.
    pub async fn attempt_all_with_restart(
        &self,
        server: Server,
        intents: &[Intent],
    ) -> anyhow::Result<(Server, Vec<ReadAttempt>)> {
        let restart = async {
            if let Some(first_attempts_done) = &self.restart {
                first_attempts_done.wait().await;
            }
            server.stop().await?;
            let found = ledger::read(self.ledger.path())?;
            let server = self.serve(&found.charges)?;
            if let Some(restarted) = &self.restart {
                restarted.wait().await;
            }
            anyhow::Ok(server)
        };
        tokio::try_join!(restart, self.attempt_all(intents))
    }

    /// The retry loop of one intent. The budget is of attempts and backoffs: waiting for a turn or for the restart is
    /// not the client's time. Errors: an attempt that failed on our side of the network.
    async fn attempt_intent(self, intent: Intent) -> anyhow::Result<Vec<ReadAttempt>> {
        let budget = Budget { attempts: self.setup.scenario.attempts, backoff: BACKOFF, total: INTENT_TIME };
        let mut spent = Duration::ZERO;
        let mut attempts = Vec::with_capacity(2);
        for number in 1.. {
            let key = self.setup.scenario.key.key(&intent, number);
            let outcomes = self.attempt_at_once(&intent, key.as_deref()).await;
            for outcome in &outcomes {
                if outcome.symptom == Symptom::Unknown {
                    let reason = outcome.detail.as_deref().unwrap_or("no reason known");
                    bail!("attempt {number} of {} could not be made: {reason}", intent.name);
                }
                attempts.push(attempt::record(&intent, number, key.clone(), outcome));
            }
            spent += outcomes.iter().map(|outcome| outcome.elapsed).max().unwrap_or_default();
            if number == 1 {
                self.await_restart().await;
            }
            let Some(wait) = budget.wait(number + 1, &outcomes, spent) else { break };
            tokio::time::sleep(wait).await;
            spent += wait;
        }
        self.shared.progress.step();
        Ok(attempts)
    }

    /// One attempt, or as many at once as there are rivals.
    async fn attempt_at_once(&self, intent: &Intent, key: Option<&str>) -> Vec<Outcome> {
        let rivals = self.setup.scenario.rivals;
        // All or none: a rival without a connection would leave the other waiting for it.
        let _permit = self.shared.connections.acquire_many(rivals).await.expect("the semaphore is never closed");
        let request = attempt::request(self.address, intent, key);
        let patience = self.setup.scenario.patience;
        if rivals == 1 {
            return vec![client::attempt(&self.address.into(), &request, patience).await];
        }
        let mut racers = JoinSet::new();
        for _ in 0..rivals {
            let (address, request) = (self.address, request.clone());
            racers.spawn(async move { client::attempt(&address.into(), &request, patience).await });
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
