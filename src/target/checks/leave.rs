//! The client leaves while its retry, or its wrong request, is answered. Invariant: what is stored under the key outlives
//! both: the first request is answered with its success afterwards.

use std::time::Duration;

use super::Plan;
use crate::proxy::{End, Fault};
use crate::target::drive::session::Session;
use crate::target::facts::case::{Case, Rule, Shortfall};
use crate::target::options::Options;

/// After the last byte of the request, in microseconds: an answer from the store comes soon.
const MOMENTS: [u64; 3] = [0, 300, 2000];

/// What is under way when the client leaves.
#[derive(Clone, Copy, Debug)]
enum Left {
    Replay,
    Refusal,
}

fn ways() -> impl Iterator<Item = (Left, End, Duration)> {
    let ends = [Left::Replay, Left::Refusal].into_iter().flat_map(|left| [End::Fin, End::Rst].map(|by| (left, by)));
    ends.flat_map(|(left, by)| MOMENTS.map(|micros| (left, by, Duration::from_micros(micros))))
}

/// First, what is left, again.
pub fn plan(_: &Options) -> Plan {
    let ways = ways().count() as u64;
    Plan::new(ways * 3, ways)
}

pub async fn drive(session: &Session) -> Vec<Case> {
    let mut cases = Vec::new();
    for (left, by, after) in ways() {
        cases.extend(leave(session, left, by, after).await);
    }
    cases
}

/// How often a first request that fails is sent again: a correct target may be short of something for a moment.
const AGAIN: usize = 3;

/// None where no other request can have the key, or the first never succeeded.
async fn leave(session: &Session, left: Left, by: End, after: Duration) -> Option<Case> {
    let first = session.call("leave");
    let at = format!("{by} at {:.1} ms", after.as_secs_f64() * 1e3);
    let mut case = match left {
        Left::Replay => Case::new(format!("a replay, left by {at}"), Rule::Once, vec![first]),
        Left::Refusal => {
            let other = session.options.template.reused(&first, session.call("leave"))?;
            Case::new(format!("another payload, left by {at}"), Rule::Reuse, vec![first, other])
        }
    };
    let call = case.calls.len() - 1;
    session.send(&mut case, 0, "first").await;
    // Under a key that nobody has, another payload would win, and the first be refused for good.
    for _ in 0..AGAIN {
        if case.succeeded(0) {
            break;
        }
        session.send(&mut case, 0, "first, again").await;
    }
    if matches!(left, Left::Refusal) && !case.succeeded(0) {
        return None;
    }
    let fault = Fault::CutUpstream { after, by };
    let asked = case.calls[call].clone();
    match session.through(&asked, "left before the answer", move || fault.clone(), session.patience()).await {
        Ok(told) => {
            case.attempts.extend(
                told.attempts.into_iter().map(|attempt| crate::target::facts::case::Attempt { call, ..attempt }),
            );
            case.acts.extend(told.acts);
        }
        Err(error) => {
            case.shortfall = Some(Shortfall::NotCarriedOut(format!("the proxy could not be set up: {error}")));
        }
    }
    session.send(&mut case, 0, "the first request again").await;
    Some(case)
}
