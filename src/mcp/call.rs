//! A tool's call as a request of HTTP. Invariant: retries of a call have identical arguments, to the byte, and each an id
//! of its own; everything else that varies is the protocol's.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::client::{ACCEPT, Endpoint};
use super::meta::SESSION_HEADER;
use super::reply::{Told, is_stream, response};
use super::speech::{Speech, Written};
use super::tools::Tool;
use crate::http::client::{Outcome, Reply, Request};
use crate::terms::outcome::Symptom;

/// One tool of one server.
#[derive(Clone, Debug)]
pub struct ToolCall {
    pub tool: Tool,
    pub endpoint: Endpoint,
    /// Whether the endpoint is a bridge to a process of ours.
    pub is_piped: bool,
    /// Agreed on anew when the server was restarted; shared by all requests.
    speech: Arc<Mutex<Speech>>,
}

impl ToolCall {
    pub fn new(tool: Tool, endpoint: Endpoint, is_piped: bool, speech: Speech) -> ToolCall {
        ToolCall { tool, endpoint, is_piped, speech: Arc::new(Mutex::new(speech)) }
    }

    pub fn speech(&self) -> Speech {
        self.speech.lock().expect("nobody panics while holding the speech").clone()
    }

    /// A session that the server forgot has to begin anew.
    ///
    /// # Errors
    /// As [`Endpoint::connect`].
    pub async fn reconnect(&self) -> Result<(), String> {
        if self.speech().version.is_stateless() {
            return Ok(());
        }
        let speech = self.endpoint.connect().await.map_err(|why| format!("{why:#}"))?;
        *self.speech.lock().expect("nobody panics while holding the speech") = speech;
        Ok(())
    }

    /// The request whose body is the arguments, as a call of the tool; `told` are parameters beside them.
    pub fn wrap(&self, mut request: Request, told: Option<&str>) -> Request {
        let arguments = String::from_utf8_lossy(&request.body).into_owned();
        let told = told.map(|told| format!(",{told}")).unwrap_or_default();
        let params = format!(r#""name":{},"arguments":{arguments}{told}"#, json!(self.tool.name));
        let Written { body, mut headers } = self.speech().request("tools/call", &params, Some(&self.tool.name));
        if self.speech().version.is_stateless() {
            let arguments: Value = serde_json::from_str(&arguments).unwrap_or_default();
            headers.extend(self.tool.parameter_headers(&arguments));
        }
        headers.push(("Accept".into(), ACCEPT.into()));
        let has_session = request.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case(SESSION_HEADER));
        // A session that the call names is that of another principal.
        for (name, value) in headers.into_iter().filter(|(name, _)| !has_session || name != SESSION_HEADER) {
            request.headers.retain(|(other, _)| !other.eq_ignore_ascii_case(&name));
            request.headers.push((name, value.into_bytes()));
        }
        request.body = body.into_bytes();
        request
    }
}

/// What an outcome says of the call; None where it is no reply to a call: the transport's failures, and a status that
/// somebody gives beside no response of JSON-RPC.
pub fn told(outcome: &Outcome) -> Option<(&Reply, Told)> {
    let reply = outcome.reply.as_ref()?;
    // An event is whole by itself; JSON only with its reply.
    let is_whole = is_stream(reply) || outcome.symptom == Symptom::of_status(reply.status);
    let told = Told::of(response(reply).filter(|_| is_whole)?);
    Some((reply, told))
}
