//! What a target's reply to one attempt says. Invariant: only a whole reply is a success, and a status alone decides no
//! verdict: it says whether to go on asking.

use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::http::client::{Outcome, Reply};
use crate::http::retry_after::RetryAfter;
use crate::mcp::call;
use crate::mcp::message::code;
use crate::mcp::reply::Told;
use crate::target::request::template::Template;
use crate::terms::outcome::Symptom;

/// How a reply counts for the invariants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A whole 2xx, and true at --success-at where that is given.
    Success,
    /// A 409 that names the receipt: a replay in other clothes.
    Named,
    /// 202, 409, 423, 425, 408 or 429: ask again.
    InFlight,
    /// 5xx.
    Failure,
    /// Any other whole reply.
    Refusal,
    /// A tool that does nothing before its client has answered it something.
    Asks,
    /// No whole reply came in time. A connection that is not taken in time is silence too: that is how a target looks
    /// whose only thread hangs.
    Silence,
    /// Never sent: the connection was refused, or there is no way to the target.
    Unsent,
    /// The prober took the connection away itself, or kept the request from the target.
    Withheld,
}

/// One reply, as far as it matters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub class: Class,
    /// None where no head came.
    pub status: Option<u16>,
    /// None where the reply names none.
    pub receipt: Option<String>,
    /// The body's beginning, or what the transport said.
    pub text: String,
    pub retry_after: Option<Duration>,
    /// A header that marks replays, as the target spells it.
    pub marker: Option<String>,
}

/// How the text of a tool's own failure begins.
pub const FAILED: &str = "isError: ";

/// Headers by which servers mark a replay, and the values that say no.
const MARKERS: [&str; 5] = [
    "idempotent-replayed",
    "idempotency-replayed",
    "x-idempotent-replayed",
    "x-idempotency-replayed",
    "idempotent-replay",
];

impl Answer {
    pub fn of(outcome: &Outcome, template: &Template, success_status: Option<u16>) -> Answer {
        if let Some((reply, told)) = template.tool.as_ref().and_then(|_| call::told(outcome)) {
            return Answer::of_tool(reply, told, template);
        }
        match &outcome.reply {
            Some(reply) if outcome.symptom == Symptom::of_status(reply.status) => {
                Answer::whole(reply, template, success_status)
            }
            broken => Answer {
                class: if never_sent(outcome.symptom) { Class::Unsent } else { Class::Silence },
                status: broken.as_ref().map(|reply| reply.status),
                receipt: None,
                text: outcome.detail.clone().unwrap_or_else(|| outcome.symptom.to_string()),
                retry_after: None,
                marker: None,
            },
        }
    }

    /// What became of a 202, once its status URL says that it is done: the receipt is there, or in the 202 itself.
    pub fn done(self, status: &Reply, template: &Template) -> Answer {
        let document: Option<Value> = serde_json::from_slice(&status.body).ok();
        let named = document.zip(template.receipt_at.as_deref()).and_then(|(document, at)| name(document.pointer(at)?));
        let text = beginning(&String::from_utf8_lossy(&status.body));
        Answer { class: Class::Success, receipt: named.or(self.receipt), text, ..self }
    }

    /// For an attempt whose reply nobody was to see.
    pub fn withheld(why: &str) -> Answer {
        let text = why.to_string();
        Answer { class: Class::Withheld, status: None, receipt: None, text, retry_after: None, marker: None }
    }

    /// What a tool's call came to. A status beside an error of the protocol may ask to come again, as without tools.
    fn of_tool(reply: &Reply, told: Told, template: &Template) -> Answer {
        let plain = Answer { receipt: None, marker: None, ..Answer::whole(reply, template, None) };
        let of = |class, text: String| Answer { class, text: beginning(&text), ..plain.clone() };
        match told {
            Told::Done(said) => {
                let text = said.to_string();
                let body = Reply { body: text.clone().into_bytes(), ..reply.clone() };
                Answer { text: beginning(&text), ..Answer::whole(&body, template, None) }
            }
            Told::Failed(text) => of(Class::Refusal, format!("{FAILED}{text}")),
            Told::Refused(fault) => {
                let is_internal = fault.code == code::INTERNAL && reply.status < 300;
                let by_status = if reply.status < 300 { Class::Refusal } else { plain.class };
                let class = if is_internal { Class::Failure } else { by_status };
                of(class, format!("error {}: {}", fault.code, fault.message))
            }
            Told::Asks { requests, .. } => of(Class::Asks, format!("input_required: {requests}")),
        }
    }

    fn whole(reply: &Reply, template: &Template, success_status: Option<u16>) -> Answer {
        let document: Option<Value> = serde_json::from_slice(&reply.body).ok();
        let at = |pointer: &str| document.as_ref().and_then(|d| d.pointer(pointer));
        let receipt = template.receipt_at.as_deref().and_then(at).and_then(name);
        let denied = template.success_at.as_ref().is_some_and(|expected| !expected.is_met(document.as_ref()));
        // 202 says "not done yet" (RFC 9110, 15.3.3), unless that is how this target answers a charge.
        let is_plain = success_status == Some(202) || template.receipt_at.is_none();
        let is_asked_for = template.poll.is_some();
        let later = reply.status == 202 && (is_asked_for || receipt.is_none() && !is_plain);
        let class = match (reply.status, &receipt) {
            (202, _) if later => Class::InFlight,
            (200..=299, _) if denied => Class::Refusal,
            (200..=299, _) => Class::Success,
            (409, Some(_)) => Class::Named,
            (408 | 409 | 423 | 425 | 429, _) => Class::InFlight,
            (500..=599, _) => Class::Failure,
            _ => Class::Refusal,
        };
        let retry_after = reply.header("retry-after").and_then(RetryAfter::parse).map(|r| r.wait(SystemTime::now()));
        let text = beginning(&String::from_utf8_lossy(&reply.body));
        Answer { class, status: Some(reply.status), receipt, text, retry_after, marker: marker(reply) }
    }

    /// Whether the intent is settled for the client.
    pub fn settles(&self) -> bool {
        matches!(self.class, Class::Success | Class::Named)
    }

    /// A conflict or the like, to be asked again. A 202 is none: it says that the request was taken (RFC 9110, 15.3.3).
    pub fn refuses_for_now(&self) -> bool {
        self.class == Class::InFlight && self.status != Some(202)
    }

    /// As a time line shows it, with the receipt under the name that the case gave it.
    pub fn line(&self, receipt: Option<&str>) -> String {
        match (self.status, self.class) {
            (_, Class::Withheld) => self.text.clone(),
            (None, _) => format!("no reply: {}", self.text),
            (Some(status), Class::Silence) => format!("{status}, broken off: {}", self.text),
            (Some(status), _) => match receipt {
                Some(receipt) => format!("{status} receipt {receipt}"),
                None => format!("{status} {}", self.text.replace(['\r', '\n'], " ")),
            },
        }
    }
}

/// So many characters of a body are kept.
const KEPT: usize = 120;

/// The body's beginning, without the half of a word that it would end with: what is masked in a report, is masked whole.
fn beginning(body: &str) -> String {
    let is_of_word = |c: char| c.is_alphanumeric() || "+/_=.-~%".contains(c);
    match body.char_indices().nth(KEPT) {
        None => body.to_string(),
        Some((end, _)) => body.get(..end).unwrap_or(body).trim_end_matches(is_of_word).to_string(),
    }
}

/// Unknown is a connect that failed by our own fault, as without descriptors: that is not the target's silence.
fn never_sent(symptom: Symptom) -> bool {
    matches!(symptom, Symptom::Refused | Symptom::Unreachable | Symptom::Tls | Symptom::Unknown)
}

/// A receipt as text; None for what is no name.
fn name(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

fn marker(reply: &Reply) -> Option<String> {
    let is_marker = |name: &str| MARKERS.iter().any(|m| name.eq_ignore_ascii_case(m));
    let (name, value) = reply.headers.iter().find(|(name, _)| is_marker(name))?;
    let value = String::from_utf8_lossy(value);
    (!value.trim().eq_ignore_ascii_case("false")).then(|| format!("{name}: {}", value.trim()))
}

#[cfg(test)]
mod tests;
