//! The server is killed and started again: after success, and while requests are under way, so that some are in the
//! middle and some have their ledger item and no reply. Invariant: a kill counts for a moment only if it was observed
//! there: no reply came, and the ledger tells on which side of the charge it fell.

mod back;
mod moments;

use std::time::{Duration, Instant};

pub use self::back::restarted_and_asked;
use self::moments::{AFTER_THE_REPLY, KILLS, Moments};
use super::keys::{self, Other};
use super::{Plan, past_window};
use crate::proxy::reach;
use crate::target::drive::join::join_all;
use crate::target::drive::restarted::restarted;
use crate::target::drive::session::Session;
use crate::target::facts::answer::Class;
use crate::target::facts::case::{Case, Shortfall};
use crate::target::options::{Identity, Options, Restart};

/// Requests under way at a time.
const WORKERS: u32 = 8;
/// Bound of one worker's requests for one kill: where it was seen when the first one fell, and where it was not.
const MOST: [usize; 2] = [30, 200];
/// How much earlier than the kill is expected the load begins, at least; the kill is only about so precise.
const LEAD: Duration = Duration::from_millis(4);

pub fn needs(options: &Options) -> Option<&'static str> {
    options.restart.is_none().then_some("give --restart-cmd, which kills the server and starts it again")
}

/// What another payload after the restart differs in: this many of what `key_reuse` tries.
const OTHERS: usize = 3;

/// How many requests are under way when the kill comes depends on the target.
pub fn plan(options: &Options) -> Plan {
    let load = (KILLS[1] * WORKERS as usize * 3) as u64;
    let others = others(options).len() as u64;
    Plan::new(2 + 3 + 2 + 3 * others + 2 * load, 3 + others + load)
}

fn others(options: &Options) -> Vec<Other> {
    let has_key = options.identity == Identity::Key;
    Other::all(options).into_iter().filter(|_| has_key).take(OTHERS).collect()
}

/// What the kills told so far.
struct Kills<'a> {
    session: &'a Session,
    command: &'a Restart,
    /// From the command's start until connections are refused; the kill falls about there.
    delay: Duration,
    moments: Moments,
}

pub async fn drive(session: &Session) -> Vec<Case> {
    let Some(command) = session.options.restart.as_ref() else { return Vec::new() };
    let mut kills = Kills { session, command, delay: Duration::ZERO, moments: Moments::default() };
    let since = Instant::now();
    let mut cases = kills.after_success().await;
    let mut done = 0;
    let carried_out = |cases: &[Case]| cases.iter().all(|case| case.shortfall.is_none());
    while carried_out(&cases) && kills.moments.ask_for_more(done, since.elapsed()) {
        cases.extend(kills.under_load().await);
        done += 1;
    }
    kills.moments.tell(&mut cases);
    cases
}

impl Kills<'_> {
    /// Success, restart, replay: as soon as connections are taken, when the server is ready, and after another payload;
    /// and a new order, whose receipt has to be new. Measures how long the kill takes.
    async fn after_success(&mut self) -> Vec<Case> {
        let session = self.session;
        let mut replay = session.case("restart", "killed after success");
        let mut at_once = session.case("restart", "killed after success, asked the moment it is back");
        let mut fresh = session.case("restart", "a new order after the restart");
        let others = others(&session.options);
        let mut reused: Vec<_> =
            others.iter().map(|other| keys::payloads(session, other, "killed after success")).collect();
        for case in [&mut replay, &mut at_once].into_iter().chain(&mut reused) {
            session.send(case, 0, "first").await;
        }
        let started = Instant::now();
        let (ended, gone) = restarted_and_asked(session, self.command, &mut at_once).await;
        self.delay = gone.map_or(Duration::ZERO, |at| at - started);
        if ended.is_ok() {
            session.send(&mut replay, 0, "after the restart").await;
            session.send(&mut at_once, 0, "after the restart").await;
            // Under a key that nobody has, another payload would win, and the first be refused for good.
            for (case, other) in reused.iter_mut().zip(&others).filter(|(case, _)| case.succeeded(0)) {
                session.send(case, 1, &format!("{}, after the restart", other.label())).await;
                session.send(case, 0, "after the restart").await;
            }
            reused.retain(|case| case.succeeded(0));
            session.send(&mut fresh, 0, "first, after the restart").await;
            session.send(&mut fresh, 0, "again").await;
        }
        let mut cases = [vec![replay, at_once], reused, vec![fresh]].concat();
        if let Err(why) = ended {
            cases.iter_mut().for_each(|case| case.shortfall = Some(Shortfall::NotCarriedOut(why.clone())));
        }
        past_window(session, &mut cases);
        cases
    }

    /// Kills the server while several requests are under way, at different points of their handling, and retries each.
    async fn under_load(&self) -> Vec<Case> {
        let latency = self.session.latency();
        let lead = (latency * 2).max(LEAD);
        let begin = Instant::now() + self.delay.saturating_sub(lead);
        let kill = async {
            reach(begin + lead - self.delay.min(lead)).await;
            restarted(self.session, self.command).await
        };
        let workers = (0..WORKERS).map(|n| self.work(begin + latency * n / WORKERS));
        let (cases, ended) = tokio::join!(join_all(workers), kill);
        let mut cases: Vec<_> = cases.into_iter().flatten().collect();
        for case in &mut cases {
            match &ended {
                Ok(()) => self.session.send(case, 0, "after the restart").await,
                Err(why) => case.shortfall = Some(Shortfall::NotCarriedOut(why.clone())),
            }
        }
        cases
    }

    /// Sends fresh requests until one is cut off.
    async fn work(&self, begin: Instant) -> Vec<Case> {
        reach(begin).await;
        let mut cases = Vec::new();
        while cases.len() < MOST[usize::from(self.delay.is_zero())] {
            let mut case = self.session.case("restart", AFTER_THE_REPLY);
            self.session.send(&mut case, 0, "first, the server is being killed").await;
            match case.attempts[0].answer.class {
                Class::Unsent => break,
                Class::Silence => {
                    self.cut_off(&mut case).await;
                    cases.push(case);
                    break;
                }
                _replied => cases.push(case),
            }
        }
        cases
    }

    /// Looks at once on which side of the charge the kill fell: a server may write what is missing when it starts
    /// again.
    async fn cut_off(&self, case: &mut Case) {
        let intent = &case.calls[0].intent;
        let charged = self.session.options.oracle.read().await.is_ok_and(|ledger| ledger.shows(intent));
        case.label = self.moments.cut_off(charged).into();
    }
}
