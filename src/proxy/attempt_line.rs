//! One attempt as a line that `idem classify` reads. Invariant: `status` and `symptom` are what the client was given, the
//! `upstream_*` fields and `receipt` what the server said, and neither is made up from the other.

use std::time::SystemTime;

use serde::Serialize;

use super::event::{EventKind, LineEvent};
use super::fault::End;
use super::fault_name::FaultName;
use super::said::{ReplyRules, Said};
use crate::terms::outcome::{Kind, Symptom};
use crate::text::time::rfc3339;

/// What a line that reached the client has instead of a status: that of the same message over HTTP, so that a reading means
/// the same over both.
const LINE: u16 = 200;

/// A reading that grows with the events of its exchange. Absent fields are left out, but for `status`.
#[derive(Clone, Debug, Serialize)]
pub struct AttemptLine {
    /// When the request was there whole.
    time: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    intent: Option<String>,
    /// Counted from 1 within the intent.
    #[serde(skip_serializing_if = "Option::is_none")]
    attempt: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    /// The id of a tool's call, as it is written; another one in each attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    call: Option<String>,
    /// Pointers to the arguments that differ from those of the intent's first call. None of the first one.
    #[serde(skip_serializing_if = "Option::is_none")]
    changed: Option<Vec<String>>,
    /// Copies of a tool's call that went to the server whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    delivered: Option<u32>,
    /// None where no status line reached the client.
    status: Option<u16>,
    /// As the client will have seen it. None as long as that is open.
    symptom: Option<Symptom>,
    /// The symptom's coarse kind.
    kind: Option<Kind>,
    fault: FaultName,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    upstream_status: Option<u16>,
    /// True where a server on standard streams answered; a line of it has no status.
    #[serde(skip_serializing_if = "Option::is_none")]
    answered: Option<bool>,
    /// Of the server's reply, whether or not it reached the client.
    #[serde(skip_serializing_if = "Option::is_none")]
    receipt: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    replay: Option<bool>,
    /// False where the client was not given that receipt.
    #[serde(skip_serializing_if = "Option::is_none")]
    receipt_heard: Option<bool>,
    /// Another receipt, of the other reply to a request that was delivered twice; the client was not given it.
    #[serde(skip_serializing_if = "Option::is_none")]
    unheard_receipt: Option<String>,
    /// What else there is to know, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl AttemptLine {
    pub fn new(at: SystemTime, intent: Option<(String, u32)>, key: Option<String>, fault: FaultName) -> AttemptLine {
        let (intent, attempt) = intent.unzip();
        AttemptLine {
            time: rfc3339(at),
            intent,
            attempt,
            key,
            call: None,
            changed: None,
            delivered: None,
            status: None,
            symptom: None,
            kind: None,
            fault,
            retry_after: None,
            upstream_status: None,
            answered: None,
            receipt: None,
            replay: None,
            receipt_heard: None,
            unheard_receipt: None,
            note: None,
        }
    }

    /// With the id of a tool's call, and where its arguments differ from those of the first one.
    pub fn of_call(self, call: String, changed: Option<Vec<String>>) -> AttemptLine {
        AttemptLine { call: Some(call), changed, delivered: Some(0), ..self }
    }

    pub fn intent(&self) -> Option<&str> {
        self.intent.as_deref()
    }

    /// Counted from 1 within the intent; 0 where none is named.
    pub fn attempt(&self) -> u32 {
        self.attempt.unwrap_or(0)
    }

    pub fn key(&self) -> Option<&str> {
        self.key.as_deref()
    }

    pub fn call(&self) -> Option<&str> {
        self.call.as_deref()
    }

    /// None of an intent's first call.
    pub fn changed(&self) -> Option<&[String]> {
        self.changed.as_deref()
    }

    /// Copies of a tool's call that went to the server whole.
    pub fn delivered(&self) -> u32 {
        self.delivered.unwrap_or(0)
    }

    /// Whether the server answered, heard or not.
    pub fn is_answered(&self) -> bool {
        self.upstream_status.is_some() || self.answered == Some(true)
    }

    /// What the client was given, as far as that is known.
    pub fn symptom(&self) -> Option<Symptom> {
        self.symptom
    }

    pub fn is_faulted(&self) -> bool {
        self.fault != FaultName::None
    }

    /// The line, without its end.
    pub fn json(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("texts and numbers have a JSON form, and a buffer takes it")
    }

    /// Takes in what happened. `rules` are where a reply names its receipt.
    pub fn observe(&mut self, what: &EventKind, rules: &ReplyRules) {
        match what {
            EventKind::UpstreamReplied { reply, .. } => self.replied(Said::of(reply, rules)),
            EventKind::UpstreamFailed { symptom, detail, .. } => {
                self.add_note(&format!("upstream: {symptom}: {detail}"))
            }
            EventKind::Released { in_time: false } => self.add_note("held as long as --hold allows"),
            EventKind::ReplySent { status, reply, retry_after } => {
                self.status = Some(*status);
                self.retry_after = match reply {
                    Some(reply) => reply.head.get("retry-after").map(|v| String::from_utf8_lossy(v).into_owned()),
                    None => retry_after.map(|seconds| seconds.to_string()),
                };
                let failure = reply.as_ref().and_then(|reply| self.give(Said::of(reply, rules)));
                // A call that failed behind a 200 may have had its effect, as after a 500.
                let symptom = failure.map_or(Symptom::of_status(*status), |_| Symptom::ServerError);
                self.client_saw(symptom);
            }
            EventKind::ReplyCut { status, bytes } => {
                self.status = *status;
                self.add_note(&format!("the reply was cut after {bytes} bytes"));
                self.client_saw(if *bytes == 0 { Symptom::Closed } else { Symptom::Truncated });
            }
            EventKind::ClientDropped { by: End::Fin } => self.client_saw(Symptom::Closed),
            EventKind::ClientDropped { by: End::Rst } => self.client_saw(Symptom::Reset),
            EventKind::ClientGone => {
                self.add_note("the client gave up");
                self.client_saw(Symptom::ReadTimeout);
            }
            EventKind::BadRequest { detail } => {
                self.status = Some(400);
                self.add_note(&format!("not an HTTP/1 request: {detail}"));
                self.client_saw(Symptom::ClientError);
            }
            // Half of a request is noted as what the fault lets through.
            EventKind::RequestForwarded { .. } if self.fault != FaultName::HalfRequest => {
                self.delivered = self.delivered.map(|copies| copies + 1);
            }
            EventKind::RequestRead { .. }
            | EventKind::Held
            | EventKind::Released { in_time: true }
            | EventKind::ForwardStarted { .. }
            | EventKind::RequestForwarded { .. }
            | EventKind::UpstreamCut { .. }
            | EventKind::Ended => {}
        }
    }

    /// Takes in what happened to a line of standard streams.
    pub fn observe_line(&mut self, what: &LineEvent, rules: &ReplyRules) {
        match what {
            LineEvent::Forwarded => self.delivered = self.delivered.map(|copies| copies + 1),
            LineEvent::Replied(line) => {
                self.answered = Some(true);
                self.replied(Said::of_line(line, rules));
            }
            LineEvent::Given(line) => {
                let failure = self.give(Said::of_line(line, rules));
                self.status = Some(LINE);
                self.client_saw(failure.map_or(Symptom::Ok, |_| Symptom::ServerError));
            }
            LineEvent::GivenError => {
                self.status = Some(LINE);
                self.client_saw(Symptom::ServerError);
            }
            LineEvent::Torn { bytes } => {
                self.add_note(&format!("the line was cut after {bytes} bytes"));
                self.client_saw(Symptom::Truncated);
            }
            LineEvent::Closed { why } => {
                self.add_note(why);
                self.client_saw(Symptom::Closed);
            }
            LineEvent::ClientGone => {
                self.add_note("the client gave up");
                self.client_saw(Symptom::ReadTimeout);
            }
        }
    }

    /// The proxy ends with this exchange under way: the client's connection closes if it is still there.
    pub fn stopped(&mut self) {
        if self.symptom.is_none() {
            self.add_note("the proxy was stopped");
            self.client_saw(Symptom::Closed);
        }
    }

    /// What came first is what the client saw.
    fn client_saw(&mut self, symptom: Symptom) {
        self.kind = Some(self.symptom.get_or_insert(symptom).kind());
    }

    /// A second reply is that of a request delivered twice.
    fn replied(&mut self, mut said: Said) {
        if self.upstream_status.is_some() {
            let first = shown(self.upstream_status, self.receipt.as_deref());
            let second = shown(said.status, said.receipt.as_deref());
            self.add_note(&format!("delivered twice, replied {first} and {second}"));
            // Of two copies one may be the other's replay, which says nothing of an earlier use of the key.
            said.replay = said.replay.map(|replay| replay && self.replay == Some(true));
            self.unheard_receipt = self.receipt.take().filter(|first| Some(first) != said.receipt.as_ref());
        }
        if let Some(failure) = &said.failure {
            self.add_note(failure);
        }
        self.receipt_heard = said.receipt.as_ref().map(|_| false);
        self.upstream_status = said.status;
        self.receipt = said.receipt;
        self.replay = said.replay;
        // It is the replay of the attempt that overtook it, and no earlier use of the key.
        if self.fault == FaultName::LateArrival && self.replay.take() == Some(true) {
            self.add_note("answered as a replay");
        }
    }

    /// The client is given a reply of the server, which was taken in when it came.
    /// Gives the failure that its status does not show.
    fn give(&mut self, said: Said) -> Option<String> {
        if self.unheard_receipt.is_some() && self.unheard_receipt == said.receipt {
            std::mem::swap(&mut self.unheard_receipt, &mut self.receipt);
        }
        self.receipt_heard = None;
        self.upstream_status = said.status;
        said.failure
    }

    fn add_note(&mut self, text: &str) {
        match &mut self.note {
            Some(note) => *note += &format!("; {text}"),
            None => self.note = Some(text.to_owned()),
        }
    }
}

fn shown(status: Option<u16>, receipt: Option<&str>) -> String {
    let status = status.map_or_else(|| "without a status".to_owned(), |status| status.to_string());
    receipt.map_or(status.clone(), |receipt| format!("{status} with receipt {receipt}"))
}
