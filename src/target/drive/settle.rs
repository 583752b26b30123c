//! Retries once the faults are over, as I4 asks for; when, `lease` says. Invariant: a refusal that blames the load decides
//! only where no check drove the target.

use std::cell::Cell;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::exclusive::Place;
use super::join::join_all;
use super::lease::{Lease, Next, Standing};
use super::load::QUIET;
use super::session::Session;
use crate::target::facts::answer::Class;
use crate::target::facts::case::{Case, Rule, Shortfall};

/// A key that settles so long after the lease is worth a remark: that the target was busy till then is not shown.
const OVERDUE: Duration = Duration::from_secs(1);
/// After so many keys that are not answered at all, more of them would only take the target's workers and our time.
pub const SILENT: usize = 3;

impl Session {
    /// One more retry of each case, later: what has settled must stay settled.
    pub async fn retry_later(&self, mut cases: Vec<Case>) -> Vec<Case> {
        // A key that was not answered at all waits out its lease anyway, and a few of them are a finding.
        let mut silent = 0;
        // A repeat after a success is another order where nothing was promised.
        let is_over = |case: &Case| case.rule == Rule::Unpromised && case.settled();
        for case in cases.iter_mut().filter(|case| case.shortfall.is_none() && !case.silent() && !is_over(case)) {
            self.send(case, case.retried(), "retry later").await;
            silent += usize::from(case.silent());
            if silent == SILENT {
                break;
            }
        }
        cases
    }

    /// Retries the identical request of each case until it settles or the lease is over.
    pub async fn settle(&self, cases: &mut [Case]) {
        self.settle_within(cases, self.options.lease).await;
    }

    /// As [`Session::settle`], with another lease than the promised one.
    pub async fn settle_within(&self, cases: &mut [Case], lease: Duration) {
        self.load.learn(cases);
        let in_vain = Cell::new(false);
        let leases = join_all(cases.iter_mut().map(|case| self.settle_one(case, lease, &in_vain))).await;
        let late = cases.iter_mut().zip(leases).filter(|(case, lease)| self.is_overdue(case, *lease));
        if let Some(last) = late.map(|(case, _)| case).max_by_key(|case| case.waited) {
            let (label, waited) = (&last.label, last.waited.as_secs_f64());
            let late = format!("{label}: refused for now, as by a busy target, and settled only after {waited:.1} s");
            last.remarks.push(late);
        }
    }

    /// Gives the lease, as long as Retry-After has made it.
    async fn settle_one(&self, case: &mut Case, lease: Duration, in_vain: &Cell<bool>) -> Duration {
        let since = Instant::now();
        let mut lease = Lease::new(lease);
        case.waited = Duration::ZERO;
        loop {
            match lease.next(self.standing(case), share()) {
                Next::Wait(pause) => tokio::time::sleep(pause).await,
                Next::Stop => break,
                Next::TooLate(asked) => {
                    let why = format!("the target asks to come back after {} s", asked.as_secs());
                    case.shortfall = Some(Shortfall::NotHit(why));
                    break;
                }
            }
            let alone = self.alone(case, since + lease.length()).await;
            self.send(case, case.retried(), "retry").await;
            lease.retried(since.elapsed(), alone.is_some());
            if alone.is_some() && lease.is_over() && !in_vain.get() {
                self.ask_in_quiet(case).await;
                // One such key is a finding; the others need not be asked that often.
                in_vain.set(self.standing(case).blames_load);
            }
            drop(alone);
            case.waited = since.elapsed();
        }
        if case.rule == Rule::Unpromised && case.last().is_some_and(|answer| answer.class == Class::Refusal) {
            case.remarks.push("a repeat is refused, so that its client never learns of a success that was lost".into());
        }
        lease.length()
    }

    /// What blames the load is asked a few times more while nothing else drives the target.
    async fn ask_in_quiet(&self, case: &mut Case) {
        let since = Instant::now();
        for quiet in QUIET {
            let standing = self.standing(case);
            let pause = (self.latency() + quiet).max(standing.asked);
            if !standing.blames_load || !self.load.affords(since.elapsed() + pause) {
                break;
            }
            tokio::time::sleep(pause).await;
            self.send(case, case.retried(), "retry").await;
        }
        if case.awaits_answer() {
            self.load.spend(since.elapsed());
        }
    }

    fn standing(&self, case: &Case) -> Standing {
        let (awaits_answer, last) = (case.awaits_answer(), case.last());
        Standing {
            awaits_answer,
            blames_load: awaits_answer && last.is_some_and(|last| self.load.may_explain(last)),
            asked: last.and_then(|answer| answer.retry_after).unwrap_or_default(),
        }
    }

    /// Whether the case has settled long after its lease, and was refused for the load till then.
    fn is_overdue(&self, case: &Case, lease: Duration) -> bool {
        let refusal = case.attempts.iter().rfind(|attempt| !attempt.answer.settles());
        let blamed = refusal.is_some_and(|attempt| self.load.may_explain(&attempt.answer));
        blamed && case.settled() && case.waited > lease + OVERDUE
    }

    /// Waits until nothing else drives the target, so that no key is judged by how busy the other checks keep it. What
    /// blames the load is asked again only then; an in-flight answer at the lease's end at the latest. None where it may
    /// not wait: silence would keep all others waiting too.
    async fn alone(&self, case: &Case, end: Instant) -> Place<'_> {
        let undriven = self.exclusive.alone(self.latency() * 2);
        match case.last()? {
            answer if self.load.may_explain(answer) => undriven.await,
            answer if answer.class == Class::InFlight => timeout_at(end, undriven).await.ok()?,
            _ => None,
        }
    }
}

/// By chance, 0 to 1023.
fn share() -> u32 {
    (RandomState::new().build_hasher().finish() % 1024) as u32
}
