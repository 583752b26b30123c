//! What a reply of the server says about its charge. Invariant: a tool's failure, or the protocol's, is not a success, and
//! proves not that nothing happened either.

use std::borrow::Cow;

use serde_json::Value;

use super::place::json_name;
use crate::http::client::Reply;
use crate::http::message::Message;
use crate::mcp::message::Message as JsonRpc;
use crate::mcp::reply::{Told, response};
use crate::text::pointer::Pointer;

/// Where replies say what they say.
#[derive(Clone, Debug)]
pub struct ReplyRules {
    /// In the body, or in what a tool says.
    pub receipt_at: Pointer,
    /// Whether replies are those of the Model Context Protocol.
    pub of_tools: bool,
}

/// What a reply says about its charge.
pub struct Said {
    pub status: Option<u16>,
    pub receipt: Option<String>,
    /// None where the reply does not say.
    pub replay: Option<bool>,
    /// Of a tool or of the protocol, behind a status that says nothing of it; None where there is none.
    pub failure: Option<String>,
}

impl Said {
    pub fn of(reply: &Message, rules: &ReplyRules) -> Said {
        let content = reply.content().unwrap_or_default();
        let told = rules.of_tools.then(|| told(reply, &content)).flatten();
        let marked = reply.head.get("idempotent-replayed").map(|value| value.eq_ignore_ascii_case(b"true"));
        Said { status: reply.head.status(), ..Said::told(content, told, marked, rules) }
    }

    /// What a line of a server on standard streams says.
    pub fn of_line(line: &[u8], rules: &ReplyRules) -> Said {
        let told = match JsonRpc::parse(line) {
            Ok(JsonRpc::Response { result, .. }) => Some(Told::of(result)),
            Ok(JsonRpc::Request { .. } | JsonRpc::Notification { .. }) | Err(_) => None,
        };
        Said::told(line.into(), told, None, rules)
    }

    fn told(content: Cow<[u8]>, told: Option<Told>, marked: Option<bool>, rules: &ReplyRules) -> Said {
        let (content, failure) = match told {
            Some(Told::Done(said)) => (said.to_string().into_bytes().into(), None),
            Some(Told::Failed(text)) => (content, Some(format!("isError: {text}"))),
            Some(Told::Refused(fault)) => (content, Some(format!("error {}: {}", fault.code, fault.message))),
            Some(Told::Asks { .. }) => (content, Some("input_required".to_owned())),
            None => (content, None),
        };
        let body: Option<Value> = serde_json::from_slice(&content).ok();
        Said {
            status: None,
            receipt: json_name(&content, &rules.receipt_at),
            replay: marked.or_else(|| body.as_ref()?.get("replay")?.as_bool()),
            failure,
        }
    }
}

/// What the response in a reply tells; None where there is none.
fn told(reply: &Message, content: &[u8]) -> Option<Told> {
    let headers = reply.head.headers.clone();
    let reply = Reply { status: reply.head.status()?, headers, body: content.to_vec() };
    response(&reply).map(Told::of)
}
