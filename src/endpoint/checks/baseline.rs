//! Two intents, equal in all but their names: the oracle sees what the target does, and content is no identity.

use super::Plan;
use crate::endpoint::case::{Case, Rule};
use crate::endpoint::options::Options;
use crate::endpoint::session::Session;

pub fn plan(_: &Options) -> Plan {
    Plan::new(2, 2)
}

pub async fn drive(session: &Session) -> Vec<Case> {
    let (first, mut second) = (session.call("baseline"), session.call("baseline"));
    second.amount = first.amount;
    let mut case = Case::new("two orders of the same amount", Rule::Baseline, vec![first, second]);
    session.send(&mut case, 0, "first order").await;
    session.send(&mut case, 1, "second order").await;
    session.measured(&case.attempts);
    vec![case]
}
