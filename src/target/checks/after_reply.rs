//! Faults between a whole reply and the client, and before the target is reached: for the target they are one thing, a
//! retry.

use std::time::Duration;

use super::{Plan, enough};
use crate::proxy::{CutAt, Fault, FaultName};
use crate::target::drive::session::Session;
use crate::target::facts::case::Case;
use crate::target::options::Options;

const ROUNDS: usize = 3;

/// First attempt, retry at once, retry later.
pub fn plan(_: &Options) -> Plan {
    Plan::new(ROUNDS as u64 * 3, ROUNDS as u64)
}

pub fn half_reply_plan(_: &Options) -> Plan {
    Plan::new((ROUNDS as u64 + 1) * 3, ROUNDS as u64 + 1)
}

/// The first attempt is the retry: once it has succeeded there is nothing to retry.
pub fn pre_fail_plan(_: &Options) -> Plan {
    Plan::new(ROUNDS as u64 * 2, ROUNDS as u64)
}

pub async fn pre_fail(session: &Session) -> Vec<Case> {
    let fault = FaultName::PreFail.plain();
    rounds(session, "pre_fail", "answered 503 by the proxy, not forwarded", fault, session.patience()).await
}

pub async fn post_drop(session: &Session) -> Vec<Case> {
    let fault = FaultName::PostDrop.plain();
    session
        .retry_later(
            rounds(session, "post_drop", "the proxy reads the reply and resets the client", fault, session.patience())
                .await,
        )
        .await
}

pub async fn post_slow(session: &Session) -> Vec<Case> {
    // The reply is held until the client has given up, so its patience may be short, but not shorter than the handler.
    let patience = (session.latency() * 4).max(Duration::from_millis(250)).min(session.patience());
    let fault = FaultName::PostSlow.plain();
    session
        .retry_later(
            rounds(session, "post_slow", "the proxy holds the reply until the client gives up", fault, patience).await,
        )
        .await
}

pub async fn post_error(session: &Session) -> Vec<Case> {
    let fault = FaultName::PostError.plain();
    session
        .retry_later(
            rounds(session, "post_error", "the proxy says 502 instead of the reply", fault, session.patience()).await,
        )
        .await
}

pub async fn half_reply(session: &Session) -> Vec<Case> {
    let (in_body, in_head) = (FaultName::HalfReply.plain(), Fault::CutReply { at: CutAt::Head });
    let mut cases = rounds(session, "half_reply", "the reply is cut in its body", in_body, session.patience()).await;
    cases.push(round(session, "half_reply", "the reply is cut in its head", in_head, session.patience()).await);
    session.retry_later(cases).await
}

async fn rounds(session: &Session, check: &str, note: &str, fault: Fault, patience: Duration) -> Vec<Case> {
    let mut cases = Vec::new();
    while cases.len() < ROUNDS && !enough(&cases) {
        cases.push(round(session, check, note, fault.clone(), patience).await);
    }
    cases
}

async fn round(session: &Session, check: &str, note: &str, fault: Fault, patience: Duration) -> Case {
    let mut case = session.case(check, note);
    session.send_through(&mut case, note, fault, patience).await;
    session.send(&mut case, 0, "retry at once").await;
    case
}
