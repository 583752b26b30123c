//! What the standard leaves open, as this target decides it. Invariant: reported, never judged; what was not seen is
//! None.

use std::collections::BTreeSet;

use serde::Serialize;

use super::row::Row;
use crate::target::checks::Habit;
use crate::target::facts::answer::{Class, FAILED};
use crate::target::facts::case::{Attempt, Case, Rule};
use crate::target::judge::verdict::Verdict;

/// The target's habits.
#[derive(Debug, Default, Serialize)]
pub struct Profile {
    /// How a duplicate is answered while the first is under way.
    pub in_flight: Option<String>,
    /// How another payload under a used key is answered.
    pub key_reuse: Option<String>,
    /// How the same content in other bytes is answered.
    pub equivalent_body: Option<String>,
    /// Whether a failure is kept under its key.
    pub errors: Option<String>,
    /// The header that marks a replay.
    pub replay_marker: Option<String>,
    /// What becomes of a request without a key.
    pub no_key: Option<String>,
    /// Keys that were not taken.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub odd_keys_refused: Vec<String>,
    /// How the second principal is answered.
    pub other_principal: Option<String>,
    /// Whether a key is still known just after the promised window.
    pub after_window: Option<String>,
    /// How many of a tool's calls that failed first had their effect all the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed_calls: Option<String>,
}

impl Profile {
    pub fn of(rows: &[Row]) -> Profile {
        let of = |habit: Habit| rows.iter().filter(move |row| row.check.shows == Some(habit));
        let cases = |habit| of(habit).flat_map(|row| &row.cases).collect::<Vec<_>>();
        Profile {
            in_flight: in_flight(&cases(Habit::InFlight)),
            key_reuse: losers(&cases(Habit::KeyReuse)),
            equivalent_body: answers(&cases(Habit::EquivalentBody), 1),
            errors: of(Habit::Errors).next().and_then(errors),
            replay_marker: rows
                .iter()
                .flat_map(|r| &r.cases)
                .flat_map(|c| &c.attempts)
                .find_map(|a| a.answer.marker.clone()),
            no_key: no_key(&cases(Habit::NoKey)),
            odd_keys_refused: refused(&cases(Habit::OddKeys)),
            other_principal: answers(&cases(Habit::OtherPrincipal), 1),
            after_window: cases(Habit::AfterWindow)
                .into_iter()
                .find(|case| case.rule == Rule::Report)
                .and_then(after_window),
            failed_calls: failed_calls(rows),
        }
    }

    /// The named entries that are known, for the text report.
    pub fn lines(&self) -> Vec<(&'static str, String)> {
        let entries = [
            ("in-flight duplicate", &self.in_flight),
            ("reused key", &self.key_reuse),
            ("reordered body", &self.equivalent_body),
            ("errors", &self.errors),
            ("replay marker", &self.replay_marker),
            ("without a key", &self.no_key),
            ("other principal", &self.other_principal),
            ("after the window", &self.after_window),
            ("failed calls", &self.failed_calls),
        ];
        let mut lines: Vec<_> = entries.into_iter().filter_map(|(name, entry)| Some((name, entry.clone()?))).collect();
        if !self.odd_keys_refused.is_empty() {
            lines.push(("odd keys refused", self.odd_keys_refused.join(", ")));
        }
        lines
    }
}

fn said(attempt: &Attempt) -> String {
    match (attempt.answer.class, attempt.answer.status) {
        (Class::Success | Class::Named, Some(status)) => format!("success ({status})"),
        (_, Some(status)) => status.to_string(),
        (_, None) => "no reply".into(),
    }
}

/// Answers, each once; None where there were none.
fn set<'a>(attempts: impl Iterator<Item = &'a Attempt>) -> Option<String> {
    let said: BTreeSet<_> = attempts.map(said).collect();
    (!said.is_empty()).then(|| said.into_iter().collect::<Vec<_>>().join(", "))
}

fn in_flight(races: &[&Case]) -> Option<String> {
    let copies = |case: &&&Case| case.attempts.iter().any(|a| a.copy);
    let raced: Vec<_> = races.iter().filter(copies).collect();
    let others = raced.iter().flat_map(|case| &case.attempts).filter(|a| a.copy && !a.answer.settles());
    if raced.is_empty() {
        return None;
    }
    let again = raced.iter().any(|case| case.total().unwrap_or(0) > 1).then(|| "charged again".to_string());
    let said: Vec<_> = set(others).into_iter().chain(again).collect();
    Some(if said.is_empty() { "waits, then a success".into() } else { said.join(", ") })
}

fn answers(cases: &[&Case], call: usize) -> Option<String> {
    set(cases.iter().flat_map(|case| case.of_call(call)))
}

/// What the payloads that did not succeed were told at last; None where one was never sent.
fn losers(cases: &[&Case]) -> Option<String> {
    let lost = |case: &'_ &&Case, call: &usize| !case.succeeded(*call);
    let was_sent = |attempt: &&Attempt| attempt.answer.class != Class::Unsent;
    let last = cases.iter().flat_map(|case| {
        (0..case.calls.len())
            .filter(move |call| lost(&case, call))
            .filter_map(|call| case.of_call(call).filter(was_sent).last())
    });
    let all_succeed = || cases.iter().any(|case| case.all_succeeded()).then(|| "success".to_string());
    set(last).or_else(all_succeed)
}

fn errors(row: &Row) -> Option<String> {
    match row.verdict {
        Verdict::Ok => Some("not stored: the retry executes".into()),
        Verdict::Sticky => Some("stored".into()),
        Verdict::Wedged => Some("the key stays in flight".into()),
        Verdict::Duplicate | Verdict::Lost | Verdict::Leaked | Verdict::Swallowed | Verdict::Changed => None,
        Verdict::Unsafe | Verdict::NotReadOnly => None,
        Verdict::Skipped | Verdict::Unproven | Verdict::Error => None,
    }
}

fn no_key(cases: &[&Case]) -> Option<String> {
    let case = cases.first()?;
    let first: Vec<_> = case.of_call(0).collect();
    Some(match (case.succeeded(0), case.charged(0)) {
        (false, _) => format!("refused ({})", set(first.into_iter())?),
        (true, Some(n)) if n > 1 => "unprotected: charged each time".into(),
        (true, Some(_)) => "deduplicated by something else".into(),
        (true, None) => "taken".into(),
    })
}

fn refused(cases: &[&Case]) -> Vec<String> {
    let refused = |case: &&&Case| !case.succeeded(0) && !case.succeeded(1);
    cases
        .iter()
        .filter(refused)
        .map(|case| format!("{} ({})", case.label, answers(&[case], 0).unwrap_or_default()))
        .collect()
}

/// Of the cases that began with a tool's failure; a later success may be what had the effect, so those are left out.
fn failed_calls(rows: &[Row]) -> Option<String> {
    let is_failure = |attempt: &Attempt| attempt.answer.text.starts_with(FAILED);
    let failed = |case: &&Case| !case.attempts.is_empty() && case.attempts.iter().all(is_failure);
    let failed: Vec<_> = rows.iter().flat_map(|row| &row.cases).filter(failed).collect();
    let charged = failed.iter().filter(|case| case.total().unwrap_or(0) > 0).count();
    (!failed.is_empty()).then(|| format!("{charged} of {} had their effect", failed.len()))
}

fn after_window(case: &Case) -> Option<String> {
    Some(match case.charged(0)? {
        0 | 1 => "still known".into(),
        _ => "forgotten: charged again".into(),
    })
}

#[cfg(test)]
mod tests;
