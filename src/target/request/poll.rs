//! Where a 202 says what becomes of it. Invariant: only the target itself is asked: a status URL elsewhere is not followed.

use anyhow::ensure;
use serde_json::Value;

use super::expected::Expected;
use crate::http::client::Reply;

/// How to learn what became of a 202.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Poll {
    pub at: StatusUrl,
    pub done: Expected,
}

/// Where a 202 names its status URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StatusUrl {
    /// In the Location header.
    Location,
    /// A JSON pointer into its body.
    Body(String),
}

impl StatusUrl {
    /// # Errors
    /// For what is neither a JSON pointer nor `Location`.
    pub fn parse(text: &str) -> anyhow::Result<StatusUrl> {
        if text.eq_ignore_ascii_case("location") {
            return Ok(StatusUrl::Location);
        }
        ensure!(
            text.starts_with('/') && text.len() > 1,
            "{text}: give Location, or a JSON pointer, which begins with /"
        );
        Ok(StatusUrl::Body(text.to_string()))
    }

    /// Path and query of the status URL.
    ///
    /// # Errors
    /// Says that the reply names none, or one at another host than `authority`.
    pub fn of(&self, reply: &Reply, authority: &str) -> Result<String, String> {
        let named = match self {
            StatusUrl::Location => reply.header("location").map(str::to_string),
            StatusUrl::Body(at) => {
                let document: Option<Value> = serde_json::from_slice(&reply.body).ok();
                document.and_then(|document| document.pointer(at)?.as_str().map(str::to_string))
            }
        };
        let named = named.ok_or("it names no status URL: see --poll")?;
        let rest = named.split_once("://").map(|(_, rest)| rest);
        let path = match rest {
            Some(rest) => rest.strip_prefix(authority).ok_or("its status URL is at another host")?,
            None => &named,
        };
        let is_path = path.starts_with('/') && !path.starts_with("//") && path.bytes().all(|b| b.is_ascii_graphic());
        is_path.then(|| path.to_string()).ok_or_else(|| "its status URL is no path of this host".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_url_is_a_path_of_the_target() {
        let reply = |location: &str, body: &str| {
            let headers = vec![("Location".to_string(), location.as_bytes().to_vec())];
            Reply { status: 202, headers, body: body.as_bytes().to_vec() }
        };
        let at = |location: &str| StatusUrl::Location.of(&reply(location, ""), "127.0.0.1:80");
        assert_eq!(at("/jobs/1?x=y").as_deref(), Ok("/jobs/1?x=y"));
        assert_eq!(at("http://127.0.0.1:80/jobs/1").as_deref(), Ok("/jobs/1"));
        for elsewhere in ["http://127.0.0.1:8080/jobs", "http://192.0.2.1/jobs", "//x/jobs", "jobs/1", "/a b", ""] {
            assert!(at(elsewhere).is_err(), "{elsewhere}");
        }
        let body = StatusUrl::parse("/links/status").unwrap();
        assert_eq!(body.of(&reply("", r#"{"links":{"status":"/jobs/2"}}"#), "h").as_deref(), Ok("/jobs/2"));
        assert!(body.of(&reply("/jobs/1", "{}"), "h").unwrap_err().contains("--poll"));
        assert!(StatusUrl::parse("status").is_err());
    }
}
