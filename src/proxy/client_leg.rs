//! The leg to the client. Invariant: it knows whether the client is still there, whatever the other leg is doing, and
//! bytes that belong to the next request are kept.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::answer;
use super::fault::End;
use super::settings::Settings;
use crate::http::message::{Limits, Malformed, Message, Parser};

const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";

/// Bytes that a client may send ahead while its exchange goes on; with more waiting we no longer see it go.
const AHEAD: usize = 256 << 10;

/// For a refused client to stop sending.
const LINGER: Duration = Duration::from_secs(1);

pub struct ClientLeg {
    /// None once we have ended it.
    stream: Option<TcpStream>,
    /// Read and not yet parsed.
    unread: Vec<u8>,
    is_gone: bool,
    limits: Limits,
    idle: Duration,
}

impl ClientLeg {
    pub fn new(stream: TcpStream, settings: &Settings) -> ClientLeg {
        let (limits, idle) = (settings.limits, settings.idle);
        ClientLeg { stream: Some(stream), unread: Vec::new(), is_gone: false, limits, idle }
    }

    /// The next whole request. None where the client has ended, was too slow, or broke off within a request.
    pub async fn request(&mut self) -> Result<Option<Message>, Malformed> {
        timeout(self.idle, self.read_request()).await.unwrap_or(Ok(None))
    }

    async fn read_request(&mut self) -> Result<Option<Message>, Malformed> {
        let mut parser = Parser::request(self.limits);
        let mut may_continue = true;
        loop {
            let used = parser.push(&self.unread)?;
            self.unread.drain(..used);
            if parser.is_complete() {
                return Ok(Some(parser.into_message()));
            }
            // The client waits for leave to send its body (RFC 9110, 10.1.1).
            let expects = parser.head().is_some_and(|head| head.has_token("expect", "100-continue"));
            if may_continue && expects && !self.write(CONTINUE).await {
                return Ok(None);
            }
            may_continue &= !expects;
            if !self.read_more().await {
                return Ok(None);
            }
        }
    }

    /// Answers what is not a request, and ends. What the client is still sending is read for a while, since a reset for
    /// unread bytes could overtake the answer (RFC 9112, 9.6).
    pub async fn refuse(&mut self, malformed: &Malformed) {
        let status = match malformed {
            Malformed::BodyTooLong(_) => 413,
            Malformed::HeadTooLong(_) | Malformed::TooManyHeaders(_) => 431,
            Malformed::ChunkNotesTooLong(_)
            | Malformed::StartLine(_)
            | Malformed::Header(_)
            | Malformed::Status(_)
            | Malformed::ContentLength(_)
            | Malformed::LengthAndCoding
            | Malformed::TransferCoding(_)
            | Malformed::ChunkSize
            | Malformed::ChunkEnd
            | Malformed::Trailer => 400,
        };
        self.write(&answer::problem(status, &malformed.to_string(), None, "", true)).await;
        if let Some(stream) = &mut self.stream {
            // Fails only where the connection has ended already.
            let _ = stream.shutdown().await;
        }
        let _ = timeout(LINGER, self.discard()).await;
        self.end(End::Fin).await;
    }

    /// Writes all of it. False where the client cannot be reached any more, or does not take it.
    pub async fn write(&mut self, bytes: &[u8]) -> bool {
        let Some(stream) = &mut self.stream else { return false };
        let written = matches!(timeout(self.idle, stream.write_all(bytes)).await, Ok(Ok(())));
        self.is_gone |= !written;
        written
    }

    /// Returns when the client has closed or reset its connection. May be dropped and called again.
    pub async fn departed(&mut self) {
        while !self.is_gone {
            if self.unread.len() >= AHEAD {
                return std::future::pending().await;
            }
            self.read_more().await;
        }
    }

    /// The connection itself, and what was read from it and not parsed. None where it has ended.
    pub fn into_stream(self) -> Option<(TcpStream, Vec<u8>)> {
        Some((self.stream?, self.unread))
    }

    pub fn is_gone(&self) -> bool {
        self.is_gone
    }

    /// Ends the connection. Nothing can be written any more.
    pub async fn end(&mut self, by: End) {
        if let Some(stream) = self.stream.take() {
            close(stream, by).await;
        }
    }

    /// Reads to the end of the stream and keeps nothing.
    async fn discard(&mut self) {
        while self.read_more().await {
            self.unread.clear();
        }
    }

    /// False at the end of the stream.
    async fn read_more(&mut self) -> bool {
        let Some(stream) = &mut self.stream else { return false };
        let mut piece = [0; 16 << 10];
        let count = stream.read(&mut piece).await.unwrap_or(0);
        self.unread.extend_from_slice(&piece[..count]);
        self.is_gone |= count == 0;
        count > 0
    }
}

/// Ends a connection at once. Without the shutdown, bytes that were received and not read would turn a FIN into a reset.
async fn close(mut stream: TcpStream, by: End) {
    match by {
        // Both fail only where the connection has ended already.
        End::Fin => drop(stream.shutdown().await),
        End::Rst => drop(stream.set_zero_linger()),
    }
}
