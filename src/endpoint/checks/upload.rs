//! The upload stops half-way: the connection ends in the middle of the body; then the whole request comes.

use super::Plan;
use crate::endpoint::case::Case;
use crate::endpoint::options::Options;
use crate::endpoint::session::Session;
use crate::proxy::{End, Fault};

const ROUNDS: u64 = 3;

pub fn plan(_: &Options) -> Plan {
    Plan::new(2 * ROUNDS * 2, 2 * ROUNDS)
}

pub async fn drive(session: &Session) -> Vec<Case> {
    let mut cases = Vec::new();
    for by in [End::Fin, End::Rst] {
        for _ in 0..ROUNDS {
            let mut case = session.case("half_request", format!("stopped by {by}"));
            let note = format!("half of the body, then {by}");
            session.send_through(&mut case, &note, Fault::HalfRequest { by }, session.patience()).await;
            session.send(&mut case, 0, "the whole request").await;
            cases.push(case);
        }
    }
    cases
}
