//! Fault phases: where a failure falls relative to the commit. Invariant: a phase only decides; the server acts.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use crate::terms::named::named_enum;

/// The slow reply is held at least this long, and until the client has given up.
pub const SLOW_REPLY: Duration = Duration::from_millis(600);

named_enum! {
    /// Which failure the server provokes. Each hits the first request of every intent.
    pub enum FaultPhase {
        None = "none",
        /// Answers 503 before anything is written.
        PreCommitFailure = "pre_commit_failure",
        /// Commits, then shuts the socket down both ways without a byte of reply.
        PostCommitDrop = "post_commit_drop",
        /// Commits, then holds the reply past the client's patience.
        PostCommitSlow = "post_commit_slow",
    }
}

/// What the server does to one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disruption {
    None,
    RefuseBeforeCommit,
    DropAfterCommit,
    HoldAfterCommit(Duration),
}

impl FaultPhase {
    /// What happens to the `nth` request of an intent, counted from 1.
    pub fn disrupt(self, nth: u32) -> Disruption {
        match (self, nth) {
            (FaultPhase::PreCommitFailure, 1) => Disruption::RefuseBeforeCommit,
            (FaultPhase::PostCommitDrop, 1) => Disruption::DropAfterCommit,
            (FaultPhase::PostCommitSlow, 1) => Disruption::HoldAfterCommit(SLOW_REPLY),
            (
                FaultPhase::None
                | FaultPhase::PreCommitFailure
                | FaultPhase::PostCommitDrop
                | FaultPhase::PostCommitSlow,
                _,
            ) => Disruption::None,
        }
    }
}

/// A phase at work: it counts the requests of each intent, over restarts of the server too.
#[derive(Debug)]
pub struct PhaseCounter {
    phase: FaultPhase,
    seen: Mutex<HashMap<String, u32>>,
}

impl PhaseCounter {
    pub fn new(phase: FaultPhase) -> PhaseCounter {
        PhaseCounter { phase, seen: Mutex::default() }
    }

    /// What happens to the request of this intent that has just come in.
    pub fn next(&self, intent: &str) -> Disruption {
        if self.phase == FaultPhase::None {
            return Disruption::None;
        }
        let mut seen = self.seen.lock().expect("no request panics while it counts");
        let nth = seen.entry(intent.to_owned()).or_insert(0);
        *nth += 1;
        self.phase.disrupt(*nth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_hits_the_first_request_alone() {
        for &phase in FaultPhase::ALL {
            assert_eq!(phase.disrupt(1) == Disruption::None, phase == FaultPhase::None, "{phase}");
            assert_eq!(phase.disrupt(2), Disruption::None, "{phase}");
        }
    }
}
