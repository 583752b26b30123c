//! What a charge request must be. Invariant: only a whole, well-formed request becomes a `ChargeRequest`.

use std::time::Duration;

use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::{Body, Bytes};
use hyper::header::{CONTENT_LENGTH, CONTENT_TYPE};
use hyper::http::request::Parts;
use hyper::{Method, Request, StatusCode};
use serde::Deserialize;
use serde_json::Value;

use super::policy::Policy;
use super::problem::Problem;

/// The largest request body, bytes.
pub const BODY_LIMIT: usize = 64 * 1024;

/// A charge asked for: the intent and, where one came, its idempotency key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChargeRequest {
    pub intent: String,
    /// Minor units.
    pub amount: i64,
    pub key: Option<String>,
}

#[derive(Deserialize)]
struct Fields {
    intent: String,
    amount: i64,
}

/// Reads a request to its end, its body within `patience`. Errors: the problem to answer with; none of them charges.
pub async fn read<B>(request: Request<B>, policy: Policy, patience: Duration) -> Result<ChargeRequest, Problem>
where
    B: Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let (parts, body) = request.into_parts();
    check_head(&parts)?;
    let key = idempotency_key(&parts, policy)?;
    let body = whole_body(body, patience).await?;
    let fields = parse(&body)?;
    Ok(ChargeRequest { intent: fields.intent, amount: fields.amount, key })
}

/// A body to its end, within `patience`. Errors: the problem to answer with.
pub async fn whole_body<B>(body: B, patience: Duration) -> Result<Bytes, Problem>
where
    B: Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let body = tokio::time::timeout(patience, Limited::new(body, BODY_LIMIT).collect())
        .await
        .map_err(|_| Problem::new(StatusCode::REQUEST_TIMEOUT, "the body did not come in time"))?
        .map_err(|error| match error.downcast_ref::<LengthLimitError>() {
            Some(_) => too_large(),
            None => Problem::new(StatusCode::BAD_REQUEST, "the body ended early"),
        })?;
    Ok(body.to_bytes())
}

impl ChargeRequest {
    /// A charge as a tool is asked for it, with the key in one of its arguments. Errors: the problem to tell; nothing is
    /// charged.
    pub fn of_arguments(arguments: &Value, key: &str, policy: Policy) -> Result<ChargeRequest, Problem> {
        let bad = |detail: String| Problem::new(StatusCode::BAD_REQUEST, detail);
        let fields = parse(arguments.to_string().as_bytes())?;
        let key = match arguments.get(key) {
            Some(Value::String(own)) if !own.trim().is_empty() => Some(own.clone()),
            Some(_) => return Err(bad(format!("{key} is not a text"))),
            None if policy.needs_key() => return Err(bad(format!("{key} is missing"))),
            None => None,
        };
        Ok(ChargeRequest { intent: fields.intent, amount: fields.amount, key })
    }
}

fn check_head(parts: &Parts) -> Result<(), Problem> {
    if parts.uri.path() != "/charges" {
        return Err(Problem::new(StatusCode::NOT_FOUND, "there is only /charges here"));
    }
    if parts.method != Method::POST {
        return Err(Problem::new(StatusCode::METHOD_NOT_ALLOWED, "a charge is made by POST"));
    }
    let media_type = parts.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or("");
    let essence = media_type.split(';').next().unwrap_or("").trim();
    if !essence.eq_ignore_ascii_case("application/json") {
        return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "the body must be application/json"));
    }
    let announced = parts.headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    match announced {
        Some(length) if length > BODY_LIMIT as u64 => Err(too_large()),
        _ => Ok(()),
    }
}

fn too_large() -> Problem {
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, format!("the body is larger than {BODY_LIMIT} bytes"))
}

/// The idempotency key. Several field lines, or an empty value, are refused: which of them is meant cannot be known.
fn idempotency_key(parts: &Parts, policy: Policy) -> Result<Option<String>, Problem> {
    let mut values = parts.headers.get_all("idempotency-key").iter();
    let (first, more) = (values.next(), values.next());
    let bad = |detail: &str| Err(Problem::new(StatusCode::BAD_REQUEST, detail));
    match (first, more) {
        (None, _) if policy.needs_key() => bad("the Idempotency-Key header is missing"),
        (None, _) => Ok(None),
        (Some(_), Some(_)) => bad("there is more than one Idempotency-Key"),
        (Some(value), None) => match value.to_str() {
            Ok(key) if !key.trim().is_empty() => Ok(Some(key.trim().to_owned())),
            Ok(_) => bad("the Idempotency-Key is empty"),
            Err(_) => bad("the Idempotency-Key is not visible ASCII"),
        },
    }
}

fn parse(body: &[u8]) -> Result<Fields, Problem> {
    let fields: Fields = serde_json::from_slice(body).map_err(|error| {
        let hint = if error.is_data() { "; intent is a string, amount an integer of minor units" } else { "" };
        Problem::new(StatusCode::BAD_REQUEST, format!("malformed body: {error}{hint}"))
    })?;
    if fields.intent.trim().is_empty() {
        return Err(Problem::new(StatusCode::BAD_REQUEST, "malformed body: the intent is empty"));
    }
    Ok(fields)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_tools_key_is_an_argument_and_is_missed_where_the_policy_needs_one() {
        let of =
            |arguments: Value, policy| ChargeRequest::of_arguments(&arguments, "k", policy).map(|charge| charge.key);
        let order = |key: Value| json!({"intent": "a", "amount": 1, "k": key});
        assert_eq!(of(order(json!("x")), Policy::KeyAtomic), Ok(Some("x".into())));
        assert_eq!(of(json!({"intent": "a", "amount": 1}), Policy::Naive), Ok(None));
        for arguments in [json!({"intent": "a", "amount": 1}), order(json!("")), order(json!(7)), json!({"k": "x"})] {
            let status = of(arguments.clone(), Policy::KeyAtomic).map_err(|problem| problem.status);
            assert_eq!(status, Err(StatusCode::BAD_REQUEST), "{arguments}");
        }
    }

    #[test]
    fn an_amount_is_a_whole_number_of_minor_units() {
        assert_eq!(parse(br#"{"intent":"a","amount":1000}"#).map(|fields| fields.amount), Ok(1000));
        for body in [
            r#"{"intent":"a","amount":10.5}"#,
            r#"{"intent":"a","amount":1000.0}"#,
            r#"{"intent":"a","amount":"1000"}"#,
            r#"{"intent":"a"}"#,
            r#"{"amount":1000}"#,
            r#"{"intent":"","amount":1}"#,
            r#"{"intent":"a","amount":1"#,
            "[]",
            "",
        ] {
            let status = parse(body.as_bytes()).map(|_| ()).map_err(|problem| problem.status);
            assert_eq!(status, Err(StatusCode::BAD_REQUEST), "{body}");
        }
    }
}
