//! The tool over HTTP: one endpoint, one message a POST. Invariant: a request that is refused by its headers or its session
//! calls nothing.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use serde_json::{Value, json};

use super::dialogue;
use super::tool::Tool;
use crate::mcp::message::{self, Fault, Message, code};
use crate::mcp::meta::{METHOD_HEADER, NAME_HEADER, SESSION_HEADER, VERSION_HEADER, header_value};
use crate::mcp::version::Version;
use crate::server::problem::Problem;
use crate::server::request::whole_body;
use crate::server::service::ChargeService;

/// The endpoint.
pub const PATH: &str = "/mcp";

/// Sessions by their names; gone with the server.
#[derive(Debug, Default)]
pub struct Sessions {
    by_name: Mutex<HashMap<String, Version>>,
}

impl Sessions {
    fn begin(&self, version: Version) -> String {
        let mut sessions = self.by_name.lock().expect("nobody panics while holding the sessions");
        // Told apart from those of a server that ran before: its sessions are not known here.
        let name = format!("session-{}-{}", std::process::id(), sessions.len() + 1);
        sessions.insert(name.clone(), version);
        name
    }

    fn version(&self, name: &str) -> Option<Version> {
        self.by_name.lock().expect("nobody panics while holding the sessions").get(name).copied()
    }
}

/// Answers one HTTP request.
pub async fn answer(service: Arc<ChargeService>, tool: Tool, request: Request<Incoming>) -> Response<Full<Bytes>> {
    let (parts, body) = request.into_parts();
    if parts.uri.path() != PATH {
        return Problem::new(StatusCode::NOT_FOUND, format!("there is only {PATH} here")).response();
    }
    if parts.method != Method::POST {
        return Problem::new(StatusCode::METHOD_NOT_ALLOWED, "messages are sent by POST").response();
    }
    let body = match whole_body(body, service.patience.body).await {
        Ok(body) => body,
        Err(problem) => return problem.response(),
    };
    let (id, method, params) = match Message::parse(&body) {
        Ok(Message::Request { id, method, params }) => (id, method, params),
        Ok(Message::Notification { .. } | Message::Response { .. }) => return accepted(),
        Err(fault) => return json_reply(StatusCode::BAD_REQUEST, &message::answer(&Value::Null, Err(fault))),
    };
    if method == "initialize" {
        return begin(&service, &tool, &id, &params);
    }
    let asked = dialogue::named_version(&tool, &params).and_then(|version| match version {
        Some(version) => check_headers(&parts.headers, version, &method, &params).map(|()| version),
        None => session_version(&service, &parts.headers),
    });
    let version = match asked {
        Ok(version) => version,
        Err(fault) => return refusal(&id, fault),
    };
    let is_call = method == "tools/call";
    match dialogue::result(service, &tool, version, &method, &params).await {
        Err(fault) if version.is_stateless() => refusal(&id, fault),
        result if is_call && tool.streams => stream(&message::answer(&id, result)),
        result => json_reply(StatusCode::OK, &message::answer(&id, result)),
    }
}

fn begin(service: &ChargeService, tool: &Tool, id: &Value, params: &Value) -> Response<Full<Bytes>> {
    match dialogue::initialize(tool, params) {
        Ok((version, result)) => {
            let mut response = json_reply(StatusCode::OK, &message::answer(id, Ok(result)));
            let name = HeaderValue::from_str(&service.sessions.begin(version)).expect("digits and letters");
            response.headers_mut().insert("mcp-session-id", name);
            response
        }
        Err(fault) => refusal(id, fault),
    }
}

/// Revision 2026-07-28, "Server Validation": the headers say what the body says.
fn check_headers(headers: &HeaderMap, version: Version, method: &str, params: &Value) -> Result<(), Fault> {
    let name = params.get("name").and_then(Value::as_str).filter(|_| method == "tools/call");
    let wanted = [(VERSION_HEADER, Some(version.name())), (METHOD_HEADER, Some(method)), (NAME_HEADER, name)];
    for (header, wanted) in wanted.into_iter().filter_map(|(header, wanted)| Some((header, wanted?))) {
        let said = headers.get(header).and_then(|value| value.to_str().ok());
        if said != Some(&*header_value(wanted)) {
            let said = said.unwrap_or("nothing");
            let why = format!("header mismatch: {header} says {said}, the body {wanted}");
            return Err(Fault::new(code::HEADER_MISMATCH, why));
        }
    }
    Ok(())
}

/// Revision 2025-11-25, "Session Management": without its session's name a request is refused, and one whose session is not
/// known is told so.
fn session_version(service: &ChargeService, headers: &HeaderMap) -> Result<Version, Fault> {
    let name = headers.get(SESSION_HEADER).and_then(|value| value.to_str().ok());
    let name = name.ok_or_else(|| Fault::new(code::INVALID_REQUEST, "no session: initialize first"))?;
    service.sessions.version(name).ok_or_else(|| Fault::new(UNKNOWN_SESSION, "no such session"))
}

/// A code of the range that JSON-RPC leaves to servers and the protocol calls legacy.
const UNKNOWN_SESSION: i64 = -32001;

/// The status beside an error.
fn refusal(id: &Value, fault: Fault) -> Response<Full<Bytes>> {
    let status = match fault.code {
        code::METHOD_NOT_FOUND | UNKNOWN_SESSION => StatusCode::NOT_FOUND,
        _ => StatusCode::BAD_REQUEST,
    };
    json_reply(status, &message::answer(id, Err(fault)))
}

fn accepted() -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::from(""));
    *response.status_mut() = StatusCode::ACCEPTED;
    response
}

fn json_reply(status: StatusCode, message: &Value) -> Response<Full<Bytes>> {
    reply(status, "application/json", message.to_string())
}

/// The answer as the last event of a stream.
fn stream(answer: &Value) -> Response<Full<Bytes>> {
    let params = json!({"progressToken": answer["id"], "progress": 1});
    let progress = json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params});
    let events = format!(": idem\n\nevent: message\ndata: {progress}\n\nevent: message\ndata: {answer}\n\n");
    reply(StatusCode::OK, "text/event-stream", events)
}

fn reply(status: StatusCode, content_type: &'static str, body: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::from(body));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}
