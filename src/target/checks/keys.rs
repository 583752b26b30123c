//! Keys used in other ways than meant: again for something else, not at all, and keys that look alike.

use super::race::{Release, Shot, fire};
use super::{Plan, enough};
use crate::target::drive::session::Session;
use crate::target::facts::case::{Case, Rule};
use crate::target::options::Options;
use crate::target::request::template::{Call, KeyFormat, KeyPlace};

const AFTER: u64 = 2;
const IN_FLIGHT: u64 = 4;

fn others(options: &Options) -> u64 {
    1 + u64::from(options.template.has_amount())
}

pub fn reuse_plan(options: &Options) -> Plan {
    let kinds = others(options);
    Plan::new(kinds * (AFTER * 3 + IN_FLIGHT * 4), kinds * (AFTER + IN_FLIGHT))
}

/// One key, two payloads: one after the other, and at once.
pub async fn reuse(session: &Session) -> Vec<Case> {
    let mut cases = Vec::new();
    for other in ["another amount", "another intent"] {
        if other == "another amount" && !session.options.template.has_amount() {
            continue;
        }
        for _ in 0..AFTER {
            let mut case = payloads(session, other, "after completion");
            session.send(&mut case, 0, "first payload").await;
            session.send(&mut case, 1, other).await;
            session.send(&mut case, 0, "first payload again").await;
            cases.push(case);
        }
        let rounds = if enough(&cases) { 0 } else { IN_FLIGHT };
        for _ in 0..rounds {
            let mut case = payloads(session, other, "in flight");
            let shots = (0..2).map(|call| Shot { call, bytes: session.bytes(&case.calls[call]), to: session.target() });
            let shots = shots.collect();
            fire(session, &mut case, shots, Release::Whole).await;
            session.send(&mut case, 0, "first payload again").await;
            session.send(&mut case, 1, &format!("{other} again")).await;
            cases.push(case);
        }
    }
    cases
}

fn payloads(session: &Session, other: &str, when: &str) -> Case {
    let first = session.call("reuse");
    let mut second = Call { amount: first.amount + 1, ..first.clone() };
    if other == "another intent" {
        let fresh = session.call("reuse");
        second = Call { keys: first.keys.clone(), amount: first.amount, ..fresh };
    }
    Case::new(format!("{other}, {when}"), Rule::Reuse, vec![first, second])
}

const NONE_ROUNDS: u64 = 3;

pub fn none_plan(_: &Options) -> Plan {
    // A target that refuses a request without a key charges nothing; one that takes each for new charges all.
    Plan::new(NONE_ROUNDS * 3, NONE_ROUNDS * 3)
}

/// Two intents without a key, the first one twice.
pub async fn none(session: &Session) -> Vec<Case> {
    let mut cases = Vec::new();
    for _ in 0..NONE_ROUNDS {
        let calls = [(); 2].map(|()| Call { keys: Vec::new(), ..session.call("no_key") });
        let mut case = Case::new("without a key", Rule::Keyless, calls.to_vec());
        session.send(&mut case, 0, "without a key").await;
        session.send(&mut case, 0, "the same again, without a key").await;
        session.send(&mut case, 1, "another intent, without a key").await;
        cases.push(case);
    }
    cases
}

pub fn odd_plan(options: &Options) -> Plan {
    let pairs = 6 + u64::from(matches!(options.template.key_place, KeyPlace::Header(_)));
    Plan::new(pairs * 2, pairs * 2)
}

/// Pairs of intents whose keys look alike.
pub async fn odd(session: &Session) -> Vec<Case> {
    let mut cases = Vec::new();
    for label in PAIRS.iter().copied() {
        let calls = [session.call("odd"), session.call("odd")];
        let Some(keys) = pair(session, label, &calls[0]) else { continue };
        let calls = calls.into_iter().zip(keys).map(|(call, keys)| Call { keys, ..call }).collect();
        let mut case = Case::new(label, Rule::Distinct, calls);
        session.send(&mut case, 0, "first key").await;
        session.send(&mut case, 1, "a key that looks like it").await;
        cases.push(case);
    }
    cases
}

const PAIRS: [&str; 7] = [
    "letter case",
    "last of 256 characters",
    "last of 8192 characters",
    "white space",
    "empty",
    "non-ASCII",
    "second header line",
];

/// The header lines of two keys that differ only in `what`; None where the key's place has no such thing.
fn pair(session: &Session, what: &str, call: &Call) -> Option<[Vec<Vec<u8>>; 2]> {
    let template = &session.options.template;
    let base = String::from_utf8_lossy(&call.keys[0]).trim_matches('"').to_string();
    let long = |length: usize, last: &str| format!("{base}{}{last}", "k".repeat(length - base.len() - 1));
    let one = |key: String| vec![written(template.key_format, &key)];
    Some(match what {
        // Letters on both sides, whatever the digits are.
        "letter case" => [one(base.to_lowercase()), one(base.to_uppercase())],
        "last of 256 characters" => [one(long(256, "a")), one(long(256, "b"))],
        "last of 8192 characters" => [one(long(8192, "a")), one(long(8192, "b"))],
        "white space" => [one(format!("{base} x")), one(format!("{base}  x"))],
        "empty" => [one(String::new()), one(String::new())],
        "non-ASCII" => [one(format!("{base}é")), one(format!("{base}è"))],
        "second header line" if matches!(template.key_place, KeyPlace::Header(_)) => {
            let lines = |second: &str| vec![written(template.key_format, &base), written(template.key_format, second)];
            [lines("a"), lines("b")]
        }
        _ => return None,
    })
}

fn written(format: KeyFormat, key: &str) -> Vec<u8> {
    match format {
        KeyFormat::Hex | KeyFormat::Uuid => key.as_bytes().to_vec(),
        KeyFormat::Quoted => format!("\"{key}\"").into_bytes(),
    }
}
