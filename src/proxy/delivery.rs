//! The ways to bring one request to the upstream. Invariant: each step is noted when it has happened, and every delivery
//! ends in a reply, a failure, or a cut of our own.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::event::{EventKind, Notes};
use super::fault::{End, SecondCopy};
use super::forward::Forwarded;
use super::moment::{self, When};
use super::settings::Settings;
use super::upstream_leg::{Failure, UpstreamLeg};
use crate::http::address::Route;
use crate::http::message::Message;

pub type Settled = Result<Arc<Message>, Failure>;

/// One request on its way.
pub struct Delivery<'a> {
    pub upstream: &'a Route,
    pub settings: &'a Settings,
    pub notes: &'a Notes,
    pub method: &'a str,
    pub request: Forwarded,
}

impl Delivery<'_> {
    pub async fn open(&self, copy: u8) -> Result<UpstreamLeg, Failure> {
        match UpstreamLeg::open(self.upstream, self.method, self.settings).await {
            Ok(leg) => {
                self.notes.note(EventKind::ForwardStarted { copy });
                Ok(leg)
            }
            Err(failure) => Err(self.failed(copy, failure)),
        }
    }

    /// Opens a connection and sends the whole request.
    pub async fn sent(&self, copy: u8) -> Result<(UpstreamLeg, Instant), Failure> {
        let mut leg = self.open(copy).await?;
        let at = self.send(&mut leg, copy, &self.request.bytes).await;
        Ok((leg, at))
    }

    /// Sends the last bytes that are to go.
    pub async fn send(&self, leg: &mut UpstreamLeg, copy: u8, bytes: &[u8]) -> Instant {
        let at = leg.send(bytes).await;
        self.notes.note(EventKind::RequestForwarded { copy });
        at
    }

    pub async fn reply(&self, copy: u8, leg: UpstreamLeg) -> Settled {
        self.settled(copy, leg.reply().await)
    }

    /// Sends the request and reads the reply.
    pub async fn whole(&self, copy: u8) -> Settled {
        let (leg, _) = self.sent(copy).await?;
        self.reply(copy, leg).await
    }

    /// Ends the upstream connection at a moment. None where it was ended; a reply that is whole before comes back.
    pub async fn cut(&self, when: &When, by: End) -> Option<Settled> {
        let (mut leg, sent) = match self.sent(0).await {
            Ok(sent) => sent,
            Err(failure) => return Some(Err(failure)),
        };
        let in_time = tokio::select! {
            biased;
            () = when.has_come(sent) => None,
            result = leg.finish() => Some(result),
        };
        match in_time {
            Some(result) => Some(self.settled(0, result.map(|()| leg.into_message()))),
            None => {
                leg.cut(by).await;
                self.notes.note(EventKind::UpstreamCut { by, after: sent.elapsed() });
                None
            }
        }
    }

    /// Sends the first half, and ends our side at a moment. What the upstream makes of it is still to be read after a FIN; a reset
    /// leaves nothing to read.
    pub async fn half(&self, after: Duration, by: End) -> Result<Option<UpstreamLeg>, Failure> {
        let mut leg = self.open(0).await?;
        let sent = self.send(&mut leg, 0, self.request.half()).await;
        moment::reach(sent + after).await;
        let rest = match by {
            End::Fin => {
                leg.end_request().await;
                Some(leg)
            }
            End::Rst => {
                leg.cut(by).await;
                None
            }
        };
        self.notes.note(EventKind::UpstreamCut { by, after: sent.elapsed() });
        Ok(rest)
    }

    /// Sends the same bytes over two connections, and gives one reply when both are settled.
    pub async fn twice(&self, second: SecondCopy) -> Settled {
        match second {
            SecondCopy::AfterFirstReply => {
                let first = self.whole(0).await;
                self.whole(1).await.or(first)
            }
            SecondCopy::Together => self.together().await,
        }
    }

    /// Both copies lack their last byte until both connections are open and hold the rest.
    async fn together(&self) -> Settled {
        let (mut first, mut second) = (self.open(0).await?, self.open(1).await?);
        let (most, last) = self.request.bytes.split_at(self.request.bytes.len() - 1);
        first.send(most).await;
        second.send(most).await;
        self.send(&mut first, 0, last).await;
        self.send(&mut second, 1, last).await;
        let timed = async |copy, leg| (self.reply(copy, leg).await, Instant::now());
        let ((first, first_at), (second, second_at)) = tokio::join!(timed(0, first), timed(1, second));
        if first_at <= second_at { first.or(second) } else { second.or(first) }
    }

    pub fn settled(&self, copy: u8, result: Result<Message, Failure>) -> Settled {
        match result {
            Ok(message) => {
                let reply = Arc::new(message);
                self.notes.note(EventKind::UpstreamReplied { copy, reply: Arc::clone(&reply) });
                Ok(reply)
            }
            Err(failure) => Err(self.failed(copy, failure)),
        }
    }

    fn failed(&self, copy: u8, failure: Failure) -> Failure {
        let Failure { symptom, detail, .. } = failure.clone();
        self.notes.note(EventKind::UpstreamFailed { copy, symptom, detail });
        failure
    }
}
