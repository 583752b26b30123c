//! Where one verdict ends and the next begins: each case is the last or the first of its kind.

use std::time::Duration;

use super::tests::{attempt, case, gives, in_flight, once, silence};
use super::*;
use crate::target::facts::answer::Answer;
use crate::target::facts::fixtures::{answer, refused, success};

fn failure(status: u16) -> Answer {
    answer(Class::Failure, status, "")
}

fn blind(rule: Rule, calls: &[&str], answers: Vec<(usize, Answer)>) -> Case {
    Case { charges: None, ..case(rule, calls, answers, &[]) }
}

#[test]
fn a_success_that_charged_nothing_is_lost_whatever_the_receipts_say() {
    gives(&once(vec![success("r"), success("s")], 0), Verdict::Lost);
    gives(&once(vec![answer(Class::Named, 409, "r")], 0), Verdict::Lost);
    gives(&once(vec![success("r"), in_flight()], 0), Verdict::Lost);
}

#[test]
fn i3_a_request_sent_when_the_nameless_success_was_whole_is_a_later_one() {
    let ms = Duration::from_millis;
    let mut case = once(vec![success(""), success("r")], 1);
    (case.attempts[0].ended, case.attempts[1].sent, case.attempts[1].ended) = (ms(5), ms(5), ms(20));
    gives(&case, Verdict::Ok);
    case.attempts[1].sent = ms(4);
    gives(&case, Verdict::Changed);
}

#[test]
fn i4_asks_nothing_of_what_was_not_hit_or_may_not_be_retried() {
    let unsettled = || once(vec![silence(), in_flight()], 1);
    let shortfalls = [
        (Shortfall::NotHit("late".into()), Verdict::Unproven),
        (Shortfall::DoesNotApply("no room".into()), Verdict::Skipped),
        (Shortfall::NotCarriedOut("no server".into()), Verdict::Error),
    ];
    for (shortfall, verdict) in shortfalls {
        gives(&Case { shortfall: Some(shortfall), ..unsettled() }, verdict);
    }
    gives(&Case { no_retry: true, ..unsettled() }, Verdict::Unproven);
    gives(&Case { no_retry: true, ..once(vec![success("r")], 1) }, Verdict::Ok);
    let mut never_alone = once(vec![], 1);
    never_alone.attempts.push(attempt(0, success("r"), true));
    gives(&never_alone, Verdict::Unproven);
}

#[test]
fn i4_a_failure_is_kept_only_where_it_came_twice_and_the_same() {
    gives(&once(vec![failure(500)], 0), Verdict::Wedged);
    let reworded = Answer { text: failure(500).text, ..failure(503) };
    gives(&once(vec![failure(500), reworded], 0), Verdict::Wedged);
    gives(&once(vec![failure(500), failure(500), failure(503)], 0), Verdict::Wedged);
    // What nobody was to see is no answer that could be repeated.
    gives(&once(vec![Answer::withheld("dropped"), failure(500), failure(500)], 0), Verdict::Sticky);
}

#[test]
fn reuse_without_a_ledger_two_receipts_have_changed_and_one_is_swallowed() {
    let both = |a, b| blind(Rule::Reuse, &["a", "b"], vec![(0, success(a)), (1, success(b))]);
    gives(&both("r", "s"), Verdict::Changed);
    gives(&both("r", "r"), Verdict::Swallowed);
    gives(&blind(Rule::Reuse, &["a", "b"], vec![(0, success("r")), (1, refused())]), Verdict::Unproven);
}

#[test]
fn reuse_the_receipt_of_the_payload_that_succeeded_stays() {
    let then = |receipt| vec![(0, success("r")), (1, refused()), (0, success(receipt))];
    gives(&case(Rule::Reuse, &["a", "b"], then("s"), &[1, 0]), Verdict::Changed);
    gives(&case(Rule::Reuse, &["a", "b"], vec![(0, success("r")), (1, success("s"))], &[1, 0]), Verdict::Swallowed);
    let nobody = vec![(0, answer(Class::Named, 409, "r")), (1, Answer { class: Class::Unsent, ..silence() })];
    gives(&case(Rule::Reuse, &["a", "b"], nobody, &[0, 0]), Verdict::Error);
}

#[test]
fn reuse_a_conflict_without_a_charge_and_a_payload_that_was_never_sent_show_nothing() {
    let named = || answer(Class::Named, 409, "r");
    let unsent = || Answer { class: Class::Unsent, ..silence() };
    let of = |first, other, charged| case(Rule::Reuse, &["a", "b"], vec![(0, first), (1, other)], &[charged, 0]);
    gives(&of(named(), refused(), 0), Verdict::Unproven);
    gives(&of(named(), refused(), 1), Verdict::Ok);
    gives(&of(success("r"), unsent(), 1), Verdict::Unproven);
    gives(&case(Rule::Reuse, &["a", "b"], vec![(0, success("r"))], &[1, 0]), Verdict::Unproven);
    // What got no whole reply was sent.
    gives(&of(success("r"), silence(), 1), Verdict::Ok);
}

#[test]
fn reuse_both_payloads_may_be_refused_where_nothing_has_to_settle() {
    let after_a_reuse = case(Rule::Reuse, &["a", "b"], vec![(0, refused()), (1, refused())], &[0, 0]);
    gives(&Case { to_settle: None, ..after_a_reuse.clone() }, Verdict::Ok);
    gives(&after_a_reuse, Verdict::Sticky);
}

#[test]
fn one_intent_may_have_one_receipt_in_two_calls_and_no_ledger_hides_no_swallowing() {
    let both = |a, b| vec![(0, success(a)), (1, success(b))];
    gives(&case(Rule::Distinct, &["a", "a"], both("r", "r"), &[1, 1]), Verdict::Ok);
    gives(&blind(Rule::Distinct, &["a", "b"], both("r", "r")), Verdict::Swallowed);
    gives(&blind(Rule::Distinct, &["a", "b"], both("r", "s")), Verdict::Unproven);
    gives(&case(Rule::Distinct, &["a", "b"], vec![(0, refused()), (1, success("s"))], &[0, 1]), Verdict::Ok);
    gives(&case(Rule::Distinct, &["a", "b"], vec![(0, refused()), (1, success("s"))], &[0, 0]), Verdict::Lost);
}

#[test]
fn a_plain_request_must_be_taken_and_without_a_ledger_that_shows_nothing() {
    let both = |a, b| vec![(0, success(a)), (1, success(b))];
    let unwilling = vec![(0, success("r")), (1, refused())];
    gives(&case(Rule::Baseline, &["a", "b"], unwilling, &[1, 0]), Verdict::Error);
    gives(&blind(Rule::Baseline, &["a", "b"], both("r", "s")), Verdict::Unproven);
    gives(&blind(Rule::Baseline, &["a", "b"], both("r", "r")), Verdict::Swallowed);
    gives(&case(Rule::Baseline, &["a", "b"], both("r", "s"), &[0, 1]), Verdict::Lost);
    gives(&case(Rule::Baseline, &["a", "b"], both("r", "s"), &[0, 2]), Verdict::Duplicate);
}

#[test]
fn without_a_key_one_charge_of_a_refused_intent_is_not_shown_as_two() {
    let refused = || vec![(0, answer(Class::Refusal, 400, "")), (0, answer(Class::Refusal, 400, ""))];
    gives(&case(Rule::Keyless, &["a", "b"], refused(), &[1, 0]), Verdict::Ok);
    gives(&blind(Rule::Keyless, &["a", "b"], refused()), Verdict::Unproven);
    gives(&case(Rule::Keyless, &["a", "b"], vec![(0, success("r"))], &[0, 0]), Verdict::Lost);
}

#[test]
fn two_principals_have_a_charge_each() {
    let both = |a, b| vec![(0, success(a)), (1, success(b))];
    let rows = [
        (both("r", "s"), 2, Verdict::Ok),
        (both("r", "s"), 1, Verdict::Lost),
        (both("r", "s"), 0, Verdict::Lost),
        (both("", ""), 2, Verdict::Ok),
        (both("", ""), 1, Verdict::Leaked),
        (both("", ""), 0, Verdict::Leaked),
        (vec![(0, success("")), (1, refused())], 1, Verdict::Ok),
    ];
    for (answers, charges, verdict) in rows {
        gives(&case(Rule::Principals, &["a", "a"], answers, &[charges, charges]), verdict);
    }
    gives(&blind(Rule::Principals, &["a", "a"], both("r", "r")), Verdict::Leaked);
    gives(&blind(Rule::Principals, &["a", "a"], both("r", "s")), Verdict::Unproven);
}
