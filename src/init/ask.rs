//! The one request, and a look into the ledger for what came of it. Invariant: it goes the way of every request of a probe;
//! only a whole reply is an answer.

use std::time::Duration;

use anyhow::{anyhow, bail};
use tokio::time::sleep;

use super::ledger::{self, Place};
use crate::http::client::{self, Reply, Request};
use crate::target::drive::session::Session;
use crate::target::facts::answer::{Answer, Class};
use crate::target::request::template::Call;

/// What was sent, and what came of it.
pub struct Told {
    pub call: Call,
    pub request: Request,
    pub reply: Reply,
    pub answer: Answer,
    /// None where the ledger was read and does not show it; why it could not be read.
    pub place: Result<Option<Place>, String>,
}

/// How often a ledger is read that does not show the request, and the pause between.
const LOOKS: u32 = 10;
const PAUSE: Duration = Duration::from_millis(100);

/// # Errors
/// There was no whole reply.
pub async fn ask(session: &Session) -> anyhow::Result<Told> {
    let (call, target) = (session.call("init"), session.target());
    let request = session.request(&call, &target.authority).await.map_err(|why| anyhow!(why))?;
    let outcome = client::attempt(&target.route, &request, session.patience()).await;
    let answer = session.answer(&outcome);
    if answer.class == Class::Unsent {
        bail!("{target}: {}: the request was not sent, and nothing is written", answer.text);
    }
    let Some(reply) = outcome.reply.filter(|_| answer.class != Class::Silence) else {
        bail!("{target}: {}: the request may have made a charge; nothing is written", answer.text);
    };
    let place = look(session, &call.intent).await;
    Ok(Told { call, request, reply, answer, place })
}

async fn look(session: &Session, intent: &str) -> Result<Option<Place>, String> {
    // It is asked for one ledger.
    let Some(oracle) = session.options.oracle.iter().next() else { return Ok(None) };
    for _ in 0..LOOKS {
        let found = ledger::place(&oracle.source.text().await?, intent);
        if found.is_some() {
            return Ok(found);
        }
        sleep(PAUSE).await;
    }
    Ok(None)
}
