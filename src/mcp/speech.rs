//! How a client's messages are written for one server. Invariant: each request has an id of its own, and what the caller
//! gives as parameters is written as it stands, to the byte.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::json;

use super::meta::*;
use super::version::Version;

/// What was agreed with a server.
#[derive(Clone, Debug)]
pub struct Speech {
    pub version: Version,
    /// The name of the session; None where the server gave none.
    pub session: Option<String>,
    /// The last id given out. Shared by all that speak to the server: an id is never used twice.
    ids: Arc<AtomicU64>,
}

/// A message as it is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    pub body: String,
    pub headers: Vec<(String, String)>,
}

impl Speech {
    pub fn new(version: Version, session: Option<String>, ids: Arc<AtomicU64>) -> Speech {
        Speech { version, session, ids }
    }

    /// A request with these parameters, the inside of a JSON object; `name` is that of what is asked for.
    pub fn request(&self, method: &str, params: &str, name: Option<&str>) -> Written {
        let id = self.ids.fetch_add(1, Ordering::Relaxed) + 1;
        let comma = if params.is_empty() || !self.version.is_stateless() { "" } else { "," };
        let meta = if self.version.is_stateless() { format!("\"_meta\":{}", self.meta()) } else { String::new() };
        let method_text = json!(method);
        let body =
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":{method_text},"params":{{{params}{comma}{meta}}}}}"#);
        Written { body, headers: self.headers(method, name) }
    }

    /// A notification with these parameters.
    pub fn notification(&self, method: &str, params: &str) -> Written {
        let method_text = json!(method);
        let body = format!(r#"{{"jsonrpc":"2.0","method":{method_text},"params":{{{params}}}}}"#);
        Written { body, headers: self.headers(method, None) }
    }

    fn meta(&self) -> serde_json::Value {
        json!({
            PROTOCOL_VERSION: self.version,
            CLIENT_INFO: {"name": "idem", "version": env!("CARGO_PKG_VERSION")},
            // So that a tool that needs an answer asks for it.
            CLIENT_CAPABILITIES: {"elicitation": {"form": {}}},
        })
    }

    fn headers(&self, method: &str, name: Option<&str>) -> Vec<(String, String)> {
        let is_stateless = self.version.is_stateless();
        let session = self.session.as_deref().map(|session| (SESSION_HEADER, session));
        let version = self.version.has_header().then_some((VERSION_HEADER, self.version.name()));
        let method = is_stateless.then_some((METHOD_HEADER, method));
        let name = name.filter(|_| is_stateless).map(|name| (NAME_HEADER, name));
        let headers = [session, version, method, name].into_iter().flatten();
        headers.map(|(header, value)| (header.to_owned(), header_value(value).into_owned())).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn speech(version: Version, session: Option<&str>) -> Speech {
        Speech::new(version, session.map(str::to_owned), Arc::default())
    }

    #[test]
    fn each_request_has_an_id_of_its_own_and_the_same_parameters() {
        for version in Version::ALL.iter().copied() {
            let speech = speech(version, None);
            let [first, second] = [(); 2].map(|()| speech.request("tools/call", r#""a" : 1"#, Some("t")).body);
            let [first_read, second_read]: [Value; 2] =
                [&first, &second].map(|body| serde_json::from_str(body).unwrap());
            assert_ne!(first_read["id"], second_read["id"]);
            assert_eq!(first_read["params"], second_read["params"]);
            assert!(first.contains(r#""a" : 1"#), "to the byte");
        }
    }

    #[test]
    fn only_stateless_requests_say_who_asks() {
        let of = |version, session: Option<&str>| speech(version, session).request("tools/call", "", Some("t"));
        let modern = of(Version::V20260728, None);
        let body: Value = serde_json::from_str(&modern.body).unwrap();
        assert_eq!(body["params"]["_meta"][PROTOCOL_VERSION], "2026-07-28");
        let names = |written: &Written| written.headers.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&modern), [VERSION_HEADER, METHOD_HEADER, NAME_HEADER]);
        let session = of(Version::V20251125, Some("s"));
        assert_eq!(names(&session), [SESSION_HEADER, VERSION_HEADER]);
        assert!(!session.body.contains("_meta"));
        assert!(names(&of(Version::V20241105, None)).is_empty());
    }
}
