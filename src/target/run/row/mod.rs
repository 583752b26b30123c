//! A check's row: its cases, counted and judged. Pure but for the ledger it is given. Invariant: the row's verdict is
//! its strongest case's.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::reconcile::oracle::Readings;
use crate::reconcile::tally::IntentTally;
use crate::target::chaos::schedule::Schedule;
use crate::target::checks::Check;
use crate::target::facts::case::{Case, Rule, Swept};
use crate::target::judge::invariants::{Judgement, judge};
use crate::target::judge::verdict::Verdict;
use crate::target::options::Design;
use crate::terms::figures::Figures;

/// One check's result.
pub struct Row {
    pub check: &'static Check,
    pub verdict: Verdict,
    /// The user declared the finding's design.
    pub accepted: bool,
    pub evidence: String,
    pub cases: Vec<Case>,
    pub elapsed: Duration,
    /// The steps that were drawn and not fixed; None for a check.
    pub schedule: Option<Schedule>,
    /// Figures over more cases than it keeps; None where it keeps all.
    pub explored: Option<Figures>,
}

impl Row {
    /// A check that drove nothing.
    pub fn undriven(check: &'static Check, verdict: Verdict, why: impl Into<String>) -> Row {
        let (evidence, elapsed) = (why.into(), Duration::ZERO);
        Row { check, verdict, accepted: false, evidence, cases: Vec::new(), elapsed, schedule: None, explored: None }
    }

    pub fn new(check: &'static Check, cases: Vec<Case>, elapsed: Duration, accept: &[Design]) -> Row {
        let evidence = String::new();
        let mut row = Row {
            check,
            verdict: Verdict::Ok,
            accepted: false,
            evidence,
            cases,
            elapsed,
            schedule: None,
            explored: None,
        };
        row.judge(accept);
        row
    }

    pub fn is_counted(&self) -> bool {
        self.cases.iter().any(|case| case.charges.is_some())
    }

    /// Counts anew, and judges anew where a count has changed.
    pub fn revise(&mut self, ledger: &Readings, accept: &[Design]) {
        let before: Vec<_> = self.cases.iter().map(|case| case.charges.clone()).collect();
        self.cases.iter_mut().for_each(|case| count(case, ledger));
        if self.cases.iter().map(|case| &case.charges).ne(before.iter()) {
            self.judge(accept);
            self.evidence += "; the count changed by the end of the run";
        }
    }

    /// Makes it an error: the check was not carried out as it should.
    pub fn fail(&mut self, why: &str) {
        (self.verdict, self.accepted) = (Verdict::Error, false);
        self.evidence = why.to_string();
    }

    /// An error, unless a finding was proven before.
    pub fn spoil(&mut self, why: &str) {
        if self.verdict.is_finding() || self.verdict == Verdict::Error {
            self.evidence += &format!("; {why}");
        } else {
            self.fail(why);
        }
    }

    /// Judges the cases as they are counted.
    pub fn judge(&mut self, accept: &[Design]) {
        let judged: Vec<_> = self.cases.iter().map(|case| (case, judge(case))).collect();
        self.verdict = judged.iter().fold(Verdict::Ok, |worst, (_, judgement)| worst.and(judgement.verdict));
        let decided = evidence(self.verdict, &judged);
        self.evidence = [&[decided.as_str()], self.remarks().as_slice()].concat().join("; ");
        let findings = judged.iter().filter(|(_, judgement)| judgement.verdict.is_finding());
        let mut excused = findings.map(|(case, judgement)| excused(case, judgement.verdict, accept));
        self.accepted = self.verdict.is_finding() && excused.all(|excused| excused);
    }

    /// Judges the cases by what other rows show of them. An error that was no case's fault stays told.
    pub fn judge_anew(&mut self, accept: &[Design]) {
        let said = (self.verdict == Verdict::Error).then(|| format!("; {}", self.evidence));
        self.judge(accept);
        self.evidence += &said.unwrap_or_default();
    }

    /// The case that the time line shows: the first that has the row's verdict.
    pub fn shown(&self) -> Option<&Case> {
        let wanted = self.verdict.is_finding() || matches!(self.verdict, Verdict::Unproven | Verdict::Error);
        self.cases.iter().find(|case| wanted && judge(case).verdict == self.verdict)
    }

    /// What an OK does not cover, each once.
    pub fn remarks(&self) -> Vec<&str> {
        let mut remarks: Vec<&str> = Vec::new();
        for remark in self.cases.iter().flat_map(|case| &case.remarks) {
            if !remarks.contains(&remark.as_str()) {
                remarks.push(remark);
            }
        }
        remarks
    }

    /// Of its cases, or of all that were explored.
    pub fn figures(&self) -> Figures {
        self.explored.unwrap_or_else(|| figures(&self.cases))
    }
}

/// Charges are counted, and called duplicates or lost, by the rule of `reconcile`.
pub fn figures(cases: &[Case]) -> Figures {
    let mut tally = IntentTally::default();
    let counted = cases.iter().filter(|case| case.charges.is_some());
    for case in counted {
        expected(case).into_iter().for_each(|intent| {
            tally.expect(intent);
        });
        for (intent, charges) in case.charges_by_intent() {
            (0..charges).for_each(|_| tally.charge(intent));
        }
    }
    tally.figures(cases.iter().map(Case::requests).sum())
}

/// The intents that had to be charged. Where any of several calls may be the one, that is one that was, or else the first;
/// where a refusal is fine, only what was answered a success.
fn expected(case: &Case) -> Vec<&str> {
    let all = || (0..case.calls.len()).map(|call| (call, case.calls[call].intent.as_str()));
    match case.rule {
        Rule::Once | Rule::Claimed | Rule::Unpromised | Rule::Reuse => {
            let charged = all().find(|(call, _)| case.charged(*call).unwrap_or(0) > 0);
            charged.or(all().next()).into_iter().map(|(_, intent)| intent).collect()
        }
        Rule::ReadOnly => Vec::new(),
        Rule::Baseline => all().map(|(_, intent)| intent).collect(),
        Rule::Distinct | Rule::Keyless | Rule::Principals | Rule::Report => {
            all().filter(|(call, _)| case.succeeded(*call)).map(|(_, intent)| intent).collect()
        }
    }
}

/// Takes each call's charges from the ledger; of several from the first by which the case is judged worst, since each is
/// judged by the same invariants.
pub fn count(case: &mut Case, readings: &Readings) {
    let mut judged = Vec::new();
    for (name, ledger) in &readings.ledgers {
        case.charges = Some(case.calls.iter().map(|call| ledger.charges(&call.intent)).collect());
        judged.push((name, case.charges.clone(), judge(case)));
    }
    let worst = judged.iter().fold(Verdict::Ok, |worst, (_, _, judgement)| worst.and(judgement.verdict));
    let is_decisive = |judgement: &Judgement| judgement.verdict == worst;
    let decisive: Vec<_> = judged.iter().filter(|(_, _, judgement)| is_decisive(judgement)).collect();
    let differ = judged.iter().any(|(_, _, judgement)| *judgement != judged[0].2);
    case.shown_by = if differ { decisive.iter().map(|(name, ..)| name.to_string()).collect() } else { Vec::new() };
    if let Some((_, charges, _)) = decisive.first() {
        case.charges.clone_from(charges);
    }
}

/// Whether the user said that this is meant.
pub fn excused(case: &Case, verdict: Verdict, accept: &[Design]) -> bool {
    let stored_error = case.last().and_then(|answer| answer.status).is_some_and(|status| status >= 500);
    case.shared_receipt.is_none()
        && accept.iter().any(|design| match design {
            Design::StoredErrors => verdict == Verdict::Sticky && stored_error,
            Design::StrictBody => false,
            Design::UnsafeRetries => verdict == Verdict::Unsafe,
            Design::SilentReuse => verdict == Verdict::Swallowed && case.rule == Rule::Reuse,
        })
}

/// What decided, how often, and at which moments.
fn evidence(verdict: Verdict, judged: &[(&Case, Judgement)]) -> String {
    let decisive: Vec<_> = judged.iter().filter(|(_, judgement)| judgement.verdict == verdict).collect();
    let keys = judged.len();
    match (verdict, decisive.first()) {
        (Verdict::Ok, _) | (_, None) => format!("the invariants held for {keys} keys"),
        (_, Some((_, judgement))) => {
            let places = places(decisive.iter().map(|(case, _)| *case));
            let ledgers: BTreeSet<&str> =
                decisive.iter().flat_map(|(case, _)| &case.shown_by).map(String::as_str).collect();
            let ledgers = Vec::from_iter(ledgers).join(" and ");
            let shown = if ledgers.is_empty() { ledgers } else { format!(", shown by {ledgers}") };
            format!("{}{shown}; {places}, {} of {keys} keys", judgement.why, decisive.len())
        }
    }
}

/// Where it was seen: the moments of a sweep by their range, the rest by the first few labels.
fn places<'a>(cases: impl Iterator<Item = &'a Case>) -> String {
    let mut ranges: Vec<(Swept, Duration)> = Vec::new();
    let mut labels: Vec<&str> = Vec::new();
    for case in cases {
        match (case.swept, ranges.iter_mut().find(|(from, _)| case.swept.is_some_and(|swept| swept.way == from.way))) {
            (None, _) if !labels.contains(&case.label.as_str()) => labels.push(&case.label),
            (None, _) => {}
            (Some(swept), Some((from, to))) => (from.at, *to) = (from.at.min(swept.at), (*to).max(swept.at)),
            (Some(swept), None) => ranges.push((swept, swept.at)),
        }
    }
    let more = labels.len().saturating_sub(3);
    labels.truncate(3);
    let ranges = ranges.iter().map(range);
    let mut places: Vec<String> = ranges.chain(labels.into_iter().map(str::to_string)).collect();
    if more > 0 {
        places.push(format!("and {more} more"));
    }
    places.join(", ")
}

fn range((from, to): &(Swept, Duration)) -> String {
    let ms = |moment: &Duration| format!("{:.1}", moment.as_secs_f64() * 1e3);
    let at = if &from.at == to { ms(to) } else { format!("{}-{}", ms(&from.at), ms(to)) };
    format!("{} at {at} ms of {} ms", from.way, ms(&from.of))
}

#[cfg(test)]
mod tests;
