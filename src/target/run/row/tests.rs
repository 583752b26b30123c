//! Rows from facts written by hand.

use super::*;
use crate::reconcile::oracle::Ledger;
use crate::target::checks::CHECKS;
use crate::target::facts::answer::{Answer, Class};
use crate::target::facts::fixtures::{answer, case, refused, success};

fn check(name: &str) -> &'static Check {
    CHECKS.iter().find(|check| check.name == name).unwrap()
}

fn row(name: &str, cases: Vec<Case>, accept: &[Design]) -> Row {
    Row::new(check(name), cases, Duration::ZERO, accept)
}

fn once(answers: Vec<Answer>, charges: u64) -> Case {
    case("here", Rule::Once, &["a"], answers.into_iter().map(|answer| (0, answer)).collect(), &[charges])
}

fn ledger(charges: u64) -> Readings {
    ledgers(&[("l", charges)])
}

/// Ledgers with so many items of the intent `a`.
fn ledgers(named: &[(&str, u64)]) -> Readings {
    let items = |charges| (0..charges).map(|_| serde_json::json!({"intent": "a"})).collect::<Vec<_>>();
    let one = |(name, charges): &(&str, u64)| (name.to_string(), Ledger::new(&items(*charges), "/intent"));
    Readings { ledgers: named.iter().map(one).collect() }
}

#[test]
fn each_ledger_is_judged_and_the_worst_is_shown_by_its_name() {
    let said = |named: &[(&str, u64)]| {
        let mut case = once(vec![success("r")], 1);
        count(&mut case, &ledgers(named));
        let row = row("replay", vec![case], &[]);
        (row.verdict, row.evidence, row.cases[0].charges.clone())
    };
    let (verdict, evidence, charges) = said(&[("charges", 1), ("mails", 2)]);
    assert_eq!((verdict, charges), (Verdict::Duplicate, Some(vec![2])));
    assert_eq!(evidence, "2 charges under one key, shown by mails; here, 1 of 1 keys");
    let (verdict, evidence, charges) = said(&[("charges", 1), ("mails", 0)]);
    assert_eq!((verdict, charges), (Verdict::Lost, Some(vec![0])));
    assert!(evidence.contains("nothing was charged, shown by mails; here"), "{evidence}");
    // One that lost it does not hide one that has it twice.
    let (verdict, evidence, _) = said(&[("a", 0), ("b", 3), ("c", 2)]);
    assert_eq!(verdict, Verdict::Duplicate);
    assert!(evidence.starts_with("3 charges under one key, shown by b and c; "), "{evidence}");
    let (verdict, evidence, charges) = said(&[("charges", 2), ("mails", 2)]);
    assert_eq!((verdict, charges), (Verdict::Duplicate, Some(vec![2])));
    assert!(!evidence.contains("shown by"), "all show the same: {evidence}");
    assert_eq!(said(&[("charges", 1), ("mails", 1)]).0, Verdict::Ok);
}

#[test]
fn a_row_has_its_strongest_cases_verdict_and_says_in_how_many() {
    let row = row("replay", vec![once(vec![success("r")], 1), once(vec![success("r")], 2)], &[]);
    assert_eq!(row.verdict, Verdict::Duplicate);
    assert!(row.evidence.ends_with("here, 1 of 2 keys"), "{}", row.evidence);
    assert_eq!(row.shown().map(|case| case.charges.clone()), Some(Some(vec![2])));
    let row = self::row("replay", vec![once(vec![success("r")], 1)], &[]);
    assert_eq!((row.verdict, row.evidence.as_str()), (Verdict::Ok, "the invariants held for 1 keys"));
    assert!(row.shown().is_none() && row.is_counted());
}

#[test]
fn what_is_not_ok_shows_the_first_case_that_made_it_so() {
    let labelled = |label: &str, case| Case { label: label.into(), ..case };
    let fine = || labelled("fine", once(vec![success("r")], 1));
    let blind = labelled("blind", Case { charges: None, ..once(vec![success("r")], 1) });
    let gone = labelled("gone", once(vec![answer(Class::Unsent, 0, "")], 0));
    for (case, verdict) in [(blind, Verdict::Unproven), (gone, Verdict::Error)] {
        let label = case.label.clone();
        let row = row("replay", vec![fine(), case], &[]);
        assert_eq!((row.verdict, row.shown().map(|case| &case.label)), (verdict, Some(&label)));
    }
}

#[test]
fn a_count_that_has_changed_by_the_end_is_judged_again() {
    let mut row = row("replay", vec![once(vec![success("r")], 1)], &[]);
    row.revise(&ledger(1), &[]);
    assert_eq!((row.verdict, row.evidence.as_str()), (Verdict::Ok, "the invariants held for 1 keys"));
    row.revise(&ledger(2), &[]);
    assert_eq!(row.verdict, Verdict::Duplicate);
    assert!(row.evidence.ends_with("the count changed by the end of the run"), "{}", row.evidence);
    row.revise(&ledger(1), &[]);
    assert_eq!(row.verdict, Verdict::Ok);
}

#[test]
fn an_error_spares_what_was_proven_and_nothing_else() {
    let mut clean = row("replay", vec![once(vec![success("r")], 1)], &[]);
    clean.spoil("the ledger is gone");
    assert_eq!((clean.verdict, clean.evidence.as_str()), (Verdict::Error, "the ledger is gone"));
    let mut found = row("replay", vec![once(vec![success("r")], 2)], &[]);
    found.spoil("the ledger is gone");
    assert_eq!(found.verdict, Verdict::Duplicate);
    assert!(found.evidence.ends_with("; the ledger is gone"), "{}", found.evidence);
    let mut failed = clean;
    failed.spoil("it died");
    assert_eq!(failed.evidence, "the ledger is gone; it died", "the first error stays told");
    found.fail("it died");
    assert_eq!((found.verdict, found.accepted, found.evidence.as_str()), (Verdict::Error, false, "it died"));
}

#[test]
fn only_the_declared_design_is_accepted_and_only_where_all_findings_are_of_it() {
    let stored = |status| {
        let failed = || answer(if status >= 500 { Class::Failure } else { Class::Refusal }, status, "");
        once(vec![failed(), failed()], 0)
    };
    let verdict_of = |cases, accept: &[Design]| {
        let row = row("server_error_first", cases, accept);
        (row.verdict, row.accepted)
    };
    let errors = [Design::StoredErrors];
    assert_eq!(verdict_of(vec![stored(500)], &[]), (Verdict::Sticky, false));
    assert_eq!(verdict_of(vec![stored(500)], &errors), (Verdict::Sticky, true));
    assert_eq!(verdict_of(vec![stored(400)], &errors), (Verdict::Sticky, false), "a kept refusal is another design");
    assert_eq!(verdict_of(vec![stored(500), stored(400)], &errors), (Verdict::Sticky, false));
    assert_eq!(verdict_of(vec![stored(500)], &[Design::SilentReuse]), (Verdict::Sticky, false));
    assert_eq!(verdict_of(vec![once(vec![success("r")], 1)], &errors), (Verdict::Ok, false));
    let failures = [500, 503].map(|status| answer(Class::Failure, status, "")).to_vec();
    assert_eq!(verdict_of(vec![once(failures, 0)], &errors), (Verdict::Wedged, false), "not the first failure, kept");
    let swallowed = |rule| vec![case("here", rule, &["a", "b"], vec![(0, success("r")), (1, success("r"))], &[1, 0])];
    let reuse = [Design::SilentReuse];
    assert_eq!(verdict_of(swallowed(Rule::Reuse), &reuse), (Verdict::Swallowed, true));
    assert_eq!(verdict_of(swallowed(Rule::Distinct), &reuse), (Verdict::Swallowed, false), "two keys are not one");
    assert_eq!(verdict_of(vec![once(vec![success("r")], 2)], &reuse), (Verdict::Duplicate, false));
}

#[test]
fn figures_are_those_of_reconciliation() {
    let once = once(vec![success("r"), success("r")], 3);
    let reuse = case("reuse", Rule::Reuse, &["g", "h"], vec![(0, refused()), (1, success("r"))], &[0, 1]);
    let lost = case("lost", Rule::Distinct, &["c", "d"], vec![(0, success("r")), (1, refused())], &[0, 0]);
    let figures = row("crowd", vec![once, reuse, lost], &[]).figures();
    assert_eq!(figures, Figures { requests: 6, charges: 4, unique: 2, duplicates: 2, lost: 1 });
    let baseline = case("two", Rule::Baseline, &["e", "f"], vec![(0, success("r"))], &[1, 0]);
    assert_eq!(row("baseline", vec![baseline], &[]).figures().lost, 1);
}

#[test]
fn nothing_is_counted_without_an_oracle() {
    let mut unseen = once(vec![success("r")], 7);
    unseen.charges = None;
    let row = row("replay", vec![unseen], &[]);
    assert!(!row.is_counted());
    assert_eq!(row.figures(), Figures { requests: 1, charges: 0, unique: 0, duplicates: 0, lost: 0 });
}

#[test]
fn moments_of_a_sweep_are_told_as_a_range() {
    let ms = Duration::from_millis;
    let at = |at| {
        let mut case = once(vec![success("r")], 2);
        case.swept = Some(Swept { way: "FIN", at: ms(at), of: ms(20) });
        case
    };
    let row = self::row("cut", vec![at(4), at(9), at(7)], &[]);
    assert!(row.evidence.ends_with("FIN at 4.0-9.0 ms of 20.0 ms, 3 of 3 keys"), "{}", row.evidence);
    let labelled = |label: &str| Case { label: label.into(), ..once(vec![success("r")], 2) };
    let row = self::row("odd_keys", ["a", "b", "c", "d", "e"].map(labelled).to_vec(), &[]);
    assert!(row.evidence.contains("a, b, c, and 2 more, 5 of 5 keys"), "{}", row.evidence);
}

#[test]
fn remarks_stand_beside_the_verdict() {
    let mut case = once(vec![success("r")], 1);
    case.remarks.push("the target took 2 of 8 connections at once".into());
    let row = row("race_8", vec![case.clone(), case], &[]);
    assert_eq!(row.verdict, Verdict::Ok);
    let once = "the invariants held for 2 keys; the target took 2 of 8 connections at once";
    assert_eq!(row.evidence, once, "a remark is made once");
}

#[test]
fn a_receipt_of_another_charge_is_no_silent_reuse() {
    let reuse = |shared_receipt: Option<&str>| {
        let answers = vec![(0, success("r")), (1, success("r"))];
        let case = case("here", Rule::Reuse, &["a", "b"], answers, &[1, 0]);
        Case { shared_receipt: shared_receipt.map(str::to_owned), ..case }
    };
    let accepted = |case| row("left_replay", vec![case], &[Design::SilentReuse]).accepted;
    assert!(accepted(reuse(None)));
    assert!(!accepted(reuse(Some("a success names receipt r"))));
}
