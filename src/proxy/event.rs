//! What happened, and when. Invariant: events of one proxy come in the order in which they happened, and each names its
//! exchange.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::mpsc;

use super::fault::End;
use crate::http::message::Message;
use crate::terms::outcome::Symptom;

/// One observation.
#[derive(Clone, Debug)]
pub struct Event {
    /// Counted from 1, in the order in which the requests were there whole.
    pub exchange: u64,
    pub at: Instant,
    pub what: EventKind,
}

/// What was observed. `copy` is 0, or 1 for the second copy of a request that is delivered twice.
#[derive(Clone, Debug)]
pub enum EventKind {
    /// The client's request is there whole; the plan is asked next.
    RequestRead { request: Arc<Message> },
    /// What the client sent is not a request; it is answered 400 and the connection ends.
    BadRequest { detail: String },
    /// The request, or the reply, is held back.
    Held,
    /// The holding ends; `in_time` is false where the longest time ended it.
    Released { in_time: bool },
    /// A connection to the upstream is open.
    ForwardStarted { copy: u8 },
    /// The last request byte that the fault lets through is written.
    RequestForwarded { copy: u8 },
    /// The upstream's reply is there whole.
    UpstreamReplied { copy: u8, reply: Arc<Message> },
    /// The upstream gave no whole reply. `symptom` is what a client in the proxy's place would have seen.
    UpstreamFailed { copy: u8, symptom: Symptom, detail: String },
    /// We ended the upstream connection, so long after the last request byte.
    UpstreamCut { by: End, after: Duration },
    /// A whole reply is written to the client. `reply` is None where the proxy answered by itself.
    ReplySent { status: u16, reply: Option<Arc<Message>>, retry_after: Option<u64> },
    /// The client got so many bytes of a reply, and no more. `status` is None where the head was not among them.
    ReplyCut { status: Option<u16>, bytes: usize },
    /// We ended the client's connection; where no `ReplyCut` came before, it had got no byte.
    ClientDropped { by: End },
    /// The client closed or reset its connection while the exchange went on.
    ClientGone,
    /// Nothing more happens in this exchange.
    Ended,
}

/// What was observed of a request between standard streams, which have neither statuses nor connections.
#[derive(Clone, Copy, Debug)]
pub enum LineEvent<'a> {
    /// The server was given the request.
    Forwarded,
    /// The line that answers it came.
    Replied(&'a [u8]),
    /// That line was given to the client.
    Given(&'a [u8]),
    /// The client was given an error of our own.
    GivenError,
    /// The client got so many bytes of a line, and the end of the stream.
    Torn { bytes: usize },
    /// The client got the end of the stream and nothing of a line.
    Closed { why: &'a str },
    /// The client cancelled, or ended.
    ClientGone,
}

/// The events of a proxy, in order.
pub struct Events(mpsc::UnboundedReceiver<Event>);

impl Events {
    /// The next event, waiting for it. None once the proxy is stopped and all are read.
    pub async fn next(&mut self) -> Option<Event> {
        self.0.recv().await
    }

    /// The next event if there is one already.
    pub fn ready(&mut self) -> Option<Event> {
        self.0.try_recv().ok()
    }

    /// Reads on to the first event that `wanted` accepts, and gives all that it read, that one last. The time is the
    /// caller's to bound.
    pub async fn until(&mut self, mut wanted: impl FnMut(&Event) -> bool) -> Vec<Event> {
        let mut seen = Vec::new();
        while let Some(event) = self.next().await {
            seen.push(event);
            if seen.last().is_some_and(&mut wanted) {
                break;
            }
        }
        seen
    }
}

/// Where events go.
pub struct Sink {
    sender: mpsc::UnboundedSender<Event>,
    exchanges: AtomicU64,
}

/// One exchange's way into the sink.
pub struct Notes {
    exchange: u64,
    sender: mpsc::UnboundedSender<Event>,
}

pub fn channel() -> (Sink, Events) {
    let (sender, receiver) = mpsc::unbounded_channel();
    (Sink { sender, exchanges: AtomicU64::new(0) }, Events(receiver))
}

impl Sink {
    pub fn exchange(&self) -> Notes {
        let exchange = self.exchanges.fetch_add(1, Ordering::Relaxed) + 1;
        Notes { exchange, sender: self.sender.clone() }
    }
}

impl Notes {
    pub fn id(&self) -> u64 {
        self.exchange
    }

    pub fn note(&self, what: EventKind) {
        // Without a reader the proxy goes on unobserved.
        let _ = self.sender.send(Event { exchange: self.exchange, at: Instant::now(), what });
    }
}
