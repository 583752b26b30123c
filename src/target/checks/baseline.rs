//! Two intents, equal in all but their names: the oracle sees what the target does, and content is no identity.

use std::time::{Duration, Instant};

use super::Plan;
use crate::target::drive::load::QUIET;
use crate::target::drive::session::Session;
use crate::target::facts::case::{Case, Rule};
use crate::target::options::Options;

/// For waiting until a target that turns plain requests away takes them.
const BUDGET: Duration = Duration::from_secs(10);

pub fn plan(_: &Options) -> Plan {
    Plan::new(2, 2)
}

pub async fn drive(session: &Session) -> Vec<Case> {
    let (first, mut second) = (session.call("baseline"), session.call("baseline"));
    second.amount = first.amount;
    let mut case = Case::new("two orders of the same amount", Rule::Baseline, vec![first, second]);
    let since = Instant::now();
    for (call, order) in ["first order", "second order"].into_iter().enumerate() {
        session.send(&mut case, call, order).await;
        for quiet in QUIET {
            let Some(pause) = turned_away(&case).map(|asked| asked.max(quiet)) else { break };
            if since.elapsed() + pause > BUDGET {
                break;
            }
            tokio::time::sleep(pause).await;
            session.send(&mut case, call, order).await;
        }
        if !case.succeeded(call) {
            break;
        }
    }
    session.measured(&case.attempts);
    vec![case]
}

/// How long the target asks to wait where it turned the last request away for now (429 of RFC 6585, 503 of RFC 9110, or
/// a conflict with another key); zero where it does not say, None where it did not turn it away.
fn turned_away(case: &Case) -> Option<Duration> {
    let answer = &case.attempts.last()?.answer;
    let turned_away = answer.status == Some(503) || answer.refuses_for_now();
    turned_away.then_some(answer.retry_after.unwrap_or_default())
}
