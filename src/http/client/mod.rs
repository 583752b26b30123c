//! One attempt: one connection, one request, one outcome. Invariant: no pool and no retry behind anybody's back, and every way to fail keeps its own symptom. Raw on purpose: an HTTP library could retry on its own.

use std::io;
use std::net::IpAddr;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::address::Route;
use super::message::{Limits, Parser, Start};
use super::stream::Stream;
use super::transport;
use super::trust::told;
use crate::terms::outcome::Symptom;

/// A request as it goes on the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    pub method: String,
    /// Value of the `Host` field.
    pub host: String,
    /// Origin form: path and query.
    pub target: String,
    pub headers: Vec<(String, Vec<u8>)>,
    pub body: Vec<u8>,
}

impl Request {
    /// The bytes to send: `Host`, `Content-Length` and `Connection: close` are added, the rest stands as given.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = format!("{} {} HTTP/1.1\r\nHost: {}\r\n", self.method, self.target, self.host).into_bytes();
        for (name, value) in &self.headers {
            bytes.extend_from_slice(name.as_bytes());
            bytes.extend_from_slice(b": ");
            bytes.extend_from_slice(value);
            bytes.extend_from_slice(b"\r\n");
        }
        bytes.extend_from_slice(format!("Content-Length: {}\r\nConnection: close\r\n\r\n", self.body.len()).as_bytes());
        bytes.extend_from_slice(&self.body);
        bytes
    }
}

/// A reply's status, fields and decoded body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, Vec<u8>)>,
    /// What came of it, where the reply broke off.
    pub body: Vec<u8>,
}

impl Reply {
    /// The first field of that name, any letter case; None where there is none or it is not UTF-8.
    pub fn header(&self, name: &str) -> Option<&str> {
        let (_, value) = self.headers.iter().find(|(field, _)| field.eq_ignore_ascii_case(name))?;
        std::str::from_utf8(value).ok().map(str::trim)
    }
}

/// What one attempt came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub symptom: Symptom,
    /// None where no whole head came. It is there for a truncated reply too: never take it for a success by itself.
    pub reply: Option<Reply>,
    /// What the operating system or the parser said; None for a complete reply.
    pub detail: Option<String>,
    pub elapsed: Duration,
}

impl Outcome {
    fn failed(symptom: Symptom, detail: impl ToString, since: Instant) -> Outcome {
        Outcome { symptom, reply: None, detail: Some(detail.to_string()), elapsed: since.elapsed() }
    }
}

/// An open connection on which nothing was sent yet.
#[derive(Debug)]
pub struct Connection {
    stream: Stream,
    since: Instant,
}

impl Connection {
    /// Connects, from `source` where one is given. The error is the attempt's outcome: nothing was sent.
    pub async fn open(to: &Route, source: Option<IpAddr>, deadline: Instant) -> Result<Connection, Outcome> {
        let since = Instant::now();
        match timeout_at(deadline, transport::connect(to, source)).await {
            Err(_) => Err(Outcome::failed(Symptom::ConnectTimeout, "no connection in time", since)),
            Ok(Err(why)) => Err(Outcome::failed(why.symptom, why.detail, since)),
            Ok(Ok(stream)) => Ok(Connection { stream, since }),
        }
    }

    /// Sends a part of a request ahead; what it came to shows in the exchange of the rest.
    pub async fn send_ahead(&mut self, part: &[u8]) {
        // A failed write is not an outcome: the server may have answered, and `exchange` reads that.
        let _ = self.stream.send(part).await;
    }

    /// Sends the request and reads one reply. One deadline for all of it.
    pub async fn exchange(mut self, request: &[u8], deadline: Instant) -> Outcome {
        let method = request.split(|&byte| byte == b' ').next().unwrap_or(b"");
        let mut parser = Parser::response(Limits::default(), &String::from_utf8_lossy(method));
        let ended = timeout_at(deadline, converse(&mut self.stream, request, &mut parser)).await;
        let (symptom, detail) = match ended {
            Err(_) => (Symptom::ReadTimeout, Some("no complete reply in time".to_owned())),
            Ok(Err((symptom, detail))) => (symptom, Some(detail)),
            Ok(Ok(())) => (Symptom::Ok, None),
        };
        let reply = reply(parser);
        let symptom = match &reply {
            Some(reply) if symptom == Symptom::Ok => Symptom::of_status(reply.status),
            _ => symptom,
        };
        Outcome { symptom, reply, detail, elapsed: self.since.elapsed() }
    }
}

/// Whether somebody takes connections there, within the deadline.
pub async fn listens(to: &Route, deadline: Instant) -> bool {
    timeout_at(deadline, transport::listens(to)).await.unwrap_or(false)
}

/// One attempt within `timeout`, connecting included.
pub async fn attempt(to: &Route, request: &Request, timeout: Duration) -> Outcome {
    attempt_connecting(to, request, timeout, timeout).await
}

/// The same, with a limit of its own for the connection and its handshake.
pub async fn attempt_connecting(to: &Route, request: &Request, connect: Duration, timeout: Duration) -> Outcome {
    let now = Instant::now();
    let deadline = now + timeout;
    match Connection::open(to, None, now + connect.min(timeout)).await {
        Ok(connection) => connection.exchange(&request.to_bytes(), deadline).await,
        Err(outcome) => outcome,
    }
}

/// Why an exchange ended without a complete reply.
type Failure = (Symptom, String);

async fn converse(stream: &mut Stream, request: &[u8], parser: &mut Parser) -> Result<(), Failure> {
    // A server may answer and close before it has read everything: its reply says more than our failed write.
    let sent = stream.send(request).await;
    // On the heap: thousands of attempts may be waiting at one moment.
    let mut buffer = vec![0; 4 * 1024];
    while !parser.is_complete() {
        let read = match (stream.read(&mut buffer).await, &sent) {
            (Ok(0), Err(error)) if parser.head().is_none() => return Err(broken(error, parser)),
            (Ok(read), _) => read,
            (Err(error), _) => return Err(broken(&error, parser)),
        };
        if read == 0 {
            return parser
                .finish()
                .map_err(|cut| (transport::cut_symptom(cut), "the server closed the connection".to_owned()));
        }
        parser.push(&buffer[..read]).map_err(|malformed| (Symptom::BadReply, malformed.to_string()))?;
    }
    Ok(())
}

fn broken(error: &io::Error, parser: &Parser) -> Failure {
    (transport::broken_symptom(error, parser), told(error))
}

fn reply(parser: Parser) -> Option<Reply> {
    let (head, body) = parser.into_partial()?;
    match head.start {
        Start::Response { status, .. } => Some(Reply { status, headers: head.headers, body }),
        Start::Request { .. } => None,
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod tls_tests;
