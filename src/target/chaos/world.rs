//! What happens to the target and around it. Invariant: what a schedule disrupts is healed, however it ends, and nothing is
//! restarted meanwhile.

use std::time::Duration;

use tokio::time::timeout;

use super::play::{Missed, Stage};
use super::send;
use super::step::Moment;
use crate::console::shell;
use crate::target::checks::disruption::Healer;
use crate::target::drive::restarted::restarted;
use crate::target::facts::answer::Class;
use crate::target::facts::case::Attempt;

/// An item that was charged shows within it.
const ITEM: Duration = Duration::from_secs(1);

impl Stage<'_> {
    pub async fn disrupt(&mut self, name: &str) -> Result<Missed, String> {
        let Some(disruption) = self.session.options.disruptions.iter().find(|one| one.name == name) else {
            return Ok(Some("no --disrupt of that name is given"));
        };
        if self.healer.is_some() {
            return Ok(Some("something is disrupted already"));
        }
        self.healer = Some(Healer::new(&disruption.heal));
        let begun = shell::effect(&disruption.disrupt, shell::PATIENCE).await;
        begun.map(|()| None).map_err(|why| format!("--disrupt {name}: {why}"))
    }

    pub async fn heal(&mut self) -> Result<Missed, String> {
        match self.healer.take() {
            Some(healer) => healer.heal().await.map(|()| None).map_err(|why| format!("--heal: {why}")),
            None => Ok(Some("nothing is disrupted")),
        }
    }

    pub async fn restart(&mut self) -> Result<Missed, String> {
        let Some(command) = self.session.options.restart.as_ref() else {
            return Ok(Some("no --restart-cmd is given"));
        };
        restarted(self.session, command).await.map(|()| None)
    }

    /// Waits as long as an item may reasonably take after a reply, and what the ledger shows late by its nature.
    pub async fn await_item(&mut self, order: usize) -> Missed {
        let (session, order) = (self.session, &self.orders[order]);
        if order.case.attempts.is_empty() {
            return Some("nothing was sent for it yet");
        }
        let patience = (session.latency() * 20).max(ITEM).min(session.patience()) + session.options.oracle.lag();
        let seen = timeout(patience, session.item_seen(&order.call().intent)).await;
        seen.is_err().then_some("the ledger did not show the item in time")
    }

    /// Where the kill falls depends on the command; it counts where it cut the request off.
    pub async fn restart_during(&mut self, order: usize, after: Moment, words: &str) -> Result<Missed, String> {
        let Some(command) = self.session.options.restart.as_ref() else {
            return Ok(Some("no --restart-cmd is given"));
        };
        let call = self.orders[order].call().clone();
        let kill = async {
            match after.since(self.session.latency()) {
                Some(after) => tokio::time::sleep(after).await,
                // Where it never shows, the kill misses its moment.
                None => drop(timeout(self.session.patience(), self.session.item_seen(&call.intent)).await),
            }
            restarted(self.session, command).await
        };
        let (attempt, killed) = tokio::join!(send::plain(self.session, &call, words), kill);
        killed?;
        let cut_off = matches!(attempt.answer.class, Class::Silence | Class::Unsent);
        self.orders[order].case.attempts.push(Attempt { faulted: cut_off, ..attempt });
        Ok((!cut_off).then_some("the reply came before the kill"))
    }
}
