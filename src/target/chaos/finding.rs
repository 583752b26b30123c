//! A broken invariant with the smallest schedule that breaks it. Invariant: two findings are of different faults as far
//! as verdict and shape tell.

use std::time::Duration;

use super::schedule::Schedule;
use super::shape::Shape;
use super::size::size;
use super::trial::Trial;
use crate::target::checks::{Check, Plan, Scope, Turn};
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
    /// Whether it explains that a schedule came to this verdict: all that is peculiar about it is there.
    pub fn explains(&self, schedule: &Schedule, verdict: Verdict) -> bool {
        self.verdict == verdict && Shape::of(&self.schedule).is_within(&Shape::of(schedule))
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

/// Takes it up. One that is explained only counts for what explains it; else it stands for all that it explains. Of two
/// that explain each other the smaller one stays.
pub fn take_up(findings: &mut Vec<Finding>, found: Finding) {
    if let Some(known) = findings.iter_mut().find(|known| known.explains(&found.schedule, found.verdict)) {
        let seen_again = known.seen_again + 1;
        if found.explains(&known.schedule, known.verdict) && size(&found.schedule) < size(&known.schedule) {
            *known = found;
        }
        known.seen_again = seen_again;
        return;
    }
    let explained = |known: &Finding| found.explains(&known.schedule, known.verdict);
    let place = findings.iter().position(explained).unwrap_or(findings.len());
    let more: u64 = findings.extract_if(.., |known| explained(known)).map(|known| known.seen_again + 1).sum();
    findings.insert(place, Finding { seen_again: more, ..found });
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
        scope: Scope::Any,
        by_http: false,
        needs: |_| None,
        plan: |_| Plan::new(0, 0),
        drive: |_| Box::pin(async { Vec::new() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::chaos::fixtures::schedule;
    use crate::target::chaos::step::{Release, Step};

    fn finding(verdict: Verdict, steps: &[Step]) -> Finding {
        let trial = Trial { verdict, cases: Vec::new(), missed: Vec::new() };
        let schedule = schedule(1, steps);
        let (stopped, elapsed) = (None, Duration::ZERO);
        Finding { verdict, schedule, trial, broke: 3, of: 3, drawn: Some((7, 9)), stopped, seen_again: 0, elapsed }
    }

    #[test]
    fn one_fault_is_one_verdict_of_one_shape() {
        let race = Step::Race { order: 0, copies: 2, release: Release::Together, varied: None };
        let known = finding(Verdict::Duplicate, &[race.clone(), Step::plain(0)]);
        let again = [Step::plain(0), race, Step::NoKey, Step::plain(0)];
        assert!(known.explains(&schedule(1, &again), Verdict::Duplicate));
        assert!(!known.explains(&schedule(1, &again), Verdict::Lost), "another invariant");
        assert!(!known.explains(&schedule(1, &[Step::plain(0), Step::NoKey]), Verdict::Duplicate), "no race");
    }

    #[test]
    fn what_explains_others_stands_for_them_in_the_place_of_the_first() {
        let restart = Step::Restart;
        let both = [Step::plain(0), Step::NoKey, restart.clone(), Step::plain(0)];
        let mut findings = Vec::new();
        for steps in [&both[..], &[Step::plain(0), restart, Step::plain(0)], &[Step::NoKey], &both] {
            take_up(&mut findings, finding(Verdict::Duplicate, steps));
        }
        let told: Vec<_> = findings.iter().map(|one| (one.schedule.steps.len(), one.seen_again)).collect();
        assert_eq!(told, [(3, 2), (1, 0)]);
        take_up(&mut findings, finding(Verdict::Duplicate, &[Step::plain(0), Step::plain(0)]));
        assert_eq!((findings.len(), findings[0].seen_again), (1, 4));
    }

    #[test]
    fn the_evidence_says_how_often_it_came_again_and_what_was_cut_short() {
        let told = |broke, of, stopped: Option<&str>| {
            let stopped = stopped.map(str::to_owned);
            let found = Finding { broke, of, stopped, ..finding(Verdict::Duplicate, &[Step::plain(0)]) };
            found.into_row(0, &[]).evidence
        };
        let told_of = told(2, 3, None);
        assert!(
            told_of.contains("played again 3 times with fresh keys: 2 times; shrunk from 9 to 1 steps"),
            "{told_of}"
        );
        let cut_short = told(0, 0, Some("confirming was cut short: its time was over"));
        assert!(cut_short.contains("; seen once, not confirmed; "), "{cut_short}");
        assert!(cut_short.ends_with("; confirming was cut short: its time was over"), "{cut_short}");
    }
}
