//! Attempts through the fault proxy. Invariant: what the target answered is taken from the proxy's own leg, and what
//! the client saw from the client's; neither stands for the other.

use std::time::Duration;

use tokio::net::TcpListener;
use tokio::time::{Instant, timeout};

use super::session::Session;
use crate::http::client;
use crate::http::client::{Outcome, Reply};
use crate::http::message::Message;
use crate::proxy::{Event, EventKind, Fault, Proxy, Settings};
use crate::target::facts::answer::Answer;
use crate::target::facts::case::{Act, Attempt, Case, Seen, Shortfall};
use crate::target::request::template::Call;
use crate::terms::outcome::Symptom;

/// What came of one faulted exchange.
pub struct Exchanged {
    /// One for each reply, or failure to reply, of the target; at least one.
    pub attempts: Vec<Attempt>,
    /// What the proxy did, in order.
    pub acts: Vec<Act>,
    /// How often the request went to the target.
    pub copies: usize,
    /// Whether the proxy ended the target's connection: a reply that was whole before leaves nothing to cut.
    pub is_cut: bool,
}

impl Session {
    /// Sends a call of the case through a proxy that puts `fault` into the exchange; the client gives up after
    /// `patience`. Gives None where the proxy could not be set up; the case then says so.
    pub async fn send_through(
        &self,
        case: &mut Case,
        note: &str,
        fault: Fault,
        patience: Duration,
    ) -> Option<Exchanged> {
        match self.through(&case.calls[0], note, move || fault.clone(), patience).await {
            Ok(mut told) => {
                case.attempts.append(&mut told.attempts);
                case.acts.append(&mut told.acts);
                Some(told)
            }
            Err(error) => {
                case.shortfall = Some(Shortfall::NotCarriedOut(format!("the proxy could not be set up: {error}")));
                None
            }
        }
    }

    /// Sends a call through a proxy whose fault is asked for when the request has been read whole.
    ///
    /// # Errors
    /// Where no port could be bound for the proxy, or the request could not be signed.
    pub async fn through(
        &self,
        call: &Call,
        note: &str,
        fault: impl Fn() -> Fault + Send + Sync + 'static,
        patience: Duration,
    ) -> std::io::Result<Exchanged> {
        let sent = self.clock();
        let (outcome, events) = self.exchange_through(call, fault, patience).await?;
        let count = |wanted: fn(&EventKind) -> bool| events.iter().filter(|event| wanted(&event.what)).count();
        let copies = count(|what| matches!(what, EventKind::RequestForwarded { .. }));
        self.count(copies.max(1) as u64);
        let begun = |copy| self.begun(&events, copy).unwrap_or(sent);
        let is_cut = events.iter().any(|event| matches!(event.what, EventKind::UpstreamCut { .. }));
        let mut answers = Vec::new();
        // No reply to what we broke off ourselves is no answer.
        let told = events.iter().filter(|event| !(is_cut && matches!(event.what, EventKind::UpstreamFailed { .. })));
        for (event, (copy, came)) in told.filter_map(|event| Some((event, answered(event)?))) {
            answers.push((begun(copy), self.at(event), self.learned(call, self.target(), &came).await));
        }
        if answers.is_empty() {
            let why = if is_cut { "cut before a whole reply" } else { "never forwarded" };
            answers.push((sent, self.clock(), Answer::withheld(why)));
        }
        let client = Seen { what: seen_by_client(&outcome), at: sent + outcome.elapsed };
        let attempt = |(sent, ended, answer)| {
            let (note, client) = (note.to_string(), Some(client.clone()));
            Attempt { sent, ended, call: 0, note, copy: false, faulted: true, answer, client }
        };
        let acts = events
            .iter()
            .filter_map(|event| {
                let is_fault = is_fault(&event.what);
                Some(Act { who: "proxy", at: self.at(event), what: act(&event.what)?, is_fault })
            })
            .collect();
        Ok(Exchanged { attempts: answers.into_iter().map(attempt).collect(), acts, copies, is_cut })
    }

    async fn exchange_through(
        &self,
        call: &Call,
        fault: impl Fn() -> Fault + Send + Sync + 'static,
        patience: Duration,
    ) -> std::io::Result<(Outcome, Vec<Event>)> {
        let request = self.request(call, &self.target().authority).await.map_err(std::io::Error::other)?;
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let settings = Settings { reply: self.patience(), connect: self.patience(), ..Settings::default() };
        let mut proxy = Proxy::start(listener, self.target().route.clone(), settings, move |_| fault())?;
        let outcome = client::attempt(&proxy.address().into(), &request, patience).await;
        // The upstream leg outlives the client, but not its own patience for connecting and for the reply.
        let rest = proxy.events().until(|event| matches!(event.what, EventKind::Ended | EventKind::BadRequest { .. }));
        let events = timeout(self.patience() * 2 + patience, rest).await.unwrap_or_default();
        proxy.stop().await;
        Ok((outcome, events))
    }

    /// When the second copy went to the target; None for the first, which the client sent.
    fn begun(&self, events: &[Event], copy: u8) -> Option<Duration> {
        let begun = |event: &&Event| matches!(event.what, EventKind::ForwardStarted { copy: n } if n == copy && n > 0);
        events.iter().find(begun).map(|event| self.at(event))
    }

    fn at(&self, event: &Event) -> Duration {
        Instant::from(event.at).duration_since(self.started)
    }
}

/// What the target said to which copy; None for an event that is no answer.
fn answered(event: &Event) -> Option<(u8, Outcome)> {
    match &event.what {
        EventKind::UpstreamReplied { copy, reply } => Some((*copy, whole(reply))),
        EventKind::UpstreamFailed { copy, symptom, detail } => {
            let detail = Some(detail.clone());
            Some((*copy, Outcome { symptom: *symptom, reply: None, detail, elapsed: Duration::ZERO }))
        }
        _ => None,
    }
}

/// An event as the time line tells it; None for what the attempt itself tells.
fn act(what: &EventKind) -> Option<String> {
    Some(match what {
        EventKind::RequestRead { request } => format!("has read the request, {} bytes", request.raw.len()),
        EventKind::BadRequest { detail } => format!("refuses the request: {detail}"),
        EventKind::Held => "holds it back".into(),
        EventKind::Released { .. } => "lets it go".into(),
        EventKind::ForwardStarted { copy } => format!("connects to the target{}", nth(*copy)),
        EventKind::RequestForwarded { copy } => format!("has sent what it lets through{}", nth(*copy)),
        EventKind::UpstreamReplied { copy, reply } => {
            format!("has the target's whole reply{}: {}", nth(*copy), reply.head.status().unwrap_or(0))
        }
        EventKind::UpstreamFailed { copy, symptom, .. } => format!("gets no whole reply{}: {symptom}", nth(*copy)),
        EventKind::UpstreamCut { by, after } => {
            let ms = after.as_secs_f64() * 1e3;
            format!("ends the target's connection by {by}, {ms:.2} ms after the last byte that it let through")
        }
        EventKind::ReplySent { status, .. } => format!("gives the client a {status}"),
        EventKind::ReplyCut { bytes, .. } => format!("gives the client {bytes} bytes of the reply"),
        EventKind::ClientDropped { by } => format!("ends the client's connection by {by}"),
        EventKind::ClientGone => "sees that the client has gone".into(),
        EventKind::Ended => return None,
    })
}

/// Whether the proxy does it for the fault's sake.
fn is_fault(what: &EventKind) -> bool {
    match what {
        EventKind::BadRequest { .. } | EventKind::Held | EventKind::Released { .. } => true,
        EventKind::UpstreamCut { .. } | EventKind::ReplyCut { .. } | EventKind::ClientDropped { .. } => true,
        EventKind::ForwardStarted { copy } | EventKind::RequestForwarded { copy } => *copy > 0,
        EventKind::ReplySent { reply, .. } => reply.is_none(),
        EventKind::RequestRead { .. } | EventKind::UpstreamReplied { .. } | EventKind::UpstreamFailed { .. } => false,
        EventKind::ClientGone | EventKind::Ended => false,
    }
}

fn nth(copy: u8) -> &'static str {
    if copy == 0 { "" } else { " (second copy)" }
}

fn whole(message: &Message) -> Outcome {
    let status = message.head.status().unwrap_or(0);
    let reply = Reply { status, headers: message.head.headers.clone(), body: message.body.clone() };
    Outcome { symptom: Symptom::of_status(status), reply: Some(reply), detail: None, elapsed: Duration::ZERO }
}

fn seen_by_client(outcome: &Outcome) -> String {
    match (&outcome.reply, outcome.symptom) {
        (Some(reply), Symptom::Truncated) => format!("{}, cut short", reply.status),
        (Some(reply), _) => reply.status.to_string(),
        (None, symptom) => symptom.to_string(),
    }
}
