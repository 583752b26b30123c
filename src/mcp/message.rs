//! JSON-RPC 2.0 messages. Invariant: what is neither a request nor a notification nor a response is refused with the code
//! that the standard has for it.

use serde_json::{Value, json};

/// Codes of JSON-RPC 2.0, section 5.1, and of revision 2026-07-28, "Error Codes".
pub mod code {
    pub const PARSE: i64 = -32700;
    pub const INVALID_REQUEST: i64 = -32600;
    pub const METHOD_NOT_FOUND: i64 = -32601;
    pub const INVALID_PARAMS: i64 = -32602;
    pub const INTERNAL: i64 = -32603;
    pub const HEADER_MISMATCH: i64 = -32020;
    pub const MISSING_CAPABILITY: i64 = -32021;
    pub const UNSUPPORTED_VERSION: i64 = -32022;
}

/// Why a request got no result.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    pub code: i64,
    pub message: String,
    /// Null where nothing more is said.
    pub data: Value,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({})", self.message, self.code)
    }
}

impl std::error::Error for Fault {}

impl Fault {
    pub fn new(code: i64, message: impl Into<String>) -> Fault {
        Fault { code, message: message.into(), data: Value::Null }
    }
}

/// One message.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    Request { id: Value, method: String, params: Value },
    Notification { method: String, params: Value },
    Response { id: Value, result: Result<Value, Fault> },
}

impl Message {
    /// # Errors
    /// The error to answer with.
    pub fn parse(bytes: &[u8]) -> Result<Message, Fault> {
        let message: Value =
            serde_json::from_slice(bytes).map_err(|why| Fault::new(code::PARSE, format!("not JSON: {why}")))?;
        Message::of(&message)
    }

    /// # Errors
    /// As [`Message::parse`].
    pub fn of(message: &Value) -> Result<Message, Fault> {
        let invalid = |why: &str| Fault::new(code::INVALID_REQUEST, why);
        if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
            return Err(invalid("not a message of JSON-RPC 2.0"));
        }
        let id = message.get("id").cloned();
        if id.as_ref().is_some_and(|id| !id.is_string() && !id.is_number() && !id.is_null()) {
            return Err(invalid("an id is a string or a number"));
        }
        let Some(method) = message.get("method") else { return response(message, id.unwrap_or(Value::Null)) };
        let method = method.as_str().ok_or_else(|| invalid("a method is a string"))?.to_owned();
        let params = message.get("params").cloned().unwrap_or(Value::Null);
        match id {
            None => Ok(Message::Notification { method, params }),
            // Unlike JSON-RPC's, a request's id of this protocol is not null.
            Some(Value::Null) => Err(invalid("an id is a string or a number")),
            Some(id) => Ok(Message::Request { id, method, params }),
        }
    }
}

fn response(message: &Value, id: Value) -> Result<Message, Fault> {
    let invalid = |why: &str| Fault::new(code::INVALID_REQUEST, why);
    let result = match (message.get("result"), message.get("error")) {
        (Some(result), None) => Ok(result.clone()),
        (None, Some(error)) => Err(Fault {
            code: error.get("code").and_then(Value::as_i64).ok_or_else(|| invalid("an error without a code"))?,
            message: error.get("message").and_then(Value::as_str).unwrap_or_default().to_owned(),
            data: error.get("data").cloned().unwrap_or(Value::Null),
        }),
        (None, None) | (Some(_), Some(_)) => return Err(invalid("neither a request nor a response")),
    };
    Ok(Message::Response { id, result })
}

/// A response to the request of this id; null where it could not be read.
pub fn answer(id: &Value, result: Result<Value, Fault>) -> Value {
    match result {
        Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Err(Fault { code, message, data: Value::Null }) => {
            json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
        }
        Err(Fault { code, message, data }) => {
            json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message, "data": data}})
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_told_by_its_fields() {
        let parsed = |text: &str| Message::parse(text.as_bytes());
        let text = r#"{"jsonrpc":"2.0","id":"a","method":"ping"}"#;
        let request = Message::Request { id: json!("a"), method: "ping".into(), params: Value::Null };
        assert_eq!(parsed(text), Ok(request));
        let text = r#"{"jsonrpc":"2.0","method":"notifications/initialized","params":{"a":1}}"#;
        let method = "notifications/initialized".to_owned();
        assert_eq!(parsed(text), Ok(Message::Notification { method, params: json!({"a": 1}) }));
        let text = r#"{"jsonrpc":"2.0","id":7,"result":{}}"#;
        assert_eq!(parsed(text), Ok(Message::Response { id: json!(7), result: Ok(json!({})) }));
        let text = r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"no"}}"#;
        assert_eq!(parsed(text), Ok(Message::Response { id: Value::Null, result: Err(Fault::new(-32700, "no")) }));
    }

    #[test]
    fn what_is_no_message_gets_the_code_of_the_standard() {
        for (text, code) in [
            ("{", code::PARSE),
            ("[]", code::INVALID_REQUEST),
            (r#"{"id":1,"method":"ping"}"#, code::INVALID_REQUEST),
            (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, code::INVALID_REQUEST),
            (r#"{"jsonrpc":"2.0","id":[],"method":"ping"}"#, code::INVALID_REQUEST),
            (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, code::INVALID_REQUEST),
            (r#"{"jsonrpc":"2.0","id":1}"#, code::INVALID_REQUEST),
            (r#"{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1}}"#, code::INVALID_REQUEST),
        ] {
            assert_eq!(Message::parse(text.as_bytes()).map_err(|fault| fault.code), Err(code), "{text}");
        }
    }

    #[test]
    fn an_answer_reads_back() {
        let with_data = Fault { data: json!({"supported": []}), ..Fault::new(code::UNSUPPORTED_VERSION, "no") };
        for result in [Ok(json!({"a": 1})), Err(Fault::new(code::PARSE, "no")), Err(with_data)] {
            let message = answer(&json!(1), result.clone());
            assert_eq!(Message::of(&message), Ok(Message::Response { id: json!(1), result }));
        }
    }
}
