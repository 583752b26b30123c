//! Two intents, equal in all but their names: the oracle sees what the target does, and content is no identity.

use std::time::Duration;

use super::Plan;
use crate::endpoint::case::{Case, Rule};
use crate::endpoint::options::Options;
use crate::endpoint::session::Session;
use crate::endpoint::settle::LONGEST_RETRY_AFTER;

/// Before a plain request that the target turned away is sent again: it may still be busy with the one before it.
const PAUSES: [Duration; 4] =
    [Duration::from_millis(50), Duration::from_millis(100), Duration::from_millis(200), Duration::from_millis(400)];

pub fn plan(_: &Options) -> Plan {
    Plan::new(2, 2)
}

pub async fn drive(session: &Session) -> Vec<Case> {
    let (first, mut second) = (session.call("baseline"), session.call("baseline"));
    second.amount = first.amount;
    let mut case = Case::new("two orders of the same amount", Rule::Baseline, vec![first, second]);
    for (call, order) in ["first order", "second order"].into_iter().enumerate() {
        session.send(&mut case, call, order).await;
        for pause in PAUSES {
            let Some(asked) = turned_away(&case) else { break };
            tokio::time::sleep(pause.max(asked)).await;
            session.send(&mut case, call, order).await;
        }
    }
    session.measured(&case.attempts);
    vec![case]
}

/// How long to wait at least where the last request was turned away for now (429 of RFC 6585, 503 of RFC 9110, or a
/// conflict with another key); None where it was not, or for longer than is waited.
fn turned_away(case: &Case) -> Option<Duration> {
    let answer = &case.attempts.last()?.answer;
    let asked = answer.retry_after.unwrap_or_default();
    let turned_away = answer.status == Some(503) || answer.refuses_for_now();
    (turned_away && asked <= LONGEST_RETRY_AFTER).then_some(asked)
}
