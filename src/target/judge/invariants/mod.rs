//! The four invariants, and what follows from them for the other rules. Pure, and the only place where a verdict is
//! decided. Invariant: no verdict rests on a status; OK needs a ledger that shows it.

use super::verdict::Verdict;
use crate::target::facts::answer::Class;
use crate::target::facts::case::{Case, Rule, Shortfall};
use crate::terms::canonical::canonical;

/// A verdict with what decided it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    pub verdict: Verdict,
    pub why: String,
}

fn found(verdict: Verdict, why: impl Into<String>) -> Option<Judgement> {
    Some(Judgement { verdict, why: why.into() })
}

/// Judges one case.
pub fn judge(case: &Case) -> Judgement {
    let finding = match case.rule {
        Rule::Once | Rule::Claimed => once(case),
        Rule::Unpromised => once(case).and_then(|judgement| unpromised(judgement, case)),
        Rule::ReadOnly => read_only(case),
        Rule::Reuse => reuse(case),
        Rule::Distinct => distinct(case).or_else(|| unsettled(case)),
        Rule::Baseline => baseline(case),
        Rule::Keyless => keyless(case),
        Rule::Principals => principals(case),
        Rule::Report => None,
    };
    let asked = || case.is_asked().then(|| found(Verdict::Skipped, ASKED)).flatten();
    let finding = finding.filter(|judgement| judgement.verdict.is_finding() || !case.is_asked()).or_else(asked);
    let shared = || case.shared_receipt.clone().and_then(|why| found(Verdict::Swallowed, why));
    finding
        .or_else(shared)
        .or_else(|| unshown(case))
        .unwrap_or_else(|| Judgement { verdict: Verdict::Ok, why: held(case) })
}

/// What is told where a tool asks and nobody answers.
const ASKED: &str = "the tool asks its client for input; give --input JSON with the answers";

/// What is repeated, by what it counts as the same.
fn of_one(rule: Rule) -> &'static str {
    match rule {
        Rule::Claimed => "for one call, by a tool that claims to be idempotent",
        Rule::Unpromised => "for one call, which the protocol makes again where its reply is lost",
        Rule::Once | Rule::Reuse | Rule::Distinct | Rule::Baseline => "under one key",
        Rule::Keyless | Rule::Principals | Rule::Report | Rule::ReadOnly => "under one key",
    }
}

/// A repeat that charges again, or is refused where the first call had its effect, breaks no promise where there was none.
fn unpromised(judgement: Judgement, case: &Case) -> Option<Judgement> {
    // Without a ledger two receipts are two charges that were answered.
    let is_twice =
        judgement.verdict == Verdict::Duplicate || judgement.verdict == Verdict::Changed && case.total().is_none();
    let is_refused = judgement.verdict == Verdict::Sticky && case.total() == Some(1);
    let verdict = if is_twice { Verdict::Unsafe } else { judgement.verdict };
    (!is_refused).then_some(Judgement { verdict, ..judgement })
}

/// No call has an effect, whatever was answered.
fn read_only(case: &Case) -> Option<Judgement> {
    match case.total()? {
        0 => None,
        n => found(Verdict::NotReadOnly, format!("{n} effect(s) of a tool that claims to be read-only")),
    }
}

/// I1 to I4 over one K and one intent.
fn once(case: &Case) -> Option<Judgement> {
    let succeeded = (0..case.calls.len()).any(|call| case.succeeded(call));
    match case.total() {
        Some(n) if n > 1 => return found(Verdict::Duplicate, format!("{n} charges {}", of_one(case.rule))),
        Some(0) if succeeded => return found(Verdict::Lost, "a success was answered, and nothing was charged"),
        Some(_) | None => {}
    }
    changed(case).or_else(|| unsettled(case))
}

/// I3: all successes name the same receipt.
fn changed(case: &Case) -> Option<Judgement> {
    let receipts = case.receipts();
    if receipts.len() > 1 {
        return found(Verdict::Changed, format!("successes under one key name {} receipts", receipts.len()));
    }
    let successes: Vec<_> = case.attempts.iter().filter(|a| a.answer.settles()).collect();
    let (named, nameless): (Vec<_>, Vec<_>) = successes.into_iter().partition(|a| a.answer.receipt.is_some());
    if nameless.iter().any(|none| named.iter().any(|one| one.ended <= none.ended)) {
        return found(Verdict::Changed, "the first success names a receipt, a replay names none");
    }
    // What was sent only later may name what was not known yet; a copy that was under way is the same success.
    let beside = nameless.iter().any(|none| named.iter().any(|one| one.sent < none.ended));
    if beside { found(Verdict::Changed, "a success names no receipt while the copy beside it gets one") } else { None }
}

/// I4: the request that has to settle does so within the lease.
fn unsettled(case: &Case) -> Option<Judgement> {
    if case.to_settle.is_none() || case.settled() || case.shortfall.is_some() {
        return None;
    }
    if case.no_retry {
        return found(Verdict::Unproven, "the last retry was not answered with a success");
    }
    let Some(last) = case.last() else {
        return found(Verdict::Unproven, "the request was never left alone");
    };
    let waited = format!("{:.1} s", case.waited.as_secs_f64());
    let said = last.line(None);
    match last.class {
        Class::Unsent => found(Verdict::Error, format!("the target could not be reached: {said}")),
        Class::InFlight | Class::Silence => {
            found(Verdict::Wedged, format!("not settled after {waited}, at last: {said}"))
        }
        Class::Failure if !repeats_first(case) => {
            found(Verdict::Wedged, format!("not settled after {waited}, at last: {said}"))
        }
        Class::Failure | Class::Refusal => found(Verdict::Sticky, format!("repeated for {waited}: {said}")),
        Class::Success | Class::Named | Class::Withheld | Class::Asks => None,
    }
}

/// Whether the last answer is the first one again; what only says that a copy is under way is neither. A store may write
/// the fields of what it kept in an order of its own, and a framework words its own errors in another case.
fn repeats_first(case: &Case) -> bool {
    let says = |class| class != Class::Withheld && class != Class::InFlight;
    let answers: Vec<_> = case.of_call(case.retried()).map(|a| &a.answer).filter(|a| says(a.class)).collect();
    let plain = |text: &str| canonical(text).unwrap_or_else(|_| text.to_owned()).to_ascii_lowercase();
    answers.len() > 1
        && answers.iter().all(|a| a.status == answers[0].status && plain(&a.text) == plain(&answers[0].text))
}

/// Other payloads under one key: one succeeds, one charge, of that payload.
fn reuse(case: &Case) -> Option<Judgement> {
    let winners: Vec<usize> = (0..case.calls.len()).filter(|&call| case.succeeded(call)).collect();
    if let Some(n) = case.total().filter(|&n| n > 1) {
        return found(Verdict::Duplicate, format!("{n} charges under one key, {} payloads succeeded", winners.len()));
    }
    let (Some(&first), others) = (winners.first(), winners.get(1..).unwrap_or(&[])) else {
        return unsettled(case);
    };
    if let Some(&other) = others.first() {
        let (a, b) = (case.receipts_of(first), case.receipts_of(other));
        let same = if a == b { "the same receipt" } else { "no charge of its own" };
        // Two receipts without a ledger may be two charges: that is shown by the replies alone.
        return match (a == b, case.total()) {
            (false, None) => found(Verdict::Changed, "two payloads under one key succeeded with two receipts"),
            _ => found(Verdict::Swallowed, format!("both payloads succeeded, the second with {same}")),
        };
    }
    match case.charged(first) {
        Some(0) => found(Verdict::Lost, "the payload that succeeded was not charged"),
        // A refusal of the other payload must not take the place of what was stored.
        Some(_) | None => changed(case).or_else(|| unsettled(case)),
    }
}

/// Own keys and own intents: nobody gets another's success.
fn distinct(case: &Case) -> Option<Judgement> {
    let calls = case.calls.len();
    for a in 0..calls {
        for b in a + 1..calls {
            let shared = case.receipts_of(a).into_iter().any(|r| case.receipts_of(b).contains(&r));
            if shared && case.calls[a].intent != case.calls[b].intent {
                return found(Verdict::Swallowed, "another intent was answered with the first one's success");
            }
        }
    }
    (0..calls)
        .find(|&call| case.succeeded(call) && case.charged(call) == Some(0))
        .and_then(|_| found(Verdict::Lost, "a success was answered to an intent that was not charged"))
}

/// Two intents, equal in all but their names.
fn baseline(case: &Case) -> Option<Judgement> {
    let charges = case.charges.as_deref().unwrap_or(&[]);
    if let Some(bad) = (0..case.calls.len()).find(|&call| !case.succeeded(call)) {
        let said = case.of_call(bad).last().map(|a| a.answer.line(None)).unwrap_or_default();
        return found(Verdict::Error, format!("the target does not take a plain request: {said}"));
    }
    if charges.iter().any(|&n| n > 1) {
        return found(Verdict::Duplicate, "one order, more than one charge");
    }
    let charged = charges.iter().filter(|&&n| n == 1).count();
    if case.charges.is_some() && charged == 0 {
        return found(Verdict::Error, "the ledger shows neither intent: the oracle is blind");
    }
    if case.charges.is_some() && charged < charges.len() && charged > 0 {
        return found(Verdict::Lost, "two orders of the same amount, one charge: it is deduplicated by content");
    }
    distinct(case)
}

/// Without a key nothing is promised, but a success must mean a charge of its own intent.
fn keyless(case: &Case) -> Option<Judgement> {
    let unanswered = (0..case.calls.len()).find(|&call| !case.succeeded(call) && case.charged(call).unwrap_or(0) > 1);
    distinct(case).or_else(|| {
        unanswered.and_then(|_| found(Verdict::Duplicate, "refused without a key, and charged all the same each time"))
    })
}

/// Two credentials: two K, whose successes share nothing.
fn principals(case: &Case) -> Option<Judgement> {
    let shared = case.receipts_of(0).into_iter().find(|r| case.receipts_of(1).contains(r));
    if shared.is_some() {
        return found(Verdict::Leaked, "the second principal was answered with the first one's receipt");
    }
    let successes = (0..case.calls.len()).filter(|&call| case.succeeded(call)).count() as u64;
    match case.total() {
        Some(n) if n > case.calls.len() as u64 => found(Verdict::Duplicate, format!("{n} charges for two principals")),
        Some(n) if n < successes && case.receipts().is_empty() => {
            found(Verdict::Leaked, "the second principal was answered with a success that charged nothing")
        }
        Some(n) if n < successes => found(Verdict::Lost, format!("{successes} successes, {n} charges")),
        Some(_) | None => None,
    }
}

/// What is left unshown where nothing was found.
fn unshown(case: &Case) -> Option<Judgement> {
    match &case.shortfall {
        Some(Shortfall::NotHit(why)) => return found(Verdict::Unproven, why.clone()),
        Some(Shortfall::DoesNotApply(why)) => return found(Verdict::Skipped, why.clone()),
        Some(Shortfall::NotCarriedOut(why)) => return found(Verdict::Error, why.clone()),
        None => {}
    }
    if case.charges.is_none() {
        return found(Verdict::Unproven, "no ledger to show it");
    }
    let none = case.total() == Some(0);
    match case.rule {
        Rule::Once | Rule::Claimed | Rule::Unpromised if none => {
            found(Verdict::Lost, "settled, and nothing was charged")
        }
        Rule::Reuse if none && case.attempts.iter().any(|a| a.answer.class == Class::Unsent) => {
            found(Verdict::Error, "the target could not be reached")
        }
        Rule::Reuse if none && case.attempts.iter().any(|a| a.answer.class == Class::Named) => {
            found(Verdict::Unproven, "a conflict names a receipt, and the ledger shows no charge of either payload")
        }
        Rule::Reuse if !case.all_sent() => found(Verdict::Unproven, "one of the payloads never reached the target"),
        Rule::Once
        | Rule::Claimed
        | Rule::Unpromised
        | Rule::ReadOnly
        | Rule::Reuse
        | Rule::Distinct
        | Rule::Baseline
        | Rule::Keyless
        | Rule::Principals
        | Rule::Report => None,
    }
}

fn held(case: &Case) -> String {
    let charges = case.total().unwrap_or(0);
    let receipts = case.receipts().len();
    format!("{charges} charge(s), {receipts} receipt(s), {} request(s)", case.requests())
}

#[cfg(test)]
mod edges;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tools;
