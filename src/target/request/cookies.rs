//! Cookies that the target sets, kept for each principal. Invariant: no principal sends another's cookies, and an anonymous
//! request sends none.

use std::collections::BTreeMap;
use std::time::SystemTime;

use crate::http::client::{Reply, Request};

/// Names and values. A target is one endpoint: domains and paths make no difference.
#[derive(Clone, Debug, Default)]
pub struct Jar(BTreeMap<String, String>);

impl Jar {
    /// Takes what a reply sets, and forgets what it takes back (RFC 6265, 5.2).
    pub fn take(&mut self, reply: &Reply) {
        let set = reply.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("set-cookie"));
        for (_, line) in set {
            let line = String::from_utf8_lossy(line);
            let mut parts = line.split(';');
            let Some((name, value)) = parts.next().and_then(|pair| pair.split_once('=')) else { continue };
            let (name, value) = (name.trim().to_string(), value.trim().to_string());
            if parts.any(is_past) || name.is_empty() {
                self.0.remove(&name);
            } else {
                self.0.insert(name, value);
            }
        }
    }

    /// Adds them to what the request has.
    pub fn add(&self, request: &mut Request) {
        if self.0.is_empty() {
            return;
        }
        let own = request.headers.iter().position(|(name, _)| name.eq_ignore_ascii_case("cookie"));
        let own = own.map(|at| request.headers.remove(at).1).unwrap_or_default();
        let own = String::from_utf8_lossy(&own).into_owned();
        let is_kept =
            |pair: &&str| !pair.is_empty() && !self.0.contains_key(pair.split('=').next().unwrap_or_default());
        let kept = own.split(';').map(str::trim).filter(is_kept).map(str::to_string);
        let ours = self.0.iter().map(|(name, value)| format!("{name}={value}"));
        let all = kept.chain(ours).collect::<Vec<_>>().join("; ");
        request.headers.push(("Cookie".into(), all.into_bytes()));
    }

    pub fn values(&self) -> impl Iterator<Item = &str> {
        self.0.values().map(String::as_str)
    }
}

/// Whether an attribute says that the cookie is over.
fn is_past(attribute: &str) -> bool {
    let (name, value) = attribute.split_once('=').unwrap_or_default();
    match name.trim().to_ascii_lowercase().as_str() {
        "max-age" => value.trim().parse::<i64>().is_ok_and(|seconds| seconds <= 0),
        "expires" => httpdate::parse_http_date(value.trim()).is_ok_and(|at| at <= SystemTime::now()),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jar(lines: &[&str]) -> Jar {
        let mut jar = Jar::default();
        let headers = lines.iter().map(|line| ("Set-Cookie".to_string(), line.as_bytes().to_vec())).collect();
        jar.take(&Reply { status: 200, headers, body: Vec::new() });
        jar
    }

    fn sent(jar: &Jar, own: Option<&str>) -> Option<String> {
        let headers = own.map(|own| ("cookie".to_string(), own.as_bytes().to_vec())).into_iter().collect();
        let (method, host, target) = ("POST".into(), "h".into(), "/".into());
        let mut request = Request { method, host, target, headers, body: Vec::new() };
        jar.add(&mut request);
        assert!(request.headers.len() < 2);
        request.headers.pop().map(|(_, value)| String::from_utf8(value).unwrap())
    }

    #[test]
    fn what_was_set_is_sent_beside_and_before_the_users_own() {
        let both = jar(&["a=1; Path=/; HttpOnly", "b=x=y"]);
        assert_eq!(sent(&both, None).as_deref(), Some("a=1; b=x=y"));
        assert_eq!(sent(&both, Some("c=3; a=0")).as_deref(), Some("c=3; a=1; b=x=y"));
        assert_eq!(sent(&Jar::default(), Some("c=3")).as_deref(), Some("c=3"));
        assert_eq!(sent(&Jar::default(), None), None);
    }

    #[test]
    fn what_is_over_is_forgotten() {
        let past = "a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT";
        for gone in [["a=1", "a=; Max-Age=0"], ["a=1", past]] {
            assert_eq!(sent(&jar(&gone), None), None);
        }
        assert_eq!(sent(&jar(&["a=1; Max-Age=60"]), None).as_deref(), Some("a=1"));
    }
}
