//! What only a tool's clients do: send a call twice, cancel it, and take a tool's word that it does nothing.

use std::time::{Duration, Instant};

use serde_json::Value;

use super::race::{Release, Shot, fire};
use super::{Plan, enough};
use crate::http::client::Connection;
use crate::mcp::call::ToolCall;
use crate::proxy::reach;
use crate::target::drive::session::Session;
use crate::target::facts::case::{Act, Attempt, Case, Shortfall, Swept};
use crate::target::options::Options;
use crate::target::request::wire;

/// Rounds of two copies.
const TWICE: u64 = 6;
/// Between two copies, as clients were seen to send each call twice.
const APART: Duration = Duration::from_millis(2);

pub fn twice_plan(_: &Options) -> Plan {
    Plan::new(TWICE * 3, TWICE)
}

/// The same call again 2 ms after the first, with an id of its own.
pub async fn twice(session: &Session) -> Vec<Case> {
    let mut cases = Vec::new();
    while (cases.len() as u64) < TWICE && !enough(&cases) {
        let mut case = session.case("sent_twice", "a second copy 2 ms after the first");
        let shots = Shot::volley(session, [(0, &case.calls[0]), (0, &case.calls[0])]).await;
        fire(session, &mut case, shots, Release::After(APART)).await;
        cases.push(case);
    }
    session.retry_later(cases).await
}

/// Moments at which a call is cancelled, evenly from its begin to a quarter beyond its usual end.
const CANCELLED: u32 = 10;
/// For an answer that should not come any more.
const ANSWER: Duration = Duration::from_millis(100);

pub fn cancel_needs(options: &Options) -> Option<&'static str> {
    (!options.cancels).then_some("give --cancel: then calls are cancelled and made again")
}

pub fn cancel_plan(_: &Options) -> Plan {
    Plan::new(u64::from(CANCELLED) * 3, u64::from(CANCELLED))
}

/// A call is cancelled at swept moments, and made again by another one.
pub async fn cancel(session: &Session) -> Vec<Case> {
    let Some(tool) = session.options.template.tool.clone() else { return Vec::new() };
    let mut cases = Vec::new();
    let mut charged = 0;
    for step in 0..CANCELLED {
        let after = session.latency() * 5 * step / (4 * CANCELLED);
        let mut case = session.case("cancel", format!("cancelled after {:.2} ms", after.as_secs_f64() * 1e3));
        case.swept = Some(Swept { way: "cancelled", at: after, of: session.latency() });
        if let Err(why) = cancelled(session, &tool, &mut case, after).await {
            case.shortfall = Some(Shortfall::NotCarriedOut(why));
        }
        charged += u32::from(is_charged(session, &case).await);
        session.send(&mut case, 0, "made again").await;
        cases.push(case);
        if enough(&cases) {
            break;
        }
    }
    let cancelled = cases.len();
    if let Some(last) = cases.last_mut().filter(|_| charged > 0) {
        last.remarks
            .push(format!("{charged} of {cancelled} cancelled calls had their effect before they were made again"));
    }
    session.retry_later(cases).await
}

/// Without a ledger nothing is known of it.
async fn is_charged(session: &Session, case: &Case) -> bool {
    let ledger = session.options.oracle.read().await;
    ledger.is_ok_and(|ledger| ledger.most(&case.calls[0].intent) > 0)
}

/// # Errors
/// The request could not be signed.
async fn cancelled(session: &Session, tool: &ToolCall, case: &mut Case, after: Duration) -> Result<(), String> {
    let (asked, to) = (case.calls[0].clone(), session.target());
    let request = session.request(&asked, &to.authority).await?;
    let id = serde_json::from_slice::<Value>(&request.body).map(|body| body["id"].clone()).unwrap_or_default();
    let speech = tool.speech();
    // Since revision 2026-07-28 the end of the reply's stream is the cancellation; a process has no such stream.
    let by_closing = speech.version.is_stateless() && !session.options.is_process();
    let (sent, start) = (session.clock(), Instant::now());
    let patience = if by_closing { after } else { after + session.latency() * 2 + ANSWER };
    let deadline = tokio::time::Instant::now() + patience.min(session.patience());
    session.count(1);
    let exchange = async {
        match Connection::open(&to.route, None, tokio::time::Instant::now() + session.patience()).await {
            Ok(connection) => connection.exchange(&wire::bytes(&request, asked.form), deadline).await,
            Err(unsent) => unsent,
        }
    };
    let notify = async {
        reach(start + after).await;
        let params = format!(r#""requestId":{id},"reason":"the client's patience is over""#);
        let notification = speech.notification("notifications/cancelled", &params);
        if !by_closing {
            tool.endpoint.send(&notification, session.patience()).await;
        }
        session.clock()
    };
    let (outcome, at) = tokio::join!(exchange, notify);
    let how = if by_closing { "ends the connection, which cancels the call" } else { "cancels the call" };
    case.acts.push(Act { who: "client", at, what: how.into(), is_fault: true });
    let attempt = session.attempt(&asked, to, sent, 0, "first, cancelled", &outcome).await;
    case.attempts.push(Attempt { faulted: true, ..attempt });
    Ok(())
}

const READS: u64 = 2;

pub fn read_only_plan(_: &Options) -> Plan {
    Plan::new(READS * 2, 0)
}

/// Whether a tool does nothing that says so.
pub async fn read_only(session: &Session) -> Vec<Case> {
    let mut cases = Vec::new();
    for _ in 0..READS {
        let mut case = session.case("read_only", "called twice");
        session.send(&mut case, 0, "first").await;
        session.send(&mut case, 0, "again").await;
        cases.push(case);
    }
    session.measured(&cases.iter().flat_map(|case| case.attempts.clone()).collect::<Vec<_>>());
    cases
}
