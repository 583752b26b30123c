//! Keys used in other ways than meant: again for something else, and not at all.

use super::race::{Release, Shot, fire};
use super::{Plan, enough};
use crate::target::drive::session::Session;
use crate::target::facts::case::{Case, Rule};
use crate::target::options::Options;
use crate::target::request::template::Call;

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
            // The other was refused for good, whichever came first.
            case.to_settle = Some(usize::from(!case.succeeded(0) && case.succeeded(1)));
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
        let first = Call { keys: Vec::new(), ..session.call("no_key") };
        // Of the same amount: what goes by the content must see no difference but the intent.
        let second = Call { keys: Vec::new(), amount: first.amount, ..session.call("no_key") };
        let mut case = Case::new("without a key", Rule::Keyless, vec![first, second]);
        session.send(&mut case, 0, "without a key").await;
        session.send(&mut case, 0, "the same again, without a key").await;
        session.send(&mut case, 1, "another intent, without a key").await;
        cases.push(case);
    }
    cases
}
