//! The rules of a tool without a key: what it claims is what it is held to.

use super::tests::{gives, silence};
use super::*;
use crate::target::facts::answer::Answer;
use crate::target::facts::fixtures::{answer, case, refused, success};

fn of(rule: Rule, answers: &[Answer], charges: &[u64]) -> Case {
    case("here", rule, &["a"], answers.iter().map(|answer| (0, answer.clone())).collect(), charges)
}

#[test]
fn a_second_charge_is_a_finding_by_what_was_promised() {
    let twice = [success("r1"), success("r2")];
    for (rule, verdict) in
        [(Rule::Once, Verdict::Duplicate), (Rule::Claimed, Verdict::Duplicate), (Rule::Unpromised, Verdict::Unsafe)]
    {
        gives(&of(rule, &twice, &[2]), verdict);
        gives(&of(rule, &twice[..1], &[1]), Verdict::Ok);
        gives(&of(rule, &twice[..1], &[0]), Verdict::Lost);
    }
}

#[test]
fn two_receipts_without_a_ledger_are_two_charges_of_a_tool_that_promised_nothing() {
    let mut unseen = of(Rule::Unpromised, &[success("r1"), success("r2")], &[2]);
    unseen.charges = None;
    gives(&unseen, Verdict::Unsafe);
    unseen.rule = Rule::Claimed;
    gives(&unseen, Verdict::Changed);
}

#[test]
fn a_repeat_that_is_refused_after_its_effect_breaks_no_promise_where_there_was_none() {
    let answers = [silence(), refused(), refused()];
    let lost = |rule, charges| {
        let mut lost = of(rule, &answers, &[charges]);
        lost.attempts[0].faulted = true;
        lost
    };
    gives(&lost(Rule::Unpromised, 1), Verdict::Ok);
    gives(&lost(Rule::Unpromised, 0), Verdict::Sticky);
    gives(&lost(Rule::Claimed, 1), Verdict::Sticky);
}

#[test]
fn a_read_only_tool_has_no_effect_whatever_it_answers() {
    for answers in [&[success("r"), success("r")][..], &[refused(), refused()]] {
        gives(&of(Rule::ReadOnly, answers, &[0]), Verdict::Ok);
        gives(&of(Rule::ReadOnly, answers, &[1]), Verdict::NotReadOnly);
    }
    let mut unseen = of(Rule::ReadOnly, &[success("r")], &[0]);
    unseen.charges = None;
    gives(&unseen, Verdict::Unproven);
}

#[test]
fn a_tool_that_asks_is_skipped_unless_it_did_something_all_the_same() {
    let asks = answer(Class::Asks, 200, "");
    for rule in [Rule::Baseline, Rule::Once, Rule::Unpromised] {
        gives(&of(rule, std::slice::from_ref(&asks), &[0]), Verdict::Skipped);
    }
    gives(&of(Rule::Claimed, &[asks.clone(), asks], &[2]), Verdict::Duplicate);
}
