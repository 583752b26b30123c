//! Retries once the faults are over, as I4 asks for. Invariant: bounded by the lease and what the target asks for by
//! Retry-After, and by waiting for the check that drives; the last retry comes after all. A refusal that blames the load
//! decides only where no check drove the target.

use std::cell::Cell;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

use tokio::sync::SemaphorePermit;
use tokio::time::{Instant, sleep_until, timeout_at};

use super::join::join_all;
use super::session::Session;
use crate::target::facts::answer::{Answer, Class};
use crate::target::facts::case::{Case, Shortfall};

/// A longer Retry-After is not waited for.
const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(60);
/// Pauses between retries while a lease may be held grow from the first to the second.
const PAUSES: [Duration; 2] = [Duration::from_millis(100), Duration::from_millis(1500)];
/// Before each of the last retries of a key that is refused for the load, beyond a plain request's time: a handler may hold
/// its lock a while after it has replied, and a loaded machine may stop it there.
pub const QUIET: [Duration; 4] =
    [Duration::from_millis(50), Duration::from_millis(100), Duration::from_millis(250), Duration::from_millis(500)];
/// For such retries that were in vain, in a whole run.
pub const QUIET_BUDGET: Duration = Duration::from_secs(20);
/// A key that settles so long after the lease is worth a remark: that the target was busy till then is not shown.
const OVERDUE: Duration = Duration::from_secs(1);
/// After so many keys that are not answered at all, more of them would only take the target's workers and our time.
pub const SILENT: usize = 3;

/// Half to three halves of a pause: many keys settle side by side, and in step they would only refuse one another at a
/// target that takes few requests at once.
fn scattered(pause: Duration) -> Duration {
    let share = RandomState::new().build_hasher().finish() % 1024;
    pause / 2 + pause * share as u32 / 1024
}

impl Session {
    /// One more retry of each case, later: what has settled must stay settled.
    pub async fn retry_later(&self, mut cases: Vec<Case>) -> Vec<Case> {
        // A key that was not answered at all waits out its lease anyway, and a few of them are a finding.
        let mut silent = 0;
        for case in cases.iter_mut().filter(|case| case.shortfall.is_none() && !case.silent()) {
            self.send(case, 0, "retry later").await;
            silent += usize::from(case.silent());
            if silent == SILENT {
                break;
            }
        }
        cases
    }

    /// Retries the identical request of each case until it settles or the lease is over.
    pub async fn settle(&self, cases: &mut [Case]) {
        let fresh = cases.iter().any(Case::refused_fresh);
        self.contended.set(self.contended.get() || fresh);
        let in_vain = Cell::new(false);
        let leases = join_all(cases.iter_mut().map(|case| self.settle_one(case, &in_vain))).await;
        let late =
            cases.iter_mut().zip(leases).filter(|(case, lease)| self.overdue(case, *lease)).map(|(case, _)| case);
        if let Some(last) = late.max_by_key(|case| case.waited) {
            let (label, waited) = (&last.label, last.waited.as_secs_f64());
            let late = format!("{label}: refused for now, as by a busy target, and settled only after {waited:.1} s");
            last.remarks.push(late);
        }
    }

    /// The last retry comes after the lease, and where the last answer blames the load it was alone with the target. Gives
    /// the lease, as long as Retry-After has made it.
    async fn settle_one(&self, case: &mut Case, in_vain: &Cell<bool>) -> Duration {
        let since = Instant::now();
        let (mut lease, mut pause) = (self.options.lease, PAUSES[0]);
        let mut was_alone = false;
        case.waited = Duration::ZERO;
        while case.open() && (case.waited < lease || !was_alone && self.refused_for_load(case)) {
            let asked = asked(case);
            if asked > LONGEST_RETRY_AFTER {
                let why = format!("the target asks to come back after {} s", asked.as_secs());
                case.shortfall = Some(Shortfall::NotHit(why));
                break;
            }
            lease = lease.max(self.options.lease + asked);
            let pause_now = scattered(pause).max(asked);
            tokio::time::sleep(pause_now.min(lease.saturating_sub(since.elapsed()))).await;
            let alone = self.alone(case, since + lease).await;
            self.send(case, 0, "retry").await;
            was_alone = alone.is_some();
            if was_alone && since.elapsed() >= lease && !in_vain.get() {
                self.ask_in_quiet(case).await;
                // One such key is a finding; the others need not be asked that often.
                in_vain.set(self.refused_for_load(case));
            }
            drop(alone);
            pause = (pause * 3 / 2).min(PAUSES[1]);
            case.waited = since.elapsed();
        }
        lease
    }

    /// What blames the load is asked a few times more while nothing else drives the target.
    async fn ask_in_quiet(&self, case: &mut Case) {
        let since = Instant::now();
        for quiet in QUIET {
            let pause = (self.latency() + quiet).max(asked(case));
            if !self.refused_for_load(case) || since.elapsed() + pause > self.quiet.get() {
                break;
            }
            tokio::time::sleep(pause).await;
            self.send(case, 0, "retry").await;
        }
        if case.open() {
            self.quiet.set(self.quiet.get().saturating_sub(since.elapsed()));
        }
    }

    /// Whether the case has settled long after its lease, and was refused for the load till then.
    fn overdue(&self, case: &Case, lease: Duration) -> bool {
        let refusal = case.attempts.iter().rfind(|attempt| !attempt.answer.settles());
        let blamed = refusal.is_some_and(|attempt| self.blames_load(&attempt.answer));
        blamed && case.settled() && case.waited > lease + OVERDUE
    }

    /// Waits until nothing else drives the target, so that no key is judged by how busy the other checks keep it. What
    /// blames the load is asked again only then; an in-flight answer at the lease's end at the latest. None where it may
    /// not wait: silence would keep all others waiting too.
    async fn alone(&self, case: &Case, end: Instant) -> Option<SemaphorePermit<'_>> {
        match case.last()? {
            answer if self.blames_load(answer) => self.undriven().await,
            answer if answer.class == Class::InFlight => timeout_at(end, self.undriven()).await.ok()?,
            _ => None,
        }
    }

    /// The whole floor, and what the last check left behind is done.
    async fn undriven(&self) -> Option<SemaphorePermit<'_>> {
        let floor = self.floor.acquire_many(self.options.jobs as u32).await.ok();
        sleep_until(self.driven.get() + self.latency() * 2).await;
        floor
    }

    fn refused_for_load(&self, case: &Case) -> bool {
        case.open() && case.last().is_some_and(|last| self.blames_load(last))
    }

    /// Whether the answer may be due to how busy the target is with other keys.
    fn blames_load(&self, answer: &Answer) -> bool {
        let may_be_others = answer.status == Some(429) || self.contended.get();
        answer.class == Class::Failure || answer.refuses_for_now() && may_be_others
    }
}

/// How long the target asks to wait; zero where it does not say.
fn asked(case: &Case) -> Duration {
    case.last().and_then(|answer| answer.retry_after).unwrap_or_default()
}
