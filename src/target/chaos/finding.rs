//! A broken invariant with the smallest schedule that breaks it. Invariant: two findings are of different faults as far
//! as verdict and shape tell.

use std::time::Duration;

use super::schedule::Schedule;
use super::shrink::size;
use super::trial::Trial;
use crate::target::checks::{Check, Plan, Turn};
use crate::target::judge::verdict::Verdict;
use crate::target::options::Design;
use crate::target::run::row::Row;

/// The most findings of one run: each has a row of its own.
pub const MOST: usize = 9;

/// One fault, as far as it can be told apart.
pub struct Finding {
    pub verdict: Verdict,
    pub schedule: Schedule,
    /// The last play that broke it.
    pub trial: Trial,
    /// Of how many plays with fresh keys the schedule broke it in how many, the first not counted.
    pub broke: usize,
    pub of: usize,
    /// Which schedule of the seed it was, and its steps before shrinking; None where it was read from a file.
    pub drawn: Option<(u64, usize)>,
    /// What was cut short of following it up, and why; None where nothing was.
    pub stopped: Option<String>,
    /// Schedules that broke the same afterwards.
    pub seen_again: u64,
    pub elapsed: Duration,
}

impl Finding {
    /// Whether it explains that a schedule came to this verdict.
    pub fn explains(&self, schedule: &Schedule, verdict: Verdict) -> bool {
        self.verdict == verdict && schedule.holds(&self.schedule)
    }

    /// Whether it is the same fault.
    pub fn is_like(&self, other: &Finding) -> bool {
        self.verdict == other.verdict && (self.schedule.holds(&other.schedule) || other.schedule.holds(&self.schedule))
    }

    pub fn is_smaller(&self, other: &Finding) -> bool {
        size(&self.schedule) < size(&other.schedule)
    }

    /// The nth row of the report, counted from 0.
    pub fn into_row(self, n: usize, accept: &[Design]) -> Row {
        let mut row = Row::new(&ROWS[n.min(MOST - 1)], self.trial.cases, self.elapsed, accept);
        row.evidence += &match (self.broke, self.of) {
            (_, 0) => "; seen once, not confirmed".to_string(),
            (broke, of) => format!("; played again {of} times with fresh keys: {broke} times"),
        };
        if let Some((nth, steps)) = self.drawn {
            let now = self.schedule.steps.len();
            row.evidence += &format!("; shrunk from {steps} to {now} steps, schedule {nth} of the seed");
        }
        row.evidence += &self.stopped.map(|what| format!("; {what}")).unwrap_or_default();
        if self.seen_again > 0 {
            row.evidence += &format!("; {} more schedules came to the same", self.seen_again);
        }
        row.schedule = Some(self.schedule);
        row
    }
}

/// The row of an exploration that found nothing.
pub const CHAOS: Check = check("chaos");

/// The rows of findings.
const ROWS: [Check; MOST] = [
    check("chaos_1"),
    check("chaos_2"),
    check("chaos_3"),
    check("chaos_4"),
    check("chaos_5"),
    check("chaos_6"),
    check("chaos_7"),
    check("chaos_8"),
    check("chaos_9"),
];

const fn check(name: &'static str) -> Check {
    Check {
        name,
        shows: None,
        provokes: "the schedule's steps, one after another",
        means: "these steps break an invariant; the time line shows where",
        cure: "see `idem explain` for the check that its last step resembles",
        turn: Turn::Staged,
        needs: |_| None,
        plan: |_| Plan::new(0, 0),
        drive: |_| Box::pin(async { Vec::new() }),
    }
}
