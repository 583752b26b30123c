//! The same request again after success: as it was, and with its body written anew.

use super::{Plan, enough};
use crate::target::drive::session::Session;
use crate::target::facts::case::Case;
use crate::target::options::Options;

const ROUNDS: u64 = 3;

pub fn again_plan(_: &Options) -> Plan {
    Plan::new(ROUNDS * 3, ROUNDS)
}

pub async fn again(session: &Session) -> Vec<Case> {
    let mut cases = Vec::new();
    for _ in 0..ROUNDS {
        let mut case = session.case("replay", "after success");
        session.send(&mut case, 0, "first").await;
        session.send(&mut case, 0, "again").await;
        cases.push(case);
        if enough(&cases) {
            break;
        }
    }
    session.retry_later(cases).await
}

pub fn equivalent_needs(options: &Options) -> Option<&'static str> {
    let unknown = "the body is neither JSON nor a form: it is not known how else it could be written";
    (!options.template.body.is_known()).then_some(unknown)
}

pub fn equivalent_plan(_: &Options) -> Plan {
    Plan::new(2 * ROUNDS * 3, 2 * ROUNDS)
}

pub async fn equivalent(session: &Session) -> Vec<Case> {
    let mut cases = Vec::new();
    for _ in 0..2 * ROUNDS {
        let mut case = session.case("equivalent", "after success");
        let mut other = case.calls[0].clone();
        other.reserialised = true;
        case.calls.push(other);
        session.send(&mut case, 0, "first").await;
        session.send(&mut case, 1, "reordered").await;
        cases.push(case);
        if enough(&cases) {
            break;
        }
    }
    session.retry_later(cases).await
}
