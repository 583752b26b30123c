//! The table against itself: every row is found by its own words, and none stands in another's way.

use super::*;
use crate::classify::extract::reading::Reading;
use crate::classify::judge::chain;
use crate::terms::outcome::Effect;

/// A text that only this row is meant for.
fn sample(row: &Row) -> String {
    let ((_, right), words) = edges(row.pattern);
    match row.says {
        _ if right == Edge::Milliseconds => format!("{words}500 ms"),
        Says::StatusFollows => format!("{words}503 "),
        Says::StatusPrecedes => format!("503{words}"),
        Says::AttemptsFollow | Says::RetriesFollow => format!("{words}3"),
        Says::AttemptsPrecede | Says::RetriesPrecede => format!("3{words}"),
        _ => words.to_owned(),
    }
}

#[test]
fn every_row_is_found_by_its_own_words() {
    for row in rows() {
        let found: Vec<_> = find(&sample(row), |hits| hits.iter().map(|hit| hit.row.pattern).collect());
        assert!(found.contains(&row.pattern), "{} is shadowed by {found:?}", row.pattern);
    }
}

#[test]
fn every_row_decides_for_its_own_words() {
    for row in rows().filter(|row| !row.says.is_note() && row.says != Says::Nothing) {
        let text = sample(row);
        let reading = Reading::from_text(&text);
        let proof = chain::read(&reading).proof.unwrap_or_else(|| panic!("{} proves nothing", row.pattern));
        let symptom = match row.says {
            Says::Never(s) | Says::NeverBeside(s) | Says::Phase(s) | Says::Sent(s) => s,
            Says::Begun(s) | Says::Open(s) | Says::Hint(s) | Says::Reply(s) => s,
            Says::StatusFollows | Says::StatusPrecedes => Symptom::ServerError,
            _done_already => Symptom::Conflict,
        };
        assert_eq!(proof.symptom, symptom, "{}", row.pattern);
    }
}

#[test]
fn a_row_claims_no_more_than_its_class_allows() {
    for row in rows() {
        let effect = |symptom: Symptom| symptom.advice().effect;
        match row.says {
            Says::Never(s) | Says::NeverBeside(s) | Says::Phase(s) => {
                assert_eq!(effect(s), Effect::No, "{}", row.pattern)
            }
            Says::Sent(s) | Says::Begun(s) | Says::Open(s) | Says::Hint(s) => {
                assert_eq!(effect(s), Effect::Maybe, "{}", row.pattern);
            }
            Says::Reply(s) => assert_ne!(effect(s), Effect::Yes, "{}", row.pattern),
            _no_symptom_of_its_own => {}
        }
    }
}

#[test]
fn patterns_are_lower_case_and_stand_once() {
    let mut patterns: Vec<_> = rows().map(|row| row.pattern).collect();
    patterns.sort_unstable();
    for pair in patterns.windows(2) {
        assert_ne!(pair[0], pair[1]);
    }
    for row in rows() {
        assert_eq!(row.pattern, row.pattern.to_ascii_lowercase());
        assert!(edges(row.pattern).1.len() > 2 && !row.client.is_empty(), "{}", row.pattern);
    }
    assert!(rows().any(|row| row.basis == Basis::Seen));
}

#[test]
fn edges_hold() {
    let found = |text: &str| find(text, |hits| hits.iter().map(|hit| hit.row.pattern).collect::<Vec<_>>());
    assert_eq!(found("Post: EOF"), ["|eof|"]);
    assert_eq!(found("typeof x"), [""; 0]);
    assert_eq!(found("APIConnectionTimeoutError"), ["apiconnectiontimeouterror"]);
    assert_eq!(found("aiohttp.ConnectionTimeoutError"), ["|connectiontimeouterror"]);
    assert_eq!(found(" terminated."), ["^terminated$"]);
    assert_eq!(found("it was terminated"), [""; 0]);
    assert_eq!(found("Connection timed out after 2001 milliseconds"), ["connection timed out after ~"]);
    assert_eq!(found("Connection timed out after 2.0 seconds."), ["timed out"]);
}
