//! Every entry of the profile, from facts written by hand.

use std::time::Duration;

use super::*;
use crate::target::checks::CHECKS;
use crate::target::facts::answer::Answer;
use crate::target::facts::case::Rule;
use crate::target::facts::fixtures::{answer, attempt, case, refused, success};

fn row(name: &str, cases: Vec<Case>) -> Row {
    let check = CHECKS.iter().find(|check| check.name == name).unwrap();
    Row::new(check, cases, Duration::ZERO, &[])
}

fn line(rows: &[Row], name: &str) -> Option<String> {
    Profile::of(rows).lines().into_iter().find(|(entry, _)| *entry == name).map(|(_, text)| text)
}

fn race(answers: Vec<Answer>, charges: u64) -> Row {
    let mut case = case("all at once", Rule::Once, &["a"], vec![], &[charges]);
    let copies = answers.into_iter().enumerate();
    let copy = |(n, answer)| Attempt { copy: true, ..attempt(0, &format!("copy {}", n + 1), answer) };
    case.attempts = copies.map(copy).collect();
    row("race_2", vec![case])
}

#[test]
fn what_was_not_seen_is_not_told() {
    assert_eq!(Profile::of(&[]).lines(), []);
    assert_eq!(line(&[row("race_2", vec![])], "in-flight duplicate"), None);
}

#[test]
fn an_in_flight_duplicate_waits_or_is_told_to_wait_or_charges() {
    let conflict = || answer(Class::InFlight, 409, "");
    let told = |answers, charges| line(&[race(answers, charges)], "in-flight duplicate");
    assert_eq!(told(vec![success("r"), success("r")], 1).unwrap(), "waits, then a success");
    assert_eq!(told(vec![success("r"), conflict()], 1).unwrap(), "409");
    assert_eq!(told(vec![success("r"), success("s")], 2).unwrap(), "charged again");
    assert_eq!(told(vec![success("r"), conflict()], 2).unwrap(), "409, charged again");
    // An attempt that was no copy tells nothing of a duplicate in flight.
    let alone = case("measured", Rule::Once, &["a"], vec![(0, conflict())], &[1]);
    assert_eq!(line(&[row("race_2", vec![alone])], "in-flight duplicate"), None);
}

#[test]
fn a_reused_key_shows_what_the_loser_was_told_at_last() {
    let reuse = |answers| row("key_reuse", vec![case("another amount", Rule::Reuse, &["a", "b"], answers, &[1, 0])]);
    let told = |answers| line(&[reuse(answers)], "reused key");
    let conflict = answer(Class::InFlight, 409, "");
    assert_eq!(told(vec![(0, success("r")), (1, conflict), (1, refused())]).unwrap(), "422");
    assert_eq!(told(vec![(0, success("r")), (1, success("r"))]).unwrap(), "success");
    // A payload that was never sent was told nothing.
    assert_eq!(told(vec![(0, success("r"))]), None);
    assert_eq!(told(vec![(0, success("r")), (1, Answer { class: Class::Unsent, ..refused() })]), None);
}

#[test]
fn other_bytes_and_another_principal_are_told_by_the_second_call() {
    let second = |name: &str| {
        let answers = vec![(0, success("r")), (1, answer(Class::Refusal, 403, ""))];
        row(name, vec![case("second", Rule::Report, &["a", "a"], answers, &[1, 1])])
    };
    assert_eq!(line(&[second("equivalent_body")], "reordered body").unwrap(), "403");
    assert_eq!(line(&[second("principals")], "other principal").unwrap(), "403");
}

#[test]
fn errors_are_kept_or_not_or_keep_the_key_in_flight() {
    let told = |answers: Vec<Answer>, charges| {
        let answers = answers.into_iter().map(|answer| (0, answer)).collect();
        line(&[row("server_error_first", vec![case("fails", Rule::Once, &["a"], answers, &[charges])])], "errors")
    };
    let failed = || answer(Class::Failure, 500, "");
    assert_eq!(told(vec![failed(), success("r")], 1).unwrap(), "not stored: the retry executes");
    assert_eq!(told(vec![failed(), failed()], 0).unwrap(), "stored");
    assert_eq!(told(vec![failed(), answer(Class::InFlight, 409, "")], 0).unwrap(), "the key stays in flight");
    assert_eq!(told(vec![failed(), success("r")], 2), None, "a duplicate tells nothing of what is kept");
}

#[test]
fn the_first_marker_of_a_replay_is_told_as_the_target_spells_it() {
    let marked = Answer { marker: Some("Idempotent-Replayed: true".into()), ..success("r") };
    let rows = [row("replay", vec![case("again", Rule::Once, &["a"], vec![(0, success("r")), (0, marked)], &[1])])];
    assert_eq!(line(&rows, "replay marker").unwrap(), "Idempotent-Replayed: true");
}

#[test]
fn without_a_key_a_request_is_refused_charged_or_taken_for_another() {
    let told = |answers: Vec<Answer>, charges: Option<u64>| {
        let answers = answers.into_iter().map(|answer| (0, answer)).collect();
        let mut case = case("without a key", Rule::Keyless, &["a", "b"], answers, &[0, 0]);
        case.charges = charges.map(|charges| vec![charges, 0]);
        line(&[row("no_key", vec![case])], "without a key").unwrap()
    };
    assert_eq!(told(vec![answer(Class::Refusal, 400, "")], Some(0)), "refused (400)");
    assert_eq!(told(vec![success("r"), success("s")], Some(2)), "unprotected: charged each time");
    assert_eq!(told(vec![success("r"), success("r")], Some(1)), "deduplicated by something else");
    assert_eq!(told(vec![success("r")], None), "taken");
}

#[test]
fn odd_keys_are_refused_where_neither_succeeds() {
    let odd = |label: &str, answers| case(label, Rule::Distinct, &["a", "b"], answers, &[0, 0]);
    let too_long = || answer(Class::Refusal, 400, "");
    let cases = vec![
        odd("last of 8192 characters", vec![(0, too_long()), (1, too_long())]),
        odd("letter case", vec![(0, success("r")), (1, too_long())]),
        odd("empty", vec![(0, too_long()), (1, success("r"))]),
    ];
    assert_eq!(line(&[row("odd_keys", cases)], "odd keys refused").unwrap(), "last of 8192 characters (400)");
}

#[test]
fn after_the_window_a_key_is_known_or_not() {
    let told = |rule, charges| {
        let after = case("a moment of the window", rule, &["a"], vec![(0, success("r"))], &[charges]);
        line(&[row("window", vec![after])], "after the window")
    };
    assert_eq!(told(Rule::Report, 1).unwrap(), "still known");
    assert_eq!(told(Rule::Report, 2).unwrap(), "forgotten: charged again");
    assert_eq!(told(Rule::Once, 2), None, "what comes before its end is judged, not told");
}

#[test]
fn silence_is_told_as_no_reply() {
    let silent = Answer { status: None, ..answer(Class::Silence, 200, "") };
    assert_eq!(line(&[race(vec![success("r"), silent], 1)], "in-flight duplicate").unwrap(), "no reply");
}

#[test]
fn a_tools_failure_is_told_with_what_it_did_all_the_same() {
    let failed = || Answer { text: "isError: no answer from the bank".into(), ..refused() };
    let of = |answers: Vec<Answer>, charges| {
        case("a", Rule::Claimed, &["a"], answers.into_iter().map(|answer| (0, answer)).collect(), &[charges])
    };
    let rows = [row("replay", vec![of(vec![failed(), failed()], 1), of(vec![failed()], 0)])];
    assert_eq!(line(&rows, "failed calls").unwrap(), "1 of 2 had their effect");
    for cases in [vec![of(vec![failed(), success("r")], 1)], vec![of(vec![refused()], 1)]] {
        assert_eq!(line(&[row("replay", cases)], "failed calls"), None);
    }
}
