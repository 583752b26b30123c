//! Receipts over all rows of a run. Pure. Invariant: a receipt belongs to the intent whose success named it first; within
//! one case the rules of its key decide.

use std::collections::HashMap;

use super::row::Row;
use crate::target::facts::answer::Class;
use crate::target::facts::case::Case;
use crate::target::options::Design;

/// Judges anew the rows in which a success names a receipt that another intent's success had named before.
pub fn compare(rows: &mut [&mut Row], accept: &[Design]) {
    let owners = owners(rows.iter().flat_map(|row| row.cases.iter().map(|case| (row.check.name, case))));
    for row in rows {
        let mut shares = false;
        for case in &mut row.cases {
            case.shared_receipt = shared(case, &owners);
            shares |= case.shared_receipt.is_some();
        }
        if shares {
            row.judge_anew(accept);
        }
    }
}

/// Notes in the cases of one schedule which successes name another's receipt.
pub fn mark(cases: &mut [Case]) {
    let owners = owners(cases.iter().map(|case| ("this schedule", case)));
    for case in cases {
        case.shared_receipt = shared(case, &owners);
    }
}

/// Whose a receipt is.
struct Owner {
    check: &'static str,
    intent: String,
}

/// By receipt.
fn owners<'a>(cases: impl Iterator<Item = (&'static str, &'a Case)>) -> HashMap<String, Owner> {
    let mut named: Vec<_> = cases.flat_map(|(check, case)| named(case).map(move |one| (check, one))).collect();
    named.sort_by_key(|(_, one)| one.0);
    let mut owners = HashMap::new();
    for (check, (_, receipt, intent)) in named {
        owners.entry(receipt.to_owned()).or_insert_with(|| Owner { check, intent: intent.to_owned() });
    }
    owners
}

/// When a success named which receipt, and of which intent. A conflict may name whatever it conflicts with.
fn named(case: &Case) -> impl Iterator<Item = (std::time::Duration, &str, &str)> {
    let successes = case.attempts.iter().filter(|attempt| attempt.answer.class == Class::Success);
    successes.filter_map(|attempt| {
        Some((attempt.ended, attempt.answer.receipt.as_deref()?, case.calls[attempt.call].intent.as_str()))
    })
}

fn shared(case: &Case, owners: &HashMap<String, Owner>) -> Option<String> {
    let elsewhere = |intent: &str| case.calls.iter().all(|call| call.intent != intent);
    named(case).find_map(|(_, receipt, _)| {
        let Owner { check, intent } = owners.get(receipt).filter(|owner| elsewhere(&owner.intent))?;
        Some(format!("a success names receipt {receipt}, which is that of another charge: intent {intent} of {check}"))
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::target::checks::CHECKS;
    use crate::target::facts::answer::{Answer, Class};
    use crate::target::facts::case::Rule;
    use crate::target::facts::fixtures::{answer, case, success};
    use crate::target::judge::verdict::Verdict;

    /// A row of one case for each intent and its answer, one answered after the other from `at` on.
    fn row(name: &str, at: u64, answers: &[(&str, Answer)]) -> Row {
        let check = CHECKS.iter().find(|check| check.name == name).unwrap();
        let cases = answers.iter().zip(at..).map(|((intent, answer), at)| {
            let mut case = case("here", Rule::Once, &[intent], vec![(0, answer.clone())], &[1]);
            case.attempts[0].ended = Duration::from_secs(at);
            case
        });
        Row::new(check, cases.collect(), Duration::ZERO, &[])
    }

    fn verdicts(mut rows: Vec<Row>) -> Vec<Verdict> {
        compare(&mut rows.iter_mut().collect::<Vec<_>>(), &[]);
        rows.iter().map(|row| row.verdict).collect()
    }

    #[test]
    fn a_receipt_of_an_earlier_charge_is_swallowed_where_it_comes_again() {
        let (early, late) = (row("replay", 1, &[("a", success("r1"))]), row("restart", 2, &[("b", success("r1"))]));
        assert_eq!(verdicts(vec![early, late]), [Verdict::Ok, Verdict::Swallowed]);
        let (late, early) = (row("replay", 2, &[("a", success("r1"))]), row("window", 1, &[("b", success("r1"))]));
        assert_eq!(verdicts(vec![late, early]), [Verdict::Swallowed, Verdict::Ok]);
        assert_eq!(verdicts(vec![row("crowd", 1, &[("a", success("r")), ("b", success("r"))])]), [Verdict::Swallowed]);
    }

    #[test]
    fn no_receipts_one_intent_and_conflicts_share_nothing() {
        let conflict = || answer(Class::Named, 409, "r1");
        for other in [("a", success("r1")), ("b", success("")), ("b", success("r2")), ("b", conflict())] {
            let rows = vec![row("replay", 1, &[("a", success("r1")), ("c", success(""))]), row("crowd", 2, &[other])];
            assert_eq!(verdicts(rows), [Verdict::Ok, Verdict::Ok]);
        }
    }

    #[test]
    fn what_the_rules_of_one_key_judge_is_not_judged_again() {
        let answers = vec![(0, success("r1")), (1, answer(Class::Refusal, 422, "r1"))];
        let check = CHECKS.iter().find(|check| check.name == "key_reuse").unwrap();
        let reuse = case("here", Rule::Reuse, &["a", "b"], answers, &[1, 0]);
        assert_eq!(verdicts(vec![Row::new(check, vec![reuse], Duration::ZERO, &[])]), [Verdict::Ok]);
    }

    #[test]
    fn an_error_of_the_row_stays_beside_what_its_receipts_show() {
        let mut late = row("restart", 2, &[("b", success("r1"))]);
        late.fail("it died");
        let mut rows = [row("replay", 1, &[("a", success("r1"))]), late];
        compare(&mut rows.iter_mut().collect::<Vec<_>>(), &[]);
        assert_eq!(rows[1].verdict, Verdict::Swallowed);
        assert!(rows[1].evidence.ends_with("; it died"), "{}", rows[1].evidence);
    }

    #[test]
    fn a_row_that_shares_nothing_tells_its_evidence_once() {
        let mut rows = [row("replay", 1, &[("a", success("r1"))]), row("crowd", 2, &[("b", success("r1"))])];
        let before = rows[0].evidence.clone();
        compare(&mut rows.iter_mut().collect::<Vec<_>>(), &[]);
        assert_eq!(rows[0].evidence, before);
        assert!(!rows[1].evidence.contains("the invariants held"), "{}", rows[1].evidence);
    }

    #[test]
    fn the_keys_of_one_schedule_share_no_receipt() {
        let of = |receipts: [&str; 2]| {
            let mut cases = row("crowd", 1, &[("a", success(receipts[0])), ("b", success(receipts[1]))]).cases;
            mark(&mut cases);
            cases.into_iter().map(|case| case.shared_receipt).collect::<Vec<_>>()
        };
        assert_eq!(of(["r", "s"]), [None, None]);
        let [first, second] = of(["r", "r"]).try_into().expect("two cases");
        assert_eq!(first, None);
        assert_eq!(
            second.as_deref(),
            Some("a success names receipt r, which is that of another charge: intent a of this schedule")
        );
    }
}
