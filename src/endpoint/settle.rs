//! Retries once the faults are over, as I4 asks for. Invariant: bounded by the lease and what the target asks for by
//! Retry-After, and the last retry comes after both.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

use tokio::sync::SemaphorePermit;
use tokio::time::{Instant, sleep_until, timeout_at};

use super::answer::Class;
use super::case::{Case, Shortfall};
use super::session::Session;

/// A longer Retry-After is not waited for.
const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(60);
/// Pauses between retries while a lease may be held grow from the first to the second.
const PAUSES: [Duration; 2] = [Duration::from_millis(100), Duration::from_millis(1500)];
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

    /// Retries the identical request until it settles or the lease is over. The last retry comes after the lease.
    pub async fn settle(&self, case: &mut Case) {
        let since = Instant::now();
        let (mut lease, mut pause) = (self.options.lease, PAUSES[0]);
        case.waited = Duration::ZERO;
        while case.open() && case.waited < lease {
            let asked = case.last().and_then(|answer| answer.retry_after).unwrap_or(Duration::ZERO);
            if asked > LONGEST_RETRY_AFTER {
                let why = format!("the target asks to come back after {} s", asked.as_secs());
                case.shortfall = Some(Shortfall::NotHit(why));
                return;
            }
            lease = lease.max(self.options.lease + asked);
            let pause_now = scattered(pause).max(asked);
            tokio::time::sleep(pause_now.min(lease.saturating_sub(since.elapsed()))).await;
            let alone = self.alone(case, since + lease).await;
            self.send(case, 0, "retry").await;
            drop(alone);
            pause = (pause * 3 / 2).min(PAUSES[1]);
            case.waited = since.elapsed();
        }
    }

    /// Waits until nothing else drives the target, so that no key is judged by how busy the other checks keep it. What
    /// blames the load is asked again only then; an in-flight answer at the lease's end at the latest. None where it may
    /// not wait: silence would keep all others waiting too.
    async fn alone(&self, case: &Case, end: Instant) -> Option<SemaphorePermit<'_>> {
        let last = case.last()?;
        let free = async {
            let floor = self.floor.acquire_many(self.options.jobs as u32).await.ok();
            sleep_until(self.driven.get() + self.latency() * 2).await;
            floor
        };
        match (last.class, last.status) {
            (Class::Failure, _) | (Class::InFlight, Some(429)) => free.await,
            (Class::InFlight, _) => timeout_at(end, free).await.ok()?,
            (Class::Refusal | Class::Silence | Class::Unsent | Class::Withheld | Class::Success | Class::Named, _) => {
                None
            }
        }
    }
}
