//! One run of the command: before, under one fault, and after. Invariant: what is counted was counted when nothing of the
//! run was under way any more.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until};

use super::client::Client;
use super::recording::Recording;
use crate::console::output::say;
use crate::http::address::Address;
use crate::proxy::attempt_line::AttemptLine;
use crate::proxy::attempt_log::Rules;
use crate::proxy::readings::Readings;
use crate::proxy::settings::Settings;
use crate::reconcile::oracle::{Ledger, Oracle};
use crate::terms::run_id::run_id;

/// A ledger that changes for longer than this, though nobody sends anything, is someone else's too.
const RESTLESS: Duration = Duration::from_secs(60);

/// What all runs of one call share.
pub struct Bench<'a> {
    pub command: &'a [OsString],
    pub listen: SocketAddr,
    pub upstream: &'a Address,
    pub settings: Settings,
    /// None: nothing can be counted.
    pub oracle: Option<Oracle>,
}

/// When a run is ended though the command goes on.
#[derive(Clone, Copy, Debug)]
pub struct Bound {
    /// More attempts than these of one intent.
    pub attempts: u32,
    pub span: Duration,
}

/// How a run came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// By itself, with this code.
    Ended(u8),
    TooManyAttempts,
    TooLong,
}

/// What one run left.
pub struct Trial {
    pub ending: Ending,
    /// Whether the command was killed and run again.
    pub was_killed: bool,
    pub attempts: Vec<AttemptLine>,
    /// The ledger before and after. None where there is none.
    pub counted: Option<(Ledger, Ledger)>,
    pub took: Duration,
}

impl Bench<'_> {
    /// Runs the command once, or twice where it is killed.
    ///
    /// # Errors
    /// The port, the command, the ledger or the readings.
    pub async fn run(&self, rules: Rules, bound: Option<Bound>, file: Option<&mut Readings>) -> anyhow::Result<Trial> {
        let before = match &self.oracle {
            Some(oracle) => Some(read(oracle).await?),
            None => None,
        };
        let run = format!("{}-{}", rules.fault, run_id());
        let (kill, began) = (rules.until_killed, Instant::now());
        let mut recording = Recording::start(self.listen, self.upstream, self.settings.clone(), rules, file).await?;
        let mut client = Client::start(self.command, &recording.url(), &run)?;
        let mut was_killed = false;
        let ending = loop {
            match watch(&mut client, &mut recording, bound, kill && !was_killed).await? {
                Some(ending) => break ending,
                None => {
                    client.kill()?;
                    was_killed = true;
                    recording.fault_no_more();
                    client = Client::start(self.command, &recording.url(), &run)?;
                }
            }
        };
        let took = began.elapsed();
        drop(client);
        recording.settle(self.settings.reply + self.settings.connect).await?;
        let attempts = recording.finish()?;
        let counted = match (&self.oracle, before) {
            (Some(oracle), Some(before)) => Some((before, at_rest(oracle).await?)),
            (Some(_) | None, _) => None,
        };
        Ok(Trial { ending, was_killed, attempts, counted, took })
    }
}

/// Watches the command to its end. None where something is held back and the command is to be killed at that.
async fn watch(
    client: &mut Client,
    recording: &mut Recording<'_>,
    bound: Option<Bound>,
    kill: bool,
) -> anyhow::Result<Option<Ending>> {
    let end = bound.map(|bound| Instant::now() + bound.span);
    loop {
        tokio::select! {
            biased;
            held = recording.next() => {
                if held? && kill {
                    return Ok(None);
                }
                let most = bound.map_or(u32::MAX, |bound| bound.attempts);
                if recording.attempts().last().is_some_and(|last| last.attempt() > most) {
                    return Ok(Some(Ending::TooManyAttempts));
                }
            }
            code = client.ended() => return Ok(Some(Ending::Ended(code?))),
            () = until(end) => return Ok(Some(Ending::TooLong)),
        }
    }
}

async fn until(end: Option<Instant>) {
    match end {
        Some(end) => sleep_until(end).await,
        None => std::future::pending().await,
    }
}

async fn read(oracle: &Oracle) -> anyhow::Result<Ledger> {
    oracle.read().await.map_err(|why| anyhow::anyhow!("--ledger: {why}"))
}

/// The ledger when it has not changed for the lag.
async fn at_rest(oracle: &Oracle) -> anyhow::Result<Ledger> {
    let end = Instant::now() + RESTLESS + oracle.lag;
    let mut last = read(oracle).await?;
    loop {
        sleep(oracle.lag).await;
        let next = read(oracle).await?;
        if next.items == last.items {
            return Ok(next);
        }
        if Instant::now() > end {
            say!("idem: {}: still changing after {RESTLESS:?}; counted as it is now", oracle.source);
            return Ok(next);
        }
        last = next;
    }
}
