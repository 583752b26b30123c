//! One scenario: a fresh server, a fresh ledger, every intent attempted, the ledger read back. Invariant: nothing here
//! looks at the declared figures, and the ledger is read when no commit is under way.

use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use tokio::time::Instant;

use super::attempt::ReadAttempt;
use super::runner::{ScenarioRunner, Setup, Shared};
use crate::reconcile::tally::IntentTally;
use crate::server::ledger::Charge;
use crate::terms::figures::Figures;
use crate::terms::intent::Intent;

/// Bound of what commits may take after the last attempt. One that waits for a rival that never came ends here.
const COMMIT_TIME: Duration = Duration::from_secs(10);

/// What one run of a scenario brought: the readings, not yet reconciled.
#[derive(Debug)]
pub struct Run {
    pub intents: Vec<Intent>,
    /// Sorted by intent, attempt, replay, receipt.
    pub attempts: Vec<ReadAttempt>,
    /// As read back from disk, sorted by intent; within one in the ledger's order.
    pub charges: Vec<Charge>,
    pub port: u16,
    pub elapsed: Duration,
}

impl Run {
    /// The measured figures: requests from the attempts, everything else from the ledger.
    pub fn figures(&self) -> Figures {
        let mut tally = IntentTally::default();
        for intent in &self.intents {
            tally.expect(&intent.name);
        }
        for charge in &self.charges {
            tally.charge(&charge.intent);
        }
        tally.figures(self.attempts.len() as u64)
    }
}

/// Runs one scenario with its ledger at `path`, which is begun anew. Errors: a port, the ledger, a connection that we
/// could not make or take, a task that died. After any of them nothing is known of the policy.
pub async fn run(setup: Setup, path: &Path, shared: Shared) -> anyhow::Result<Run> {
    let since = Instant::now();
    let runner = ScenarioRunner::set_up(setup, path, shared)?;
    let scenario = setup.scenario;
    let intents: Vec<_> = (1..=setup.intents).map(|number| scenario.intent(number)).collect();
    let server = runner.serve(&[])?;
    let (server, mut attempts) = if scenario.restart {
        runner.attempt_all_with_restart(server, &intents).await?
    } else {
        (server, runner.attempt_all(&intents).await?)
    };
    let at_rest = tokio::time::timeout(COMMIT_TIME, server.stop()).await;
    at_rest.context("a commit is still under way")??;
    let mut charges = runner.charges()?;
    charges.sort_by(|a, b| a.intent.cmp(&b.intent));
    attempts.sort_by(|a, b| a.order().cmp(&b.order()));
    Ok(Run { intents, attempts, charges, port: runner.address.port(), elapsed: since.elapsed() })
}
