//! The fault that an exchange gets, carried out. Invariant: the fault is matched here, once.

use super::client_leg::ClientLeg;
use super::delivery::Delivery;
use super::event::Notes;
use super::exchange::Exchange;
use super::fault::Fault;
use super::forward::Forwarded;
use super::legs::Legs;
use super::moment::When;
use super::settings::Settings;
use super::upstream_leg::Failure;
use crate::http::address::Route;

/// Carries out `fault`. True where the client's connection can take another request.
pub async fn run(
    exchange: &Exchange,
    fault: Fault,
    client: &mut ClientLeg,
    (upstream, settings): (&Route, &Settings),
    notes: &Notes,
) -> bool {
    let request = Forwarded::new(&exchange.request, settings.host.as_deref());
    let delivery = Delivery { upstream, settings, notes, method: exchange.method(), request };
    let mut legs = Legs { exchange, client, delivery, notes };
    match apply(fault, &mut legs).await {
        Ok(goes_on) => goes_on,
        Err(failure) => legs.gateway_error(&failure).await,
    }
}

/// The failure is an upstream's that gave no reply for the fault to act on.
async fn apply(fault: Fault, legs: &mut Legs<'_>) -> Result<bool, Failure> {
    Ok(match fault {
        Fault::Pass => legs.pass().await?,
        Fault::Answer { status, retry_after } => {
            legs.answer(status, "answered instead of the upstream", retry_after).await
        }
        Fault::DropAfterReply { by } => {
            legs.fetch().await?;
            legs.drop_client(by).await
        }
        Fault::HoldReply { until } => {
            let reply = legs.fetch().await?;
            legs.hold(until).await;
            legs.give(reply).await
        }
        Fault::ReplaceReply { status, retry_after } => {
            legs.fetch().await?;
            legs.answer(status, "given instead of the upstream's reply", retry_after).await
        }
        Fault::CutReply { at } => {
            let reply = legs.fetch().await?;
            legs.give_part(&reply, at).await
        }
        Fault::HalfRequest { after, by } => legs.half_request(after, by).await?,
        Fault::CutUpstream { after, by } => legs.cut_upstream(&When::After(after), by).await?,
        Fault::CutOnceOpened { gate, by } => legs.cut_upstream(&When::Opened(gate), by).await?,
        Fault::DeliverTwice { second } => {
            let reply = legs.fetch_twice(second).await?;
            legs.give(reply).await
        }
        Fault::HoldRequest { until } => {
            legs.hold(until).await;
            legs.pass().await?
        }
    })
}
