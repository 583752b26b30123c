//! Verdicts from what was observed, row by row of the specification's table. No socket and no ledger file: facts alone.

use std::time::Duration;

use super::*;
use crate::target::facts::answer::Answer;
use crate::target::facts::case::Attempt;
use crate::target::facts::fixtures::{self, answer, success};

pub(super) fn in_flight() -> Answer {
    answer(Class::InFlight, 409, "")
}

pub(super) fn silence() -> Answer {
    Answer { class: Class::Silence, status: None, receipt: None, text: "reset".into(), retry_after: None, marker: None }
}

/// A case of these calls, answers by call in the order in which they came, and the ledger's counts.
pub(super) fn case(rule: Rule, calls: &[&str], answers: Vec<(usize, Answer)>, charges: &[u64]) -> Case {
    fixtures::case("here", rule, calls, answers, charges)
}

pub(super) fn attempt(call: usize, answer: Answer, faulted: bool) -> Attempt {
    Attempt { faulted, ..fixtures::attempt(call, "sent", answer) }
}

pub(super) fn once(answers: Vec<Answer>, charges: u64) -> Case {
    case(Rule::Once, &["a"], answers.into_iter().map(|answer| (0, answer)).collect(), &[charges])
}

#[track_caller]
pub(super) fn gives(case: &Case, verdict: Verdict) {
    let judgement = judge(case);
    assert_eq!(judgement.verdict, verdict, "{}", judgement.why);
}

#[test]
fn one_charge_and_one_receipt_is_ok() {
    gives(&once(vec![success("r"), success("r")], 1), Verdict::Ok);
}

#[test]
fn a_409_that_names_the_receipt_is_a_replay() {
    gives(&once(vec![success("r"), answer(Class::Named, 409, "r")], 1), Verdict::Ok);
}

#[test]
fn an_in_flight_answer_that_settles_later_is_ok() {
    gives(&once(vec![silence(), in_flight(), success("r")], 1), Verdict::Ok);
}

#[test]
fn i1_two_charges_are_a_duplicate_whatever_was_answered() {
    for answers in [vec![success("r"), success("r")], vec![success("r"), in_flight()], vec![silence(), silence()]] {
        gives(&once(answers, 2), Verdict::Duplicate);
    }
}

#[test]
fn i2_a_success_without_a_charge_is_lost() {
    gives(&once(vec![success("r")], 0), Verdict::Lost);
}

#[test]
fn i3_another_receipt_or_none_is_changed() {
    gives(&once(vec![success("r"), success("s")], 1), Verdict::Changed);
    gives(&once(vec![success("r"), success("")], 1), Verdict::Changed);
}

#[test]
fn i3_a_target_that_never_names_a_receipt_has_changed_nothing() {
    gives(&once(vec![success(""), success("")], 1), Verdict::Ok);
}

#[test]
fn i3_a_copy_under_way_names_the_receipt_too_and_a_later_one_may_name_more() {
    let ms = Duration::from_millis;
    let timed = |sent| {
        let mut case = once(vec![success(""), success("r")], 1);
        (case.attempts[0].ended, case.attempts[1].sent, case.attempts[1].ended) = (ms(5), ms(sent), ms(20));
        case
    };
    gives(&timed(1), Verdict::Changed);
    gives(&timed(6), Verdict::Ok);
}

#[test]
fn i3_looks_at_what_the_target_said_even_where_the_client_never_saw_it() {
    let mut case = once(vec![success("s")], 1);
    case.attempts.insert(0, attempt(0, success("r"), true));
    gives(&case, Verdict::Changed);
}

#[test]
fn i4_in_flight_answers_and_silence_that_go_on_are_wedged() {
    gives(&once(vec![silence(), in_flight(), in_flight()], 0), Verdict::Wedged);
    gives(&once(vec![silence(), silence()], 1), Verdict::Wedged);
    gives(&once(vec![success("r"), in_flight()], 1), Verdict::Wedged);
}

/// A conflict before any other request with the key had begun is another key's doing.
#[test]
fn a_key_is_refused_fresh_only_before_its_second_request() {
    let at = |sent, ended, answer| {
        let (sent, ended) = (Duration::from_millis(sent), Duration::from_millis(ended));
        Attempt { sent, ended, ..attempt(0, answer, false) }
    };
    let fresh = |attempts| Case { attempts, ..once(vec![], 0) }.refused_fresh();
    assert!(fresh(vec![at(0, 2, in_flight()), at(3, 4, success("r"))]));
    assert!(!fresh(vec![at(0, 4, success("r")), at(1, 2, in_flight())]));
    assert!(!fresh(vec![at(0, 2, silence()), at(3, 4, in_flight())]));
    assert!(!fresh(vec![at(0, 2, answer(Class::InFlight, 202, ""))]));
    let shared = Case { rule: Rule::Reuse, ..once(vec![in_flight()], 0) };
    assert!(!shared.refused_fresh());
}

#[test]
fn i4_the_first_failure_repeated_is_sticky_and_another_one_is_wedged() {
    let failure = |status| answer(Class::Failure, status, "");
    gives(&once(vec![failure(500), failure(500)], 0), Verdict::Sticky);
    let beside = answer(Class::InFlight, 409, "a copy is under way");
    gives(&once(vec![failure(500), beside, failure(500), failure(500)], 0), Verdict::Sticky);
    let said = |text: &str| Answer { text: text.into(), ..failure(500) };
    let (thrown, kept) = (r#"{"statusCode":500,"message":"No luck"}"#, r#"{"message":"No Luck","statusCode":500}"#);
    gives(&once(vec![said(thrown), said(kept), said(kept)], 0), Verdict::Sticky);
    gives(&once(vec![said(thrown), said(r#"{"message":"in flight"}"#)], 0), Verdict::Wedged);
    gives(&once(vec![silence(), failure(500), failure(500)], 0), Verdict::Wedged);
    gives(&once(vec![answer(Class::Refusal, 400, ""), answer(Class::Refusal, 400, "")], 0), Verdict::Sticky);
}

#[test]
fn i4_is_not_shown_by_an_attempt_that_carried_a_fault() {
    let mut case = once(vec![in_flight()], 1);
    case.attempts.push(attempt(0, success("r"), true));
    gives(&case, Verdict::Wedged);
}

#[test]
fn another_serialisation_may_be_refused_and_must_not_charge() {
    let first = (0, success("r"));
    let refused = (1, answer(Class::Refusal, 422, ""));
    gives(&case(Rule::Once, &["a", "a"], vec![first.clone(), refused.clone(), first.clone()], &[1, 1]), Verdict::Ok);
    gives(&case(Rule::Once, &["a", "a"], vec![first.clone(), (1, success("s")), first], &[2, 2]), Verdict::Duplicate);
}

#[test]
fn a_target_that_is_gone_is_an_error_and_never_ok() {
    let gone = Answer { class: Class::Unsent, ..silence() };
    gives(&once(vec![gone], 0), Verdict::Error);
}

#[test]
fn without_a_ledger_nothing_is_ok_and_replies_still_contradict_each_other() {
    let blind = |answers| Case { charges: None, ..once(answers, 0) };
    gives(&blind(vec![success("r"), success("r")]), Verdict::Unproven);
    gives(&blind(vec![success("r"), success("s")]), Verdict::Changed);
    gives(&blind(vec![silence(), in_flight()]), Verdict::Wedged);
}

#[test]
fn a_moment_that_was_not_hit_is_unproven_but_hides_no_duplicate() {
    let missed = |charges| {
        let shortfall = Some(Shortfall::NotHit("late".into()));
        Case { shortfall, ..once(vec![success("r"), success("r")], charges) }
    };
    gives(&missed(1), Verdict::Unproven);
    gives(&missed(2), Verdict::Duplicate);
}

#[test]
fn reuse_one_payload_succeeds_whichever_came_first() {
    let refused = answer(Class::Refusal, 422, "");
    gives(&case(Rule::Reuse, &["a", "b"], vec![(0, success("r")), (1, refused.clone())], &[1, 0]), Verdict::Ok);
    let second = case(Rule::Reuse, &["a", "b"], vec![(1, success("r")), (0, refused)], &[0, 1]);
    gives(&Case { to_settle: Some(1), ..second }, Verdict::Ok);
}

#[test]
fn reuse_the_success_must_outlive_the_refusal_of_the_other_payload() {
    let refused = || answer(Class::Refusal, 422, "");
    let then = |last| vec![(0, success("r")), (1, refused()), (0, last)];
    gives(&case(Rule::Reuse, &["a", "b"], then(success("r")), &[1, 0]), Verdict::Ok);
    gives(&case(Rule::Reuse, &["a", "b"], then(answer(Class::Named, 409, "r")), &[1, 0]), Verdict::Ok);
    gives(&case(Rule::Reuse, &["a", "b"], then(refused()), &[1, 0]), Verdict::Sticky);
    gives(&case(Rule::Reuse, &["a", "b"], then(in_flight()), &[1, 0]), Verdict::Wedged);
}

#[test]
fn a_retry_from_elsewhere_has_to_settle_where_it_is_the_one_that_counts() {
    let answers = || vec![(0, success("r")), (1, answer(Class::Refusal, 422, ""))];
    let elsewhere = case(Rule::Once, &["a", "a"], answers(), &[1, 1]);
    gives(&elsewhere, Verdict::Ok);
    gives(&Case { to_settle: Some(1), ..elsewhere }, Verdict::Sticky);
}

#[test]
fn a_key_that_looks_like_a_used_one_has_to_settle_only_where_its_form_is_taken() {
    let answers = || vec![(0, success("r")), (1, answer(Class::Refusal, 422, ""))];
    let alike = case(Rule::Distinct, &["a", "b"], answers(), &[1, 0]);
    gives(&alike, Verdict::Ok);
    gives(&Case { to_settle: Some(1), ..alike }, Verdict::Sticky);
}

#[test]
fn a_receipt_that_another_charge_has_is_swallowed_and_hides_no_duplicate() {
    let shared = |charges| {
        let shared_receipt = Some("a success names receipt r".to_owned());
        Case { shared_receipt, ..once(vec![success("r")], charges) }
    };
    gives(&shared(1), Verdict::Swallowed);
    gives(&shared(2), Verdict::Duplicate);
}

#[test]
fn reuse_a_409_that_names_the_first_receipt_is_a_refusal() {
    let refused = (1, answer(Class::Named, 409, "r"));
    gives(&case(Rule::Reuse, &["a", "b"], vec![(0, success("r")), refused], &[1, 0]), Verdict::Ok);
}

#[test]
fn reuse_an_old_success_for_another_payload_is_swallowed() {
    gives(&case(Rule::Reuse, &["a", "b"], vec![(0, success("r")), (1, success("r"))], &[1, 0]), Verdict::Swallowed);
    gives(&case(Rule::Reuse, &["a", "a"], vec![(0, success("")), (1, success(""))], &[1, 1]), Verdict::Swallowed);
}

#[test]
fn reuse_both_payloads_charged_is_a_duplicate_and_the_wrong_one_charged_is_lost() {
    let both = vec![(0, success("r")), (1, success("s"))];
    gives(&case(Rule::Reuse, &["a", "b"], both, &[1, 1]), Verdict::Duplicate);
    let refused = (1, answer(Class::Refusal, 422, ""));
    gives(&case(Rule::Reuse, &["a", "b"], vec![(0, success("r")), refused], &[0, 1]), Verdict::Lost);
}

#[test]
fn own_keys_must_not_get_each_others_success() {
    gives(&case(Rule::Distinct, &["a", "b"], vec![(0, success("r")), (1, success("s"))], &[1, 1]), Verdict::Ok);
    gives(&case(Rule::Distinct, &["a", "b"], vec![(0, success("r")), (1, success("r"))], &[1, 0]), Verdict::Swallowed);
    gives(&case(Rule::Distinct, &["a", "b"], vec![(0, success("r")), (1, success(""))], &[1, 0]), Verdict::Lost);
    let refused = answer(Class::Refusal, 400, "");
    gives(&case(Rule::Distinct, &["a", "b"], vec![(0, refused.clone()), (1, refused)], &[0, 0]), Verdict::Ok);
}

#[test]
fn without_a_key_charging_each_time_and_refusing_are_both_ok() {
    let answers = vec![(0, success("r")), (0, success("s")), (1, success("t"))];
    gives(&case(Rule::Keyless, &["a", "b"], answers, &[2, 1]), Verdict::Ok);
    let refused = || answer(Class::Refusal, 400, "");
    gives(&case(Rule::Keyless, &["a", "b"], vec![(0, refused()), (0, refused())], &[0, 0]), Verdict::Ok);
    gives(&case(Rule::Keyless, &["a", "b"], vec![(0, refused()), (0, refused())], &[2, 0]), Verdict::Duplicate);
    let swallowed = vec![(0, success("r")), (1, success("r"))];
    gives(&case(Rule::Keyless, &["a", "b"], swallowed, &[1, 0]), Verdict::Swallowed);
}

#[test]
fn the_baseline_tells_content_from_identity_and_a_blind_oracle_from_both() {
    let both = |a, b| vec![(0, success(a)), (1, success(b))];
    gives(&case(Rule::Baseline, &["a", "b"], both("r", "s"), &[1, 1]), Verdict::Ok);
    gives(&case(Rule::Baseline, &["a", "b"], both("r", "r"), &[1, 0]), Verdict::Lost);
    gives(&case(Rule::Baseline, &["a", "b"], both("r", "s"), &[0, 0]), Verdict::Error);
    gives(&case(Rule::Baseline, &["a", "b"], both("r", "s"), &[2, 1]), Verdict::Duplicate);
}

#[test]
fn a_principal_must_not_get_anothers_receipt() {
    let both = |a, b| vec![(0, success(a)), (1, success(b))];
    gives(&case(Rule::Principals, &["a", "a"], both("r", "s"), &[2, 2]), Verdict::Ok);
    gives(&case(Rule::Principals, &["a", "a"], both("r", "r"), &[1, 1]), Verdict::Leaked);
    let refused = (1, answer(Class::Refusal, 409, ""));
    gives(&case(Rule::Principals, &["a", "a"], vec![(0, success("r")), refused], &[1, 1]), Verdict::Ok);
    gives(&case(Rule::Principals, &["a", "a"], both("r", "s"), &[3, 3]), Verdict::Duplicate);
}
