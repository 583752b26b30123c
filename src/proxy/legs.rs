//! What can be done with the two legs of one exchange. Invariant: while the upstream is waited for, the client's leaving is
//! noticed and changes nothing for the upstream, but for a subscription; each step says whether the client's connection
//! can go on.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;

use super::answer;
use super::client_leg::ClientLeg;
use super::delivery::{Delivery, Settled};
use super::event::{EventKind, Notes};
use super::exchange::Exchange;
use super::fault::{CutAt, End, SecondCopy, Until};
use super::moment::When;
use super::upstream_leg::{Failure, UpstreamLeg};
use crate::http::message::{Framing, Message};
use crate::terms::outcome::Symptom;

/// The two legs of one exchange.
pub struct Legs<'a> {
    pub exchange: &'a Exchange,
    pub client: &'a mut ClientLeg,
    pub delivery: Delivery<'a>,
    pub notes: &'a Notes,
}

impl Legs<'_> {
    /// Gives the client the reply's bytes as they come, once its head is whole: before, it could still be told 502.
    pub async fn pass(&mut self) -> Result<bool, Failure> {
        let (mut leg, _) = aside(self.client, self.notes, self.delivery.sent(0)).await?;
        let (mut given, mut pending) = (0, Vec::new());
        let ended = loop {
            let Some(more) = self.more(&mut leg).await else { return Ok(self.unsubscribed(leg).await) };
            match more {
                Ok(Some(bytes)) => {
                    pending.extend_from_slice(&bytes);
                    if leg.status().is_some() {
                        given += self.write(&std::mem::take(&mut pending)).await;
                    }
                }
                Ok(None) => break Ok(()),
                Err(failure) => break Err(failure),
            }
        };
        let status = leg.status();
        match self.delivery.settled(0, ended.map(|()| leg.into_message())) {
            Ok(reply) => Ok(self.given(reply).await),
            Err(failure) if given == 0 => Err(failure),
            Err(failure) => {
                self.notes.note(EventKind::ReplyCut { status, bytes: given });
                Ok(self.drop_client(failure.by).await)
            }
        }
    }

    /// What comes next of a reply. None where the client has left a subscription, which is not meant to end.
    async fn more(&mut self, leg: &mut UpstreamLeg) -> Option<Result<Option<Vec<u8>>, Failure>> {
        if self.exchange.method() != "GET" || !leg.is_event_stream() {
            return Some(aside(self.client, self.notes, leg.more()).await);
        }
        tokio::select! {
            biased;
            () = self.client.departed() => None,
            more = leg.more_ever() => Some(more),
        }
    }

    /// The client was given all that it wanted, and nothing at the server is waited for.
    async fn unsubscribed(&mut self, leg: UpstreamLeg) -> bool {
        let status = leg.status().unwrap_or(0);
        leg.cut(End::Fin).await;
        self.notes.note(EventKind::ReplySent { status, reply: None, retry_after: None });
        false
    }

    /// The upstream's whole reply.
    pub async fn fetch(&mut self) -> Settled {
        aside(self.client, self.notes, self.delivery.whole(0)).await
    }

    /// One of the replies to two deliveries.
    pub async fn fetch_twice(&mut self, second: SecondCopy) -> Settled {
        aside(self.client, self.notes, self.delivery.twice(second)).await
    }

    /// Ends both legs at a moment, unless the reply is whole before.
    pub async fn cut_upstream(&mut self, when: &When, by: End) -> Result<bool, Failure> {
        match aside(self.client, self.notes, self.delivery.cut(when, by)).await {
            None => Ok(self.drop_client(by).await),
            Some(reply) => Ok(self.give(reply?).await),
        }
    }

    /// Ends both legs at a moment after half of the request.
    pub async fn half_request(&mut self, after: Duration, by: End) -> Result<bool, Failure> {
        let rest = aside(self.client, self.notes, self.delivery.half(after, by)).await?;
        let goes_on = self.drop_client(by).await;
        if let Some(leg) = rest {
            // Noted, whatever it is; there is nobody to give it to.
            let _ = self.delivery.reply(0, leg).await;
        }
        Ok(goes_on)
    }

    /// Waits, at most as long as anything is held.
    pub async fn hold(&mut self, until: Until) {
        self.notes.note(EventKind::Held);
        let limit = self.delivery.settings.hold;
        let released = match until {
            Until::Opened(gate) => timeout(limit, aside(self.client, self.notes, gate.opened())).await,
            Until::ClientGone => timeout(limit, leaving(self.client, self.notes)).await,
        };
        self.notes.note(EventKind::Released { in_time: released.is_ok() });
    }

    pub async fn give(&mut self, reply: Arc<Message>) -> bool {
        self.write(&reply.raw).await;
        self.given(reply).await
    }

    /// The whole reply has been written, unless the client has gone.
    async fn given(&mut self, reply: Arc<Message>) -> bool {
        let goes_on = self.exchange.request.keeps_alive() && reply.keeps_alive();
        let status = reply.head.status().unwrap_or(0);
        self.sent(status, Some(reply), None, goes_on).await
    }

    /// Writes the beginning of a reply. Where only the end of the stream would end the body, a FIN would make the part
    /// look whole, so it is a reset.
    pub async fn give_part(&mut self, reply: &Message, at: CutAt) -> bool {
        let body = reply.raw.len() - reply.body_at;
        let (bytes, in_body) = match at {
            CutAt::Body if body > 0 => (reply.body_at + body / 2, true),
            CutAt::Head | CutAt::Body => (reply.body_at / 2, false),
        };
        let by = match reply.framing {
            Framing::UntilClose if in_body => End::Rst,
            Framing::UntilClose | Framing::Empty | Framing::Length(_) | Framing::Chunked => End::Fin,
        };
        self.write(&reply.raw[..bytes]).await;
        self.notes.note(EventKind::ReplyCut { status: reply.head.status().filter(|_| in_body), bytes });
        self.drop_client(by).await
    }

    pub async fn gateway_error(&mut self, failure: &Failure) -> bool {
        let is_late = matches!(failure.symptom, Symptom::ReadTimeout | Symptom::ConnectTimeout);
        let status = if is_late { 504 } else { 502 };
        self.answer(status, &format!("no reply from the upstream: {}: {}", failure.symptom, failure.detail), None).await
    }

    pub async fn answer(&mut self, status: u16, detail: &str, retry_after: Option<u64>) -> bool {
        let goes_on = self.exchange.request.keeps_alive();
        let bytes = answer::problem(status, detail, retry_after, self.exchange.method(), !goes_on);
        self.write(&bytes).await;
        self.sent(status, None, retry_after, goes_on).await
    }

    async fn sent(
        &mut self,
        status: u16,
        reply: Option<Arc<Message>>,
        retry_after: Option<u64>,
        goes_on: bool,
    ) -> bool {
        if self.client.is_gone() {
            return false;
        }
        self.notes.note(EventKind::ReplySent { status, reply, retry_after });
        if !goes_on {
            self.client.end(End::Fin).await;
        }
        goes_on
    }

    pub async fn drop_client(&mut self, by: End) -> bool {
        self.client.end(by).await;
        self.notes.note(EventKind::ClientDropped { by });
        false
    }

    /// Writes to a client that is still there, and gives the bytes written.
    async fn write(&mut self, bytes: &[u8]) -> usize {
        if self.client.is_gone() {
            return 0;
        }
        if self.client.write(bytes).await {
            return bytes.len();
        }
        self.notes.note(EventKind::ClientGone);
        0
    }
}

/// Does `work`, and notes it if the client leaves in the meantime.
async fn aside<T>(client: &mut ClientLeg, notes: &Notes, work: impl Future<Output = T>) -> T {
    let mut work = pin!(work);
    tokio::select! {
        biased;
        done = &mut work => return done,
        () = leaving(client, notes) => {}
    }
    work.await
}

/// Returns when the client has left; it is noted once.
async fn leaving(client: &mut ClientLeg, notes: &Notes) {
    if !client.is_gone() {
        client.departed().await;
        notes.note(EventKind::ClientGone);
    }
}
