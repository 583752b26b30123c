//! Lines between a client and a server. Invariant: what is not a faulted request, or its reply, passes as it is, in order; the
//! fault is matched here, once for the request and once for the reply.

use std::collections::HashMap;
use std::io::Write;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{Instant, sleep_until};

use super::fault::LineFault;
use crate::mcp::bridge::process::Process;
use crate::mcp::message::{self, Fault, Message, code};
use crate::proxy::attempt_line::AttemptLine;
use crate::proxy::attempt_log::AttemptLog;
use crate::proxy::event::LineEvent;
use crate::proxy::fault_name::FaultName;

/// A line without its end; None at the end of the stream.
pub enum Heard {
    Client(Option<Vec<u8>>),
    Server(Option<Vec<u8>>),
}

/// One client and one server. Dropping it ends the server.
pub struct Relay<'a> {
    pub server: Process,
    pub log: AttemptLog,
    /// What the log's fault is here.
    pub fault: LineFault,
    /// The longest that a reply is held.
    pub hold: Duration,
    /// Where readings go.
    pub keep: &'a mut dyn FnMut(&[AttemptLine]) -> anyhow::Result<()>,
    /// Requests without a reply, by their ids as they are written.
    waiting: HashMap<String, Waiting>,
    exchanges: u64,
    /// When the server is killed, and for which exchange.
    kill: Option<Instant>,
}

struct Waiting {
    exchange: u64,
    fault: LineFault,
    /// A reply that is held or withheld, and when it is handed on; None is never.
    reply: Option<(Vec<u8>, Option<Instant>)>,
}

impl<'a> Relay<'a> {
    pub fn new(
        server: Process,
        log: AttemptLog,
        fault: LineFault,
        hold: Duration,
        keep: &'a mut dyn FnMut(&[AttemptLine]) -> anyhow::Result<()>,
    ) -> Relay<'a> {
        let waiting = HashMap::new();
        Relay { server, log, fault, hold, keep, waiting, exchanges: 0, kill: None }
    }

    /// Relays until one of the two ends, or a fault ends it. All readings are written then.
    ///
    /// # Errors
    /// The readings cannot be written.
    pub async fn run(&mut self, heard: &mut UnboundedReceiver<Heard>) -> anyhow::Result<()> {
        loop {
            let is_over = tokio::select! {
                biased;
                () = until(self.kill) => self.killed("the server was killed")?,
                () = until(self.due()) => self.hand_on_due()?,
                line = heard.recv() => match line {
                    Some(Heard::Client(Some(line))) => self.asked(line)?,
                    Some(Heard::Client(None)) => self.left(),
                    Some(Heard::Server(Some(line))) => self.said(line)?,
                    Some(Heard::Server(None)) | None => {
                        self.log.observe_lines(&LineEvent::Closed { why: "the server ended" });
                        true
                    }
                },
            };
            if is_over {
                return self.flush();
            }
        }
    }

    /// All readings that are left.
    ///
    /// # Errors
    /// The readings cannot be written.
    fn flush(&mut self) -> anyhow::Result<()> {
        let rest = self.log.stop();
        (self.keep)(&rest)
    }

    /// A line of the client.
    fn asked(&mut self, line: Vec<u8>) -> anyhow::Result<bool> {
        match Message::parse(&line) {
            Ok(Message::Request { id, .. }) => return self.requested(&id, line),
            Ok(Message::Notification { method, params }) => {
                self.server.tell(&line);
                if method == "notifications/cancelled" {
                    self.cancelled(params.get("requestId").unwrap_or(&Value::Null))?;
                }
            }
            Ok(Message::Response { .. }) | Err(_) => self.server.tell(&line),
        }
        Ok(false)
    }

    fn requested(&mut self, id: &Value, line: Vec<u8>) -> anyhow::Result<bool> {
        self.exchanges += 1;
        let exchange = self.exchanges;
        let is_hit = self.log.enter_line(exchange, &line) != FaultName::None;
        let fault = if is_hit { self.fault } else { LineFault::Pass };
        if fault == LineFault::Refuse {
            give(&error(id, "answered instead of the server"));
            self.log.observe_line(exchange, &LineEvent::GivenError);
            return self.ended(exchange);
        }
        self.waiting.insert(id.to_string(), Waiting { exchange, fault, reply: None });
        self.server.tell(&line);
        self.log.observe_line(exchange, &LineEvent::Forwarded);
        if let LineFault::Kill { after: Some(after) } = fault {
            self.kill.get_or_insert(Instant::now() + after);
        }
        Ok(false)
    }

    /// The client waits no longer; what it is told all the same it has to pass over.
    fn cancelled(&mut self, id: &Value) -> anyhow::Result<()> {
        let Some(waiting) = self.waiting.get_mut(&id.to_string()) else { return Ok(()) };
        self.log.observe_line(waiting.exchange, &LineEvent::ClientGone);
        if let Some((_, due)) = waiting.reply.as_mut().filter(|_| waiting.fault == LineFault::Late) {
            *due = Some(Instant::now());
        } else if waiting.reply.is_some() {
            let exchange = waiting.exchange;
            self.waiting.remove(&id.to_string());
            self.ended(exchange)?;
        }
        Ok(())
    }

    /// A line of the server.
    fn said(&mut self, line: Vec<u8>) -> anyhow::Result<bool> {
        let id = match Message::parse(&line) {
            Ok(Message::Response { id, .. }) => id,
            Ok(Message::Request { .. } | Message::Notification { .. }) | Err(_) => Value::Null,
        };
        let Some(waiting) = self.waiting.get_mut(&id.to_string()) else {
            give(&line);
            return Ok(false);
        };
        let exchange = waiting.exchange;
        self.log.observe_line(exchange, &LineEvent::Replied(&line));
        match waiting.fault {
            LineFault::Pass | LineFault::Refuse | LineFault::Kill { after: Some(_) } => {
                give(&line);
                self.log.observe_line(exchange, &LineEvent::Given(&line));
            }
            LineFault::Withhold => {
                waiting.reply = Some((line, None));
                return Ok(false);
            }
            LineFault::Late => {
                waiting.reply = Some((line, Some(Instant::now() + self.hold)));
                return Ok(false);
            }
            LineFault::Replace => {
                give(&error(&id, "given instead of the server's reply"));
                self.log.observe_line(exchange, &LineEvent::GivenError);
            }
            LineFault::Tear => {
                let half = &line[..line.len() / 2];
                self.log.observe_line(exchange, &LineEvent::Torn { bytes: half.len() });
                self.log.observe_lines(&LineEvent::Closed { why: "the stream ended" });
                // Whoever starts us again must find it.
                self.flush()?;
                give_part(half);
                return Ok(true);
            }
            LineFault::Kill { after: None } => return self.killed("the server was killed when it had replied"),
        }
        self.waiting.remove(&id.to_string());
        self.ended(exchange)
    }

    fn killed(&mut self, why: &str) -> anyhow::Result<bool> {
        self.server.kill();
        self.log.observe_lines(&LineEvent::Closed { why });
        Ok(true)
    }

    /// The client says no more; what it still waits for it may still read, but for what is held back.
    fn left(&mut self) -> bool {
        let held = self.waiting.values().filter(|waiting| waiting.reply.is_some());
        held.for_each(|waiting| self.log.observe_line(waiting.exchange, &LineEvent::ClientGone));
        self.server.hang_up();
        false
    }

    /// The next moment at which a held reply is handed on.
    fn due(&self) -> Option<Instant> {
        self.waiting.values().filter_map(|waiting| waiting.reply.as_ref()?.1).min()
    }

    fn hand_on_due(&mut self) -> anyhow::Result<bool> {
        let now = Instant::now();
        let is_due =
            |waiting: &Waiting| waiting.reply.as_ref().is_some_and(|(_, due)| due.is_some_and(|due| due <= now));
        let ids: Vec<_> =
            self.waiting.iter().filter(|(_, waiting)| is_due(waiting)).map(|(id, _)| id.clone()).collect();
        for waiting in ids.iter().filter_map(|id| self.waiting.remove(id)).collect::<Vec<_>>() {
            if let Some((line, _)) = waiting.reply {
                give(&line);
                self.log.observe_line(waiting.exchange, &LineEvent::Given(&line));
            }
            self.ended(waiting.exchange)?;
        }
        Ok(false)
    }

    fn ended(&mut self, exchange: u64) -> anyhow::Result<bool> {
        let finished = self.log.end(exchange);
        (self.keep)(&finished)?;
        Ok(false)
    }
}

impl Drop for Relay<'_> {
    fn drop(&mut self) {
        // Where it was broken off, nobody is left to be told that the last readings could not be written.
        let _ = self.flush();
    }
}

async fn until(moment: Option<Instant>) {
    match moment {
        Some(moment) => sleep_until(moment).await,
        None => std::future::pending().await,
    }
}

fn error(id: &Value, why: &str) -> Vec<u8> {
    message::answer(id, Err(Fault::new(code::INTERNAL, format!("idem proxy: {why}")))).to_string().into_bytes()
}

/// Writes a line to the client.
fn give(line: &[u8]) {
    give_part(&[line, b"\n"].concat());
}

/// A client that reads no more says so by ending its side.
fn give_part(bytes: &[u8]) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(bytes).and_then(|()| out.flush());
}
