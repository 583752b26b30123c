//! The leg to the upstream: one connection for one delivery. Invariant: it ends in a whole reply or in a failure that
//! says what a client in our place would have seen; nothing waits beyond its deadline but for a subscription.

use std::io::Error;
use std::time::{Duration, Instant};

use tokio::time::{timeout, timeout_at};

use super::fault::End;
use super::settings::Settings;
use crate::http::address::Route;
use crate::http::message::{Cut, Malformed, Message, Parser};
use crate::http::stream::Stream;
use crate::http::transport;
use crate::http::trust::told;
use crate::terms::outcome::Symptom;

/// Why there is no whole reply.
#[derive(Clone, Debug)]
pub struct Failure {
    pub symptom: Symptom,
    pub detail: String,
    /// How the upstream ended its side, for a client that already has a part of the reply.
    pub by: End,
}

pub struct UpstreamLeg {
    stream: Stream,
    parser: Parser,
    /// For the whole reply, from the last request byte on.
    patience: Duration,
    sent: Instant,
}

impl UpstreamLeg {
    /// `method` decides whether the reply has a body.
    pub async fn open(upstream: &Route, method: &str, settings: &Settings) -> Result<UpstreamLeg, Failure> {
        let stream = match timeout(settings.connect, transport::connect(upstream, None)).await {
            Ok(Ok(stream)) => stream,
            Ok(Err(why)) => {
                return Err(Failure::new(why.symptom, format!("{upstream}: {}", why.detail)));
            }
            Err(_) => {
                let detail = format!("no connection to {upstream} within {:?}", settings.connect);
                return Err(Failure::new(Symptom::ConnectTimeout, detail));
            }
        };
        let parser = Parser::response(settings.limits, method);
        Ok(UpstreamLeg { stream, parser, patience: settings.reply, sent: Instant::now() })
    }

    /// Writes bytes of the request and gives the moment when the last was written. A peer that stopped reading may still
    /// have replied, so only the reading tells what became of it.
    pub async fn send(&mut self, bytes: &[u8]) -> Instant {
        let _ = timeout(self.patience, self.stream.send(bytes)).await;
        self.sent = Instant::now();
        self.sent
    }

    /// No more of the request will come; the reply can still be read.
    pub async fn end_request(&mut self) {
        // Fails only where the connection has ended already.
        let _ = self.stream.end().await;
    }

    /// The whole reply.
    pub async fn reply(mut self) -> Result<Message, Failure> {
        self.finish().await?;
        Ok(self.parser.into_message())
    }

    /// Reads on until the reply is whole. May be dropped and called again.
    pub async fn finish(&mut self) -> Result<(), Failure> {
        while self.more().await?.is_some() {}
        Ok(())
    }

    /// The reply's next bytes, framed. None when it is whole.
    pub async fn more(&mut self) -> Result<Option<Vec<u8>>, Failure> {
        let deadline = self.sent + self.patience;
        let late = Failure::new(Symptom::ReadTimeout, format!("no whole reply within {:?}", self.patience));
        timeout_at(deadline.into(), self.more_ever()).await.unwrap_or(Err(late))
    }

    /// As [`UpstreamLeg::more`], without a deadline: of a reply that is not meant to end.
    pub async fn more_ever(&mut self) -> Result<Option<Vec<u8>>, Failure> {
        if self.parser.is_complete() {
            return Ok(None);
        }
        let mut piece = vec![0; 16 << 10];
        match self.stream.read(&mut piece).await {
            Err(error) => Err(self.broken(&error)),
            Ok(0) => self.parser.finish().map(|()| None).map_err(Failure::cut),
            Ok(count) => {
                piece.truncate(self.parser.push(&piece[..count]).map_err(Failure::malformed)?);
                Ok(Some(piece))
            }
        }
    }

    /// The final status. None before the head is whole.
    pub fn status(&self) -> Option<u16> {
        self.parser.head()?.status()
    }

    /// Whether the reply is an event stream. False before the head is whole.
    pub fn is_event_stream(&self) -> bool {
        let kind = self.parser.head().and_then(|head| head.get("content-type")).unwrap_or_default();
        kind.to_ascii_lowercase().starts_with(b"text/event-stream")
    }

    /// The whole reply, once [`UpstreamLeg::more`] has given None.
    pub fn into_message(self) -> Message {
        self.parser.into_message()
    }

    /// Ends the connection at once. Without the end of our side, bytes that came and were not read would turn a FIN into
    /// a reset.
    pub async fn cut(mut self, by: End) {
        match by {
            // Fails only where the connection has ended already.
            End::Fin => drop(self.stream.end().await),
            End::Rst => self.stream.reset(),
        }
    }

    fn broken(&self, error: &Error) -> Failure {
        let symptom = transport::broken_symptom(error, &self.parser);
        Failure { symptom, detail: told(error), by: End::Rst }
    }
}

impl Failure {
    fn new(symptom: Symptom, detail: String) -> Failure {
        Failure { symptom, detail, by: End::Rst }
    }

    fn malformed(malformed: Malformed) -> Failure {
        Failure::new(Symptom::BadReply, malformed.to_string())
    }

    fn cut(cut: Cut) -> Failure {
        let detail = match cut {
            Cut::BeforeFirstByte => "closed before a byte of reply",
            Cut::InHead => "closed within the reply's head",
            Cut::InBody => "closed within the reply's body",
        };
        Failure { symptom: transport::cut_symptom(cut), detail: detail.to_owned(), by: End::Fin }
    }
}
