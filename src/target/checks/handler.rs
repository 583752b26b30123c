//! The handler fails once before its side effect, by the user's own hook; then the identical bytes come again.

use super::Plan;
use crate::target::drive::session::Session;
use crate::target::facts::case::{Case, Shortfall};
use crate::target::options::Options;

const ROUNDS: u64 = 3;

pub fn needs(options: &Options) -> Option<&'static str> {
    let given = options.fail_body.is_some() || options.fail_header.is_some();
    (!given).then_some("give --fail-body or --fail-header, a way to make the handler fail once for an intent")
}

pub fn plan(_: &Options) -> Plan {
    Plan::new(ROUNDS * 2, ROUNDS)
}

pub async fn drive(session: &Session) -> Vec<Case> {
    let mut cases = Vec::new();
    for _ in 0..ROUNDS {
        let mut case = session.case("server_error", "the handler fails once");
        case.calls[0].body = session.options.fail_body.clone();
        case.calls[0].extra.extend(session.options.fail_header.clone());
        session.send(&mut case, 0, "the handler is made to fail").await;
        if case.succeeded(0) {
            let said = case.attempts[0].answer.line(None);
            let why = format!("the handler did not fail: {said}; see --fail-body and --fail-header");
            case.shortfall = Some(Shortfall::NotHit(why));
        }
        session.send(&mut case, 0, "the identical bytes again").await;
        cases.push(case);
    }
    cases
}
