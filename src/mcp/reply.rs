//! What a reply to a request says. Invariant: neither the tool's failure nor the protocol's proves that nothing happened,
//! and a result of a kind that is not known is not a result.

use serde_json::{Value, json};

use super::events;
use super::message::{Fault, Message, code};
use crate::http::client::Reply;

/// The response in a reply, as JSON or as an event of a stream, whatever became of the stream behind it; None where there
/// is no whole one.
pub fn response(reply: &Reply) -> Option<Result<Value, Fault>> {
    let of = |bytes: &[u8]| match Message::parse(bytes) {
        Ok(Message::Response { result, .. }) => Some(result),
        Ok(Message::Request { .. } | Message::Notification { .. }) | Err(_) => None,
    };
    if is_stream(reply) {
        return events::data(&reply.body).iter().find_map(|data| of(data.as_bytes()));
    }
    of(&reply.body)
}

/// Whether a reply is an event stream.
pub fn is_stream(reply: &Reply) -> bool {
    let kind = reply.header("content-type").and_then(|kind| kind.split(';').next()).unwrap_or_default();
    kind.trim().eq_ignore_ascii_case("text/event-stream")
}

/// What became of a tool's call.
#[derive(Clone, Debug, PartialEq)]
pub enum Told {
    /// It is done: what the tool says.
    Done(Value),
    /// `isError`: the tool says that it failed.
    Failed(String),
    /// An error of the protocol.
    Refused(Fault),
    /// It goes on only when the client has answered.
    Asks { requests: Value, state: Value },
}

impl Told {
    pub fn of(response: Result<Value, Fault>) -> Told {
        let result = match response {
            Ok(result) => result,
            Err(fault) => return Told::Refused(fault),
        };
        let field = |name: &str| result.get(name).cloned().unwrap_or(Value::Null);
        match result.get("resultType").map(|kind| kind.as_str().unwrap_or_default()) {
            // Revision 2026-07-28, "ResultType": without one it is complete; one that is not known is invalid.
            None | Some("complete") => {}
            Some("input_required") => {
                return Told::Asks { requests: field("inputRequests"), state: field("requestState") };
            }
            Some(other) => {
                return Told::Refused(Fault::new(code::INVALID_REQUEST, format!("a result of the kind {other:?}")));
            }
        }
        if field("isError") == json!(true) {
            return Told::Failed(text(&result).unwrap_or_default());
        }
        Told::Done(said(&result))
    }
}

/// Structured content; else the first text, if it is JSON; else the result as it is.
fn said(result: &Value) -> Value {
    let structured = result.get("structuredContent").filter(|content| !content.is_null()).cloned();
    let read = || serde_json::from_str(&text(result)?).ok();
    structured.or_else(read).unwrap_or_else(|| result.clone())
}

fn text(result: &Value) -> Option<String> {
    let contents = result.get("content")?.as_array()?;
    contents.iter().find_map(|content| Some(content.get("text")?.as_str()?.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(content_type: &str, body: &str) -> Reply {
        let headers = vec![("Content-Type".to_owned(), content_type.as_bytes().to_vec())];
        Reply { status: 200, headers, body: body.as_bytes().to_vec() }
    }

    #[test]
    fn a_response_is_found_in_either_form() {
        let message = r#"{"jsonrpc":"2.0","id":1,"result":{"a":1}}"#;
        let progress = r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{}}"#;
        let stream = format!("id: 1\ndata:\n\ndata: {progress}\n\ndata: {message}\n\n");
        for reply in [reply("application/json; charset=utf-8", message), reply("Text/Event-Stream", &stream)] {
            assert_eq!(response(&reply), Some(Ok(json!({"a": 1}))));
        }
        for cut in [reply("text/event-stream", stream.trim_end()), reply("application/json", progress)] {
            assert_eq!(response(&cut), None);
        }
    }

    #[test]
    fn what_a_tool_says_is_where_it_is_readable() {
        let told = |result: Value| Told::of(Ok(result));
        let texts = json!([{"type": "image"}, {"type": "text", "text": "{\"r\":1}"}]);
        assert_eq!(told(json!({"content": texts, "structuredContent": {"r": 2}})), Told::Done(json!({"r": 2})));
        assert_eq!(told(json!({"content": texts, "structuredContent": null})), Told::Done(json!({"r": 1})));
        let plain = json!({"content": [{"type": "text", "text": "done"}]});
        assert_eq!(told(plain.clone()), Told::Done(plain));
        let failed = json!({"content": [{"type": "text", "text": "no"}], "isError": true});
        assert_eq!(told(failed), Told::Failed("no".into()));
    }

    #[test]
    fn only_a_complete_result_is_done() {
        let asks = json!({"resultType": "input_required", "inputRequests": {"q": 1}, "requestState": "s"});
        assert_eq!(Told::of(Ok(asks)), Told::Asks { requests: json!({"q": 1}), state: json!("s") });
        assert!(matches!(Told::of(Ok(json!({"resultType": "task"}))), Told::Refused(_)));
        assert!(matches!(Told::of(Ok(json!({"resultType": 7}))), Told::Refused(_)));
        assert_eq!(Told::of(Ok(json!({"resultType": "complete"}))), Told::Done(json!({"resultType": "complete"})));
    }
}
