//! What follows from the facts of one key.

use super::*;
use crate::target::facts::answer::Class;
use crate::target::facts::fixtures::{answer, attempt, call, case, refused, success};

fn silence() -> Answer {
    Answer { status: None, ..answer(Class::Silence, 0, "") }
}

fn once(answers: Vec<Answer>) -> Case {
    case("here", Rule::Once, &["a"], answers.into_iter().map(|answer| (0, answer)).collect(), &[1])
}

#[test]
fn the_first_call_has_to_settle_where_one_key_carries_all_calls() {
    for (rule, to_settle) in [
        (Rule::Once, Some(0)),
        (Rule::Reuse, Some(0)),
        (Rule::Distinct, None),
        (Rule::Baseline, None),
        (Rule::Keyless, None),
        (Rule::Principals, None),
        (Rule::Report, None),
    ] {
        assert_eq!(Case::new("here", rule, vec![call("a")]).to_settle, to_settle, "{rule:?}");
    }
}

#[test]
fn charges_are_those_of_intents_however_many_calls_ask_for_one() {
    let twice = case("here", Rule::Once, &["a", "a"], vec![], &[1, 1]);
    assert_eq!((twice.intents(), twice.total(), twice.charged(1)), (1, Some(1), Some(1)));
    let two = case("here", Rule::Distinct, &["a", "b"], vec![], &[2, 1]);
    assert_eq!((two.intents(), two.total(), two.charged(0)), (2, Some(3), Some(2)));
    let blind = Case { charges: None, ..two };
    assert_eq!((blind.total(), blind.charged(0), blind.charges_by_intent().len()), (None, None, 0));
}

#[test]
fn a_call_succeeds_by_its_own_success_and_not_by_a_409_that_names_another() {
    let conflict = answer(Class::Named, 409, "r");
    let case = case("here", Rule::Reuse, &["a", "b"], vec![(0, success("r")), (1, conflict)], &[1, 0]);
    assert_eq!((case.succeeded(0), case.succeeded(1), case.all_succeeded()), (true, false, false));
    assert_eq!((case.receipts_of(0), case.receipts_of(1), case.receipts()), (vec!["r"], vec![], vec!["r"]));
    assert!(once(vec![refused(), success("r")]).all_succeeded());
}

#[test]
fn receipts_are_told_once_in_the_order_in_which_they_came() {
    let failed = answer(Class::Failure, 500, "x");
    let case = once(vec![success("s"), failed, success("r"), success(""), success("s")]);
    assert_eq!(case.receipts(), ["s", "r"]);
}

#[test]
fn the_last_answer_is_that_of_the_retried_call_left_alone() {
    let mut both = case("here", Rule::Once, &["a", "a"], vec![(0, success("r")), (1, refused())], &[1, 1]);
    assert_eq!((both.last(), both.settled()), (Some(&success("r")), true));
    both.to_settle = Some(1);
    assert_eq!((both.last(), both.settled()), (Some(&refused()), false));
    let mut spoilt = once(vec![refused(), Answer::withheld("dropped")]);
    spoilt.attempts.push(Attempt { faulted: true, ..attempt(0, "cut", success("r")) });
    assert_eq!((spoilt.last(), spoilt.settled()), (Some(&refused()), false));
    assert_eq!(once(vec![]).last(), None);
}

#[test]
fn a_client_asks_on_until_its_request_is_answered_and_only_where_it_may() {
    let rows = [
        (vec![], true),
        (vec![success("r")], false),
        (vec![answer(Class::Named, 409, "r")], false),
        (vec![silence(), success("r")], false),
        (vec![refused()], true),
        (vec![silence()], true),
        (vec![success("r"), refused()], true),
    ];
    for (answers, awaits) in rows {
        let case = once(answers);
        assert_eq!(case.awaits_answer(), awaits, "{:?}", case.attempts);
        assert!(!Case { to_settle: None, ..case.clone() }.awaits_answer());
        assert!(!Case { no_retry: true, ..case.clone() }.awaits_answer());
        assert!(!Case { shortfall: Some(Shortfall::NotHit("late".into())), ..case }.awaits_answer());
    }
}

/// A second call that was not answered at all may still be at work under the key of the first.
#[test]
fn a_success_is_asked_for_again_after_a_silence_that_came_later() {
    let then_silence = |rule| case("here", rule, &["a", "a"], vec![(0, success("r")), (1, silence())], &[1, 1]);
    assert!(then_silence(Rule::Once).silent() && then_silence(Rule::Once).awaits_answer());
    assert!(!then_silence(Rule::Reuse).awaits_answer(), "another payload need not be answered");
    let before = case("here", Rule::Once, &["a", "a"], vec![(1, silence()), (0, success("r"))], &[1, 1]);
    assert!(!before.silent() && !before.awaits_answer());
    assert!(!once(vec![]).silent());
}
