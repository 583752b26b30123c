//! The user's own disruptions: the key store down, the process stopped and continued, a replica gone. Invariant: what was
//! disrupted is healed, however the check ends; while it lasts requests may fail, and afterwards every key settles.

use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until};

use super::race::{Release, Shot, fire};
use super::{Plan, past_window};
use crate::console::interrupt::Held;
use crate::console::output::say;
use crate::console::printable::printable;
use crate::console::shell::{self, Started};
use crate::proxy::{End, Fault};
use crate::target::drive::join::join_all;
use crate::target::drive::session::Session;
use crate::target::facts::case::{Case, Shortfall};
use crate::target::options::{Disruption, Options};

pub fn needs(options: &Options) -> Option<&'static str> {
    let needed = "give --disrupt NAME=CMD and --heal NAME=CMD: what goes wrong around your server, and its end";
    options.disruptions.is_empty().then_some(needed)
}

/// Each key of [`Keys`] and of [`after`] with its requests.
pub fn plan(options: &Options) -> Plan {
    let disruptions = options.disruptions.len() as u64;
    Plan::new(disruptions * (4 * 4 + 7), disruptions * (4 + 3))
}

pub async fn drive(session: &Session) -> Vec<Case> {
    let mut cases = Vec::new();
    for disruption in &session.options.disruptions {
        cases.extend(disrupted(session, disruption).await);
    }
    cases
}

/// The keys that live through one disruption.
struct Keys {
    stored: Case,
    in_flight: Case,
    lost_reply: Case,
    raced: Case,
}

impl Keys {
    fn new(session: &Session, name: &str) -> Keys {
        let case = |what: &str| session.case("disruption", format!("{name}: {what}"));
        Keys {
            stored: case("charged before"),
            in_flight: case("under way when it began"),
            lost_reply: case("first sent meanwhile, the reply lost"),
            raced: case("two at once meanwhile"),
        }
    }

    fn all(&mut self) -> [&mut Case; 4] {
        [&mut self.stored, &mut self.in_flight, &mut self.lost_reply, &mut self.raced]
    }
}

/// Heals, and does so when it is dropped too, as on an interrupt; the process does not end before.
pub struct Healer<'a> {
    command: &'a str,
    /// None before it has begun, and once it is over.
    started: Option<Started>,
    is_over: bool,
    _held: Held,
}

impl<'a> Healer<'a> {
    pub fn new(command: &'a str) -> Healer<'a> {
        Healer { command, started: None, is_over: false, _held: Held::new() }
    }

    /// # Errors
    /// Says how the command failed.
    pub async fn heal(mut self) -> Result<(), String> {
        let started = self.started.insert(Started::apart(self.command, shell::PATIENCE)?);
        let healed = started.over().await;
        self.is_over = true;
        healed
    }

    /// The same while everything else ends; what has begun is not begun once more.
    fn heal_at_last(&mut self) -> Result<(), String> {
        match &mut self.started {
            Some(started) => started.over_at_last(),
            None => Started::apart(self.command, shell::PATIENCE)?.over_at_last(),
        }
    }
}

impl Drop for Healer<'_> {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        // Nobody is left to be told how it went but the user.
        if let Err(why) = self.heal_at_last() {
            say!("idem: error: `{}`: {}", printable(self.command), printable(&why));
        }
    }
}

/// A lock's lease is to end while it lasts, but not the promised window: a key may be forgotten then.
fn lasting(options: &Options) -> Duration {
    options.window.map_or(options.lease, |window| options.lease.min(window / 2))
}

async fn disrupted(session: &Session, disruption: &Disruption) -> Vec<Case> {
    let mut keys = Keys::new(session, &disruption.name);
    session.send(&mut keys.stored, 0, "before").await;
    let healer = Healer::new(&disruption.heal);
    let begun = async {
        sleep(session.latency() / 2).await;
        shell::effect(&disruption.disrupt, shell::PATIENCE).await
    };
    let meanwhile = async {
        let failed = begun.await.err();
        let until = Instant::now() + lasting(&session.options);
        if failed.is_none() {
            during(session, &mut keys.stored, &mut keys.lost_reply, &mut keys.raced).await;
            sleep_until(until).await;
        }
        failed
    };
    let (_, failed) = tokio::join!(session.send(&mut keys.in_flight, 0, "just before it"), meanwhile);
    // Retries that wait at the door when it ends.
    let (_, healed) =
        tokio::join!(join_all(keys.all().map(|case| session.send(case, 0, "just before its end"))), async {
            sleep(session.latency()).await;
            healer.heal().await
        });
    let name = &disruption.name;
    let failed = failed.map(|why| format!("--disrupt {name}: {why}"));
    let failed = failed.or(healed.err().map(|why| format!("--heal {name}: {why}")));
    if let Some(why) = failed {
        keys.all().into_iter().for_each(|case| case.shortfall = Some(Shortfall::NotCarriedOut(why.clone())));
    }
    let Keys { stored, in_flight, lost_reply, raced } = keys;
    let mut cases = session.retry_later(vec![stored, in_flight, lost_reply, raced]).await;
    past_window(session, &mut cases);
    if cases.iter().all(|case| case.shortfall.is_none()) {
        cases.extend(after(session, name).await);
    }
    cases
}

/// `replay`, `post_drop` and `race_2` while it lasts: side by side, since each may wait in vain.
async fn during(session: &Session, stored: &mut Case, lost_reply: &mut Case, raced: &mut Case) {
    let replayed = session.send(stored, 0, "meanwhile");
    let lost = lose_reply(session, lost_reply);
    let shots = Shot::volley(session, [(0, &raced.calls[0]); 2]).await;
    tokio::join!(replayed, lost, race(session, raced, shots));
}

/// A race for which no two connections open has not failed: the disruption may not let any through.
async fn race(session: &Session, raced: &mut Case, shots: Vec<Shot<'_>>) {
    fire(session, raced, shots, Release::Whole).await;
    raced.shortfall = None;
}

async fn lose_reply(session: &Session, case: &mut Case) {
    let fault = Fault::DropAfterReply { by: End::Rst };
    session.send_through(case, "the proxy reads the reply and resets the client", fault, session.patience()).await;
    session.send(case, 0, "retry at once").await;
}

/// The same three with fresh keys, once it is over.
async fn after(session: &Session, name: &str) -> Vec<Case> {
    let case = |what: &str| session.case("disruption", format!("{name}, afterwards: {what}"));
    let (mut replay, mut lost, mut raced) = (case("replay"), case("the reply lost"), case("two at once"));
    session.send(&mut replay, 0, "first").await;
    session.send(&mut replay, 0, "again").await;
    lose_reply(session, &mut lost).await;
    let shots = Shot::volley(session, [(0, &raced.calls[0]); 2]).await;
    fire(session, &mut raced, shots, Release::Whole).await;
    session.send(&mut raced, 0, "again").await;
    vec![replay, lost, raced]
}
