//! The tool: how it describes itself, and what comes of a call. Invariant: hints are what the user told the server to
//! claim; they change nothing that it does.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::mcp::message::{Fault, code};
use crate::mcp::version::Version;
use crate::server::policy::Policy;
use crate::server::problem::Problem;
use crate::server::request::ChargeRequest;
use crate::server::service::ChargeService;
use crate::server::store::Settled;
use crate::terms::named::named_enum;

named_enum! {
    /// What the tool claims of itself.
    pub enum Hints {
        /// What holds of the policy: key_atomic and key_durable claim `idempotentHint`, the others do not.
        True = "true",
        /// No annotations at all.
        None = "none",
        /// `idempotentHint: true`, whatever the policy.
        Idempotent = "idempotent",
        /// `readOnlyHint: true`, which is false under every policy.
        ReadOnly = "read-only",
    }
}

/// What the server says of itself and how it answers.
#[derive(Clone, Copy, Debug)]
pub struct Tool {
    pub hints: Hints,
    /// The only revision that it speaks; None for all.
    pub only: Option<Version>,
    /// Whether it answers calls by an event stream, after a notification of progress.
    pub streams: bool,
    /// Whether it asks its client to confirm, by the revisions that have a result for it.
    pub asks: bool,
}

pub const NAME: &str = "charge";

/// The revisions of which idem's server speaks all or one.
pub const SPOKEN: [Version; 3] = [Version::V20260728, Version::V20251125, Version::V20250618];

impl Tool {
    pub fn speaks(&self, version: Version) -> bool {
        SPOKEN.contains(&version) && self.only.is_none_or(|only| only == version)
    }

    /// The revisions it speaks, the newest first.
    pub fn versions(&self) -> Vec<Version> {
        SPOKEN.into_iter().filter(|version| self.speaks(*version)).collect()
    }

    /// As `tools/list` gives it.
    pub fn description(&self, policy: Policy) -> Value {
        let required = if policy.needs_key() { vec!["intent", "amount", KEY] } else { vec!["intent", "amount"] };
        let mut tool = json!({
            "name": NAME,
            "title": "Charge",
            "description": format!("Charges an amount for an intent, once for each line of the ledger (policy {})", policy.name()),
            "inputSchema": {
                "type": "object",
                "properties": {
                    "intent": {"type": "string", "description": "what is paid for"},
                    "amount": {"type": "integer", "description": "minor units"},
                    KEY: {"type": "string", "description": "the same for each retry of one charge"},
                },
                "required": required,
            },
        });
        if let Some(annotations) = self.annotations(policy) {
            tool["annotations"] = annotations;
        }
        tool
    }

    fn annotations(&self, policy: Policy) -> Option<Value> {
        let claim =
            |idempotent: bool| json!({"readOnlyHint": false, "destructiveHint": true, "idempotentHint": idempotent});
        match self.hints {
            Hints::True => Some(claim(repeats_are_harmless(policy))),
            Hints::None => None,
            Hints::Idempotent => Some(claim(true)),
            Hints::ReadOnly => Some(json!({"readOnlyHint": true})),
        }
    }
}

const KEY: &str = "idempotency_key";

/// Whether a repeat with the same arguments has no additional effect, as `idempotentHint` claims; always, not most times.
fn repeats_are_harmless(policy: Policy) -> bool {
    match policy {
        Policy::KeyAtomic | Policy::KeyDurable => true,
        Policy::Naive | Policy::KeyRacy { .. } | Policy::KeyTtl { .. } | Policy::ContentHash => false,
    }
}

/// The name of the question.
const CONFIRM: &str = "confirm";

fn question() -> Value {
    let schema = json!({"type": "object", "properties": {"sure": {"type": "boolean"}}, "required": ["sure"]});
    let params = json!({"mode": "form", "message": "Charge this?", "requestedSchema": schema});
    let asked = json!({CONFIRM: {"method": "elicitation/create", "params": params}});
    json!({"resultType": "input_required", "inputRequests": asked, "requestState": "asked"})
}

/// What comes of `tools/call`; with `is_asking` only once the client has answered.
///
/// # Errors
/// The protocol's own: there is no such tool.
pub async fn call(service: Arc<ChargeService>, params: &Value, is_asking: bool) -> Result<Value, Fault> {
    let name = params.get("name").and_then(Value::as_str).unwrap_or_default();
    if name != NAME {
        return Err(Fault::new(code::INVALID_PARAMS, format!("no such tool: {name}; there is only {NAME} here")));
    }
    let arguments = params.get("arguments").unwrap_or(&Value::Null);
    if is_asking && params.get("inputResponses").and_then(|given| given.get(CONFIRM)).is_none() {
        return Ok(question());
    }
    let charge = ChargeRequest::of_arguments(arguments, KEY, service.policy());
    Ok(match charge {
        Ok(charge) => {
            service.commit(charge).await.map_or_else(|problem| failure(&problem), |settled| success(&settled))
        }
        Err(problem) => failure(&problem),
    })
}

fn success(settled: &Settled) -> Value {
    let content = json!({"receipt": settled.charge.receipt, "replay": settled.replay});
    let text = content.to_string();
    json!({"content": [{"type": "text", "text": text}], "structuredContent": content, "isError": false})
}

/// The tool's own failure; nothing was charged.
fn failure(problem: &Problem) -> Value {
    let text = format!("{}: {}", problem.status.as_u16(), problem.detail);
    json!({"content": [{"type": "text", "text": text}], "isError": true})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hint(hints: Hints, policy: Policy) -> Value {
        let tool = Tool { hints, only: None, streams: false, asks: false };
        tool.description(policy).pointer("/annotations/idempotentHint").cloned().unwrap_or_default()
    }

    #[test]
    fn true_hints_are_those_of_the_policy_and_others_are_what_they_are_named_for() {
        for policy in Policy::ALL {
            let kept = matches!(policy.name(), "key_atomic" | "key_durable");
            assert_eq!(hint(Hints::True, policy), json!(kept), "{}", policy.name());
            assert_eq!(hint(Hints::Idempotent, policy), json!(true));
            assert_eq!(hint(Hints::None, policy), Value::Null);
        }
        let tool = Tool { hints: Hints::ReadOnly, only: None, streams: false, asks: false };
        assert_eq!(tool.description(Policy::Naive)["annotations"], json!({"readOnlyHint": true}));
    }
}
