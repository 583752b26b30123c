//! One request of an order: what it asks, and what goes wrong with it. Invariant: what did not land is told as such, and
//! never as tried.

use std::time::Duration;

use super::play::Missed;
use super::state::OrderState;
use super::step::{Difference, Mishap, Moment, Written};
use crate::proxy::{CutAt, End, Fault, Gate, SecondCopy, Until};
use crate::target::drive::faulty::Exchanged;
use crate::target::drive::session::Session;
use crate::target::facts::answer::Class;
use crate::target::facts::case::{Act, Attempt, Case, Rule};
use crate::target::request::key::KeyPlace;
use crate::target::request::template::Call;
use crate::target::request::variation::{Kind, VARIATIONS};

/// What a request asks.
///
/// # Errors
/// Says why it cannot be asked now.
pub fn call(session: &Session, order: &OrderState, written: &Written) -> Result<Call, &'static str> {
    let (same, template) = (order.call().clone(), &session.options.template);
    let has_success = order.case.succeeded(0);
    match written {
        Written::Same => Ok(same),
        Written::Refreshed => match &session.options.refreshed_credential {
            Some(header) => Ok(Call { extra: same.extra.iter().cloned().chain([header.clone()]).collect(), ..same }),
            None => Err("no refreshed credential is given"),
        },
        // A design may take the other bytes for another payload: then the first ones must be the template's.
        Written::Varied(label) if is_rewritten(label) && !has_success => Err("the order has no success yet"),
        Written::Varied(label) => varied(session, &same, label),
        // What came first under a key may win; only after a success is it known which.
        Written::Other(_) if !has_success || order.case.rule == Rule::Principals => Err("the order has no success yet"),
        Written::Other(Difference::Amount) if template.has_amount() => Ok(Call { amount: same.amount + 1, ..same }),
        Written::Other(Difference::Amount) => Err("the template has no amount"),
        Written::Other(Difference::Leaf(at)) if template.fixed_leaves().contains(at) => {
            Ok(Call { altered: Some(at.clone()), ..same })
        }
        Written::Other(Difference::Leaf(_)) => Err("the template has no such leaf"),
        Written::Other(Difference::Intent) if template.key_place == KeyPlace::Url => Err("the intent is the key"),
        Written::Other(Difference::Intent) => {
            let fresh = session.call("chaos");
            Ok(Call { intent: fresh.intent, ..same })
        }
    }
}

fn is_rewritten(label: &str) -> bool {
    VARIATIONS.iter().any(|variation| variation.label == label && variation.kind == Kind::Content)
}

/// The same asked in another way.
///
/// # Errors
/// Says why it cannot be asked so.
pub fn varied(session: &Session, call: &Call, label: &str) -> Result<Call, &'static str> {
    let variation = VARIATIONS.iter().find(|v| v.label == label).ok_or("there is no such variation")?;
    (variation.of)(call, &session.options.template, session.target()).ok_or("not possible with this target")
}

/// Sends it over a new connection.
pub async fn plain(session: &Session, call: &Call, words: &str) -> Attempt {
    let mut case = Case::new("", Rule::Once, vec![call.clone()]);
    session.send(&mut case, 0, words).await;
    case.attempts.remove(0)
}

type Sent = (Vec<Attempt>, Vec<Act>, Missed);

/// Sends it through the proxy.
///
/// # Errors
/// Where the proxy could not be set up.
pub async fn through(session: &Session, call: &Call, mishap: &Mishap, words: &str) -> Result<Sent, String> {
    let patience = match mishap {
        Mishap::HoldReply => (session.latency() * 4).max(Duration::from_millis(250)).min(session.patience()),
        Mishap::Twice { .. } => session.patience() * 2,
        Mishap::Cut { .. }
        | Mishap::HalfRequest { .. }
        | Mishap::DropReply
        | Mishap::ErrorReply
        | Mishap::HalfReply
        | Mishap::NeverSent
        | Mishap::Late => session.patience(),
    };
    let seen = Gate::new();
    let fault = fault(mishap, session.latency(), &seen);
    let told = tokio::select! {
        told = session.through(call, words, move || fault.clone(), patience) => told,
        () = opened_by_item(session, mishap, &call.intent, &seen) => unreachable!("it waits for ever"),
    };
    let told = told.map_err(|error| format!("the proxy could not be set up: {error}"))?;
    let missed = missed(mishap, &told);
    Ok((told.attempts, told.acts, missed))
}

/// Copy A is held back, retry B completes, A is let go.
///
/// # Errors
/// As [`through`].
pub async fn late(session: &Session, call: &Call, words: &str) -> Result<Sent, String> {
    let (held, go) = (Gate::new(), Gate::new());
    let (arrived, until) = (held.clone(), Until::Opened(go.clone()));
    let fault = move || {
        arrived.open();
        Fault::HoldRequest { until: until.clone() }
    };
    let copy_a = session.through(call, words, fault, session.patience() * 3);
    let copy_b = async {
        held.opened().await;
        let attempt = plain(session, call, &format!("{words}: the retry")).await;
        go.open();
        attempt
    };
    let (told, retry) = tokio::join!(copy_a, copy_b);
    let told = told.map_err(|error| format!("the proxy could not be set up: {error}"))?;
    let mut attempts = told.attempts;
    attempts.insert(0, retry);
    Ok((attempts, told.acts, None))
}

/// Opens the gate when the ledger shows the item, where the mishap is for that moment; never returns.
async fn opened_by_item(session: &Session, mishap: &Mishap, intent: &str, seen: &Gate) {
    if matches!(mishap, Mishap::Cut { after: Moment::ItemSeen, .. }) {
        session.item_seen(intent).await;
        seen.open();
    }
    std::future::pending().await
}

/// `seen` opens when the ledger shows the item.
fn fault(mishap: &Mishap, latency: Duration, seen: &Gate) -> Fault {
    match mishap {
        Mishap::Cut { after, by } => match after.since(latency) {
            Some(after) => Fault::CutUpstream { after, by: *by },
            None => Fault::CutOnceOpened { gate: seen.clone(), by: *by },
        },
        Mishap::HalfRequest { ms, by } => Fault::HalfRequest { after: Duration::from_millis(*ms), by: *by },
        Mishap::DropReply => Fault::DropAfterReply { by: End::Rst },
        Mishap::HoldReply => Fault::HoldReply { until: Until::ClientGone },
        Mishap::ErrorReply => Fault::ReplaceReply { status: 502, retry_after: None },
        Mishap::HalfReply => Fault::CutReply { at: CutAt::Body },
        Mishap::NeverSent => Fault::Answer { status: 503, retry_after: None },
        Mishap::Twice { together: true } => Fault::DeliverTwice { second: SecondCopy::Together },
        Mishap::Twice { together: false } => Fault::DeliverTwice { second: SecondCopy::AfterFirstReply },
        // Carried out by `late`, which lets it go.
        Mishap::Late => Fault::Pass,
    }
}

fn missed(mishap: &Mishap, told: &Exchanged) -> Missed {
    let has_reply = || told.attempts.iter().any(|attempt| attempt.answer.status.is_some());
    match mishap {
        Mishap::Cut { .. } | Mishap::HalfRequest { .. } => (!told.is_cut).then_some("the reply came before the cut"),
        Mishap::DropReply | Mishap::HoldReply | Mishap::ErrorReply | Mishap::HalfReply => {
            (!has_reply()).then_some("there was no reply to lose")
        }
        Mishap::Twice { .. } => (told.copies < 2).then_some("the second copy could not be delivered"),
        Mishap::NeverSent | Mishap::Late => {
            let unsent = told.attempts.iter().all(|attempt| attempt.answer.class == Class::Unsent);
            unsent.then_some("the target could not be reached")
        }
    }
}

impl Moment {
    /// So long after the last request byte; None where something else tells when.
    pub fn since(self, latency: Duration) -> Option<Duration> {
        match self {
            Moment::Micros(micros) => Some(Duration::from_micros(micros)),
            Moment::Percent(percent) => Some(latency * percent as u32 / 100),
            Moment::ItemSeen => None,
        }
    }
}
