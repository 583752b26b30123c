//! The handler fails once, before or after its side effect, by the user's own hook; then the identical bytes come again.

use super::Plan;
use crate::http::header::Header;
use crate::target::drive::session::Session;
use crate::target::facts::case::{Case, Shortfall};
use crate::target::options::Options;
use crate::target::request::body::Body;

const ROUNDS: u64 = 3;

pub fn needs_before(options: &Options) -> Option<&'static str> {
    let given = options.fail_body.is_some() || options.fail_header.is_some();
    (!given).then_some("give --fail-body or --fail-header, a way to make the handler fail once for an intent")
}

pub fn needs_after(options: &Options) -> Option<&'static str> {
    let given = options.fail_after_body.is_some() || options.fail_after_header.is_some();
    (!given)
        .then_some("give --fail-after-body or --fail-after-header, which make the handler fail once after its charge")
}

pub fn plan(_: &Options) -> Plan {
    Plan::new(ROUNDS * 5, ROUNDS * 2)
}

pub async fn before(session: &Session) -> Vec<Case> {
    let Options { fail_body, fail_header, .. } = &session.options;
    failing(session, fail_body, fail_header, "--fail-body and --fail-header").await
}

pub async fn after(session: &Session) -> Vec<Case> {
    let Options { fail_after_body, fail_after_header, .. } = &session.options;
    failing(session, fail_after_body, fail_after_header, "--fail-after-body and --fail-after-header").await
}

async fn failing(session: &Session, body: &Option<Body>, header: &Option<Header>, options: &str) -> Vec<Case> {
    let mut cases = Vec::new();
    for _ in 0..ROUNDS {
        // What is stored under another key must outlive the failure.
        let mut bystander = session.case("server_error", "another key, stored before the failure");
        session.send(&mut bystander, 0, "first").await;
        session.send(&mut bystander, 0, "again, before the failure").await;
        let held = holds(session, &bystander).await;
        let mut case = session.case("server_error", "the handler fails once");
        case.calls[0].body = body.clone();
        case.calls[0].extra.extend(header.clone());
        session.send(&mut case, 0, "the handler is made to fail").await;
        if case.succeeded(0) {
            let said = case.attempts[0].answer.line(None);
            case.shortfall = Some(Shortfall::NotHit(format!(
                "the handler did not fail, or a proxy before it asked again: {said}; see {options}"
            )));
        }
        if held {
            session.send(&mut bystander, 0, "again, after another key's failure").await;
            cases.push(bystander);
        }
        session.send(&mut case, 0, "the identical bytes again").await;
        cases.push(case);
    }
    cases
}

/// Whether its key held so far: what any replay charges again is not the failure's doing.
async fn holds(session: &Session, bystander: &Case) -> bool {
    let intent = &bystander.calls[0].intent;
    let charged_again = session.options.oracle.read().await.is_ok_and(|ledger| ledger.most(intent) > 1);
    bystander.settled() && bystander.receipts().len() <= 1 && !charged_again
}
