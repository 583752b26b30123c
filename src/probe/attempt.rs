//! An attempt of an intent as reported: what the client read, and what the retry table advises. Invariant: a 2xx that
//! names no charge is not taken for one.

use std::net::SocketAddr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::http::client::{Outcome, Request};
use crate::terms::intent::Intent;
use crate::terms::outcome::{Kind, Symptom};

/// One attempt as reported.
#[derive(Clone, Debug, Serialize)]
pub struct ReadAttempt {
    pub intent: String,
    /// Counted from 1; simultaneous attempts share a number.
    pub attempt: u32,
    pub key: Option<String>,
    /// None where no reply came.
    pub status: Option<u16>,
    pub kind: Kind,
    pub symptom: Symptom,
    /// Whether the retry table advises another attempt.
    pub retry: bool,
    /// None where no charge was named.
    pub replay: Option<bool>,
    pub receipt: Option<String>,
    #[serde(skip)]
    pub elapsed: Duration,
}

impl ReadAttempt {
    /// The order of every report: by intent, attempt, replay, receipt.
    pub fn order(&self) -> impl Ord {
        (&self.intent, self.attempt, self.replay, self.receipt.as_deref())
    }
}

/// The request for a charge at the charge server.
pub fn request(address: SocketAddr, intent: &Intent, key: Option<&str>) -> Request {
    let mut headers = vec![("Content-Type".to_owned(), b"application/json".to_vec())];
    headers.extend(key.map(|key| ("Idempotency-Key".to_owned(), key.as_bytes().to_vec())));
    Request {
        method: "POST".to_owned(),
        host: address.to_string(),
        target: "/charges".to_owned(),
        headers,
        body: intent.body().into_bytes(),
    }
}

/// The charge that a reply names.
#[derive(Deserialize)]
struct Named {
    receipt: String,
    replay: bool,
}

/// Reads an outcome as a charge server's answer.
pub fn record(intent: &Intent, attempt: u32, key: Option<String>, outcome: &Outcome) -> ReadAttempt {
    let body = outcome.reply.as_ref().filter(|_| outcome.symptom == Symptom::Ok).map(|reply| &reply.body);
    let named = body.map(|body| serde_json::from_slice::<Named>(body));
    // A 2xx that names no charge is not an answer.
    let symptom = if matches!(named, Some(Err(_))) { Symptom::BadReply } else { outcome.symptom };
    let named = named.and_then(Result::ok);
    ReadAttempt {
        intent: intent.name.clone(),
        attempt,
        key,
        status: outcome.reply.as_ref().map(|reply| reply.status),
        kind: symptom.kind(),
        symptom,
        retry: symptom.advice().action.retries(),
        replay: named.as_ref().map(|named| named.replay),
        receipt: named.map(|named| named.receipt),
        elapsed: outcome.elapsed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::client::Reply;

    #[test]
    fn only_a_whole_success_names_a_charge() {
        const NAMED: &str = r#"{"receipt":"r","replay":true}"#;
        for (symptom, status, body, read, names) in [
            (Symptom::Ok, 200, NAMED, Symptom::Ok, true),
            (Symptom::Ok, 200, r#"{"receipt":"r"}"#, Symptom::BadReply, false),
            (Symptom::Ok, 204, "", Symptom::BadReply, false),
            (Symptom::Truncated, 200, NAMED, Symptom::Truncated, false),
            (Symptom::ServerError, 503, NAMED, Symptom::ServerError, false),
            (Symptom::Conflict, 409, "", Symptom::Conflict, false),
        ] {
            let reply = Some(Reply { status, headers: Vec::new(), body: body.into() });
            let outcome = Outcome { symptom, reply, detail: None, elapsed: Duration::ZERO };
            let intent = Intent { name: "a".to_owned(), amount: 1 };
            let recorded = record(&intent, 1, None, &outcome);
            assert_eq!((recorded.symptom, recorded.kind), (read, read.kind()), "{symptom} {body}");
            assert_eq!((recorded.receipt.is_some(), recorded.replay.is_some()), (names, names), "{symptom} {body}");
            assert_eq!(recorded.status, Some(status));
        }
    }
}
