//! A check's row: its cases, counted and judged. Pure but for the ledger it is given. Invariant: the row's verdict is its
//! strongest case's.

use std::time::Duration;

use super::case::Case;
use super::checks::Check;
use super::invariants::{Judgement, judge};
use super::options::Design;
use super::oracle::Ledger;
use super::verdict::Verdict;
use crate::reading::Figures;

/// One check's result.
pub struct Row {
    pub check: &'static Check,
    pub verdict: Verdict,
    /// The user declared the finding's design.
    pub accepted: bool,
    pub evidence: String,
    pub cases: Vec<Case>,
    pub elapsed: Duration,
}

impl Row {
    /// A check that drove nothing.
    pub fn undriven(check: &'static Check, verdict: Verdict, why: impl Into<String>) -> Row {
        Row { check, verdict, accepted: false, evidence: why.into(), cases: Vec::new(), elapsed: Duration::ZERO }
    }

    pub fn new(check: &'static Check, cases: Vec<Case>, elapsed: Duration, accept: &[Design]) -> Row {
        let mut row = Row { check, verdict: Verdict::Ok, accepted: false, evidence: String::new(), cases, elapsed };
        row.judge(accept);
        row
    }

    /// Counts anew; true where a count has changed.
    pub fn count(&mut self, ledger: &Ledger) -> bool {
        let before: Vec<_> = self.cases.iter().map(|case| case.charges.clone()).collect();
        self.cases.iter_mut().for_each(|case| count(case, ledger));
        self.cases.iter().map(|case| &case.charges).ne(before.iter())
    }

    /// Judges the cases as they are counted.
    pub fn judge(&mut self, accept: &[Design]) {
        let judged: Vec<_> = self.cases.iter().map(|case| (case, judge(case))).collect();
        self.verdict = judged.iter().fold(Verdict::Ok, |worst, (_, judgement)| worst.and(judgement.verdict));
        self.evidence = evidence(self.verdict, &judged);
        let findings = judged.iter().filter(|(_, judgement)| judgement.verdict.is_finding());
        let excused = findings.map(|(case, judgement)| excused(self.check, case, judgement.verdict, accept));
        self.accepted = self.verdict.is_finding() && excused.fold(true, |all, one| all && one);
    }

    /// The case that the time line shows: the first that has the row's verdict.
    pub fn shown(&self) -> Option<&Case> {
        let wanted = self.verdict.is_finding() || matches!(self.verdict, Verdict::Unproven | Verdict::Error);
        self.cases.iter().find(|case| wanted && judge(case).verdict == self.verdict)
    }

    pub fn figures(&self) -> Figures {
        let mut figures = Figures { requests: 0, charges: 0, unique: 0, duplicates: 0, lost: 0 };
        for case in &self.cases {
            figures.requests += case.requests();
            for intent in case.intents() {
                let first = case.calls.iter().position(|call| call.intent == intent).expect("an intent of its calls");
                let charges = case.charged(first).unwrap_or(0);
                figures.charges += charges;
                figures.unique += u64::from(charges > 0);
                figures.duplicates += charges.saturating_sub(1);
            }
            figures.lost += u64::from(case.charges.is_some() && judge(case).verdict == Verdict::Lost);
        }
        figures
    }
}

/// Takes each call's charges from the ledger.
pub fn count(case: &mut Case, ledger: &Ledger) {
    case.charges = Some(case.calls.iter().map(|call| ledger.charges(&call.intent)).collect());
}

/// Whether the user said that this is meant.
fn excused(check: &Check, case: &Case, verdict: Verdict, accept: &[Design]) -> bool {
    let stored_error = case.last().and_then(|answer| answer.status).is_some_and(|status| status >= 500);
    accept.iter().any(|design| match design {
        Design::StoredErrors => verdict == Verdict::Sticky && stored_error,
        Design::SilentReuse => verdict == Verdict::Swallowed && check.name == "key_reuse",
    })
}

/// What decided, how often, and at which moments.
fn evidence(verdict: Verdict, judged: &[(&Case, Judgement)]) -> String {
    let decisive: Vec<_> = judged.iter().filter(|(_, judgement)| judgement.verdict == verdict).collect();
    let remarks = judged.iter().filter_map(|(case, _)| case.remark.as_deref());
    let keys = judged.len();
    let first = match (verdict, decisive.first()) {
        (Verdict::Ok, _) | (_, None) => format!("the invariants held for {keys} keys"),
        (_, Some((case, judgement))) => {
            let labels = labels(decisive.iter().map(|(case, _)| case.label.as_str()));
            format!("{} ({labels}; {} of {keys} keys)", judgement.why, decisive.len()).replace("()", &case.label)
        }
    };
    std::iter::once(first.as_str()).chain(remarks).collect::<Vec<_>>().join("; ")
}

/// The moments, the first few of them by name.
fn labels<'a>(all: impl Iterator<Item = &'a str>) -> String {
    let mut unique: Vec<&str> = Vec::new();
    all.for_each(|label| if !unique.contains(&label) { unique.push(label) });
    match unique.len() {
        0..=4 => unique.join(", "),
        n => format!("{}, … {} and {} more", unique[..2].join(", "), unique[n - 1], n - 3),
    }
}
