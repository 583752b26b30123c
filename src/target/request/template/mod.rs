//! From an intent and a key to the bytes of a request. Invariant: two requests of one call are identical to the byte, but
//! for `{{now}}` and `{{uuid}}` in a header and the id of a tool's call; and a variant differs in nothing but what it is
//! named for.

use std::net::IpAddr;
use std::time::Duration;

use anyhow::ensure;

use super::body::{Body, Kind};
use super::expected::Expected;
use super::fill::{self, Hole, Values, fill};
use super::key::{KeyFormat, KeyPlace};
use super::poll::Poll;
use super::wire::Form;
use super::{form, json};
use crate::http::client::Request;
use crate::http::header::Header;
use crate::mcp::call::ToolCall;
use crate::text::percent;

/// What is asked, and how it is written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Call {
    pub intent: String,
    pub amount: u64,
    /// When it was made up, since 1970: what `{{now}}` says in each of its requests.
    pub made: Duration,
    /// None sends no key; more than one, as many header lines.
    pub keys: Vec<Vec<u8>>,
    /// Fields in another order, white space or escapes changed.
    pub reserialised: bool,
    /// Headers that replace the template's of the same name, or come to them.
    pub extra: Vec<Header>,
    /// Leave out the template's header of this name.
    pub without: Option<&'static str>,
    /// Instead of the template's body.
    pub body: Option<Body>,
    /// The leaf of the body that has another value than the template says: a JSON pointer, or a form field's name.
    pub altered: Option<String>,
    /// With one more field, of [`PADDING`] bytes.
    pub padded: bool,
    pub form: Form,
    /// Another value of Host; None for that of the target's address.
    pub host: Option<String>,
    /// The source address; None leaves it to the system.
    pub from: Option<IpAddr>,
    /// What a tool's client answered it, as parameters beside the arguments; None where nothing was asked.
    pub told: Option<String>,
}

/// Of a large body.
pub const PADDING: usize = 100_000;

/// The user's request, with holes.
#[derive(Debug, Clone)]
pub struct Template {
    pub method: String,
    /// Path and query.
    pub path: String,
    pub key_place: KeyPlace,
    pub key_format: KeyFormat,
    /// JSON pointer to the receipt in a reply; None where replies name none.
    pub receipt_at: Option<String>,
    /// What must stand in a success; None: any 2xx is one.
    pub success_at: Option<Expected>,
    /// How to learn what became of a 202; None asks again by the request itself.
    pub poll: Option<Poll>,
    pub headers: Vec<Header>,
    pub body: Body,
    /// The tool whose arguments the body is; None where the body is sent as it is.
    pub tool: Option<ToolCall>,
}

impl Template {
    /// # Errors
    /// Where two intents would make the same request, or the key has no place in it.
    pub fn check(&self) -> anyhow::Result<()> {
        let names = self.has(Hole::Intent);
        ensure!(names, "no {{{{intent}}}} in the template: the ledger could not be counted by intent");
        let in_url = fill::has(&self.path, Hole::Intent);
        match (&self.key_place, self.body.kind) {
            (KeyPlace::Body(at), Kind::Form) => anyhow::bail!("--key-in {at}: the body is a form; give form:NAME"),
            (KeyPlace::Body(at), Kind::Other) => {
                anyhow::bail!("--key-in {at}: the body is no JSON; write {{{{key}}}} into it")
            }
            (KeyPlace::Form(name), Kind::Json | Kind::Other) => {
                anyhow::bail!("--key-in form:{name}: the body is no form")
            }
            (KeyPlace::Url, _) => ensure!(in_url, "--key-in url: no {{{{intent}}}} in the URL"),
            (KeyPlace::Template, _) => ensure!(self.has(Hole::Key), "no {{{{key}}}} in the template"),
            (KeyPlace::Header(_) | KeyPlace::Query(_), _) | (KeyPlace::Body(_), Kind::Json) => {}
            (KeyPlace::Form(_), Kind::Form) | (KeyPlace::Arguments, _) => {}
        }
        Ok(())
    }

    /// Whether body, URL or a header has this hole.
    pub fn has(&self, hole: Hole) -> bool {
        let in_header = || self.headers.iter().any(|header| fill::has(&header.value, hole));
        self.body.has(hole) || fill::has(&self.path, hole) || in_header()
    }

    /// Whether requests can differ in their amount.
    pub fn has_amount(&self) -> bool {
        self.has(Hole::Amount)
    }

    /// Whether a request can go without its key.
    pub fn can_leave_key_out(&self) -> bool {
        self.key_place.can_be_left_out() && !self.has(Hole::Key)
    }

    /// Another request under the key of `first`: another intent, made as `fresh`, or where the intent is the key, another
    /// amount. None where they can differ in nothing.
    pub fn reused(&self, first: &Call, fresh: Call) -> Option<Call> {
        match self.key_place {
            KeyPlace::Url => self.has_amount().then(|| Call { amount: first.amount + 1, ..first.clone() }),
            KeyPlace::Header(_) | KeyPlace::Body(_) | KeyPlace::Form(_) | KeyPlace::Query(_) | KeyPlace::Template => {
                Some(Call { keys: first.keys.clone(), amount: first.amount, ..fresh })
            }
            KeyPlace::Arguments => None,
        }
    }

    /// Whether a header's value is the key, or has it.
    pub fn carries_key(&self, name: &str) -> bool {
        let mut own = self.headers.iter().filter(|header| header.name.eq_ignore_ascii_case(name));
        self.key_place.is_header(name) || own.any(|header| fill::has(&header.value, Hole::Key))
    }

    /// The type of the body as it is sent; None where none is.
    pub fn content_type(&self) -> Option<&str> {
        let own = self.headers.iter().find(|header| header.name.eq_ignore_ascii_case("content-type"));
        own.map(|header| header.value.as_str()).or(self.body.content_type())
    }

    pub fn request(&self, call: &Call, authority: &str) -> Request {
        let key = call.keys.last().map(|key| String::from_utf8_lossy(key)).unwrap_or_default();
        let values = Values::new(&call.intent, call.amount, key, call.made);
        let body = self.filled_body(call, &values);
        let target = self.target(call, &values);
        let headers = self.filled_headers(call, values.fresh());
        let host = call.host.as_deref().unwrap_or(authority).to_string();
        let request = Request { method: self.method.clone(), host, target, headers, body: body.into_bytes() };
        match &self.tool {
            Some(tool) => tool.wrap(request, call.told.as_deref()),
            None => request,
        }
    }

    /// What asks a 202's status URL: the request's own headers, without its key and its body.
    pub fn status_request(&self, call: &Call, host: &str, target: String) -> Request {
        let asked = self.request(&Call { keys: Vec::new(), ..call.clone() }, host);
        let of_body = |name: &str| name.eq_ignore_ascii_case("content-type");
        let headers = asked.headers.into_iter().filter(|(name, _)| !of_body(name)).collect();
        Request { method: "GET".into(), host: host.to_string(), target, headers, body: Vec::new() }
    }

    fn filled_body(&self, call: &Call, values: &Values) -> String {
        let template = call.body.as_ref().unwrap_or(&self.body);
        let mut body = template.fill(values);
        match (&self.key_place, call.keys.is_empty()) {
            (KeyPlace::Body(at), false) => body = json::with_field(&body, at, &values.key),
            (KeyPlace::Form(name), false) => body = form::with_field(&body, name, &values.key),
            (KeyPlace::Body(_) | KeyPlace::Form(_), true) => {}
            (
                KeyPlace::Header(_) | KeyPlace::Query(_) | KeyPlace::Template | KeyPlace::Url | KeyPlace::Arguments,
                _,
            ) => {}
        }
        if let Some(at) = &call.altered {
            body = template.altered(&body, at);
        }
        if call.reserialised {
            body = template.reserialised(&body).unwrap_or(body);
        }
        if call.padded {
            body = template.padded(&body, PADDING).unwrap_or(body);
        }
        body
    }

    fn target(&self, call: &Call, values: &Values) -> String {
        let target = fill(&self.path, values, percent::encode);
        match (&self.key_place, target.split_once('?')) {
            (KeyPlace::Query(_), _) if call.keys.is_empty() => target,
            (KeyPlace::Query(name), None) => format!("{target}?{}", form::with_field("", name, &values.key)),
            (KeyPlace::Query(name), Some((path, query))) => {
                format!("{path}?{}", form::with_field(query, name, &values.key))
            }
            (KeyPlace::Header(_) | KeyPlace::Body(_) | KeyPlace::Form(_) | KeyPlace::Template, _) => target,
            (KeyPlace::Url | KeyPlace::Arguments, _) => target,
        }
    }

    fn filled_headers(&self, call: &Call, values: Values) -> Vec<(String, Vec<u8>)> {
        let own = [("Accept", "application/json"), ("User-Agent", concat!("idem/", env!("CARGO_PKG_VERSION")))];
        let own = self.body.content_type().map(|own| ("Content-Type", own)).into_iter().chain(own);
        let mut headers: Vec<_> = own.map(|(name, value)| (name.to_string(), value.as_bytes().to_vec())).collect();
        let kept = self.headers.iter().filter(|h| call.without.is_none_or(|w| !h.name.eq_ignore_ascii_case(w)));
        for header in kept.chain(&call.extra) {
            headers.retain(|(name, _)| !name.eq_ignore_ascii_case(&header.name));
            headers.push((header.name.clone(), fill(&header.value, &values, str::to_string).into_bytes()));
        }
        if let KeyPlace::Header(name) = &self.key_place {
            headers.extend(call.keys.iter().map(|key| (name.clone(), key.clone())));
        }
        headers
    }

    /// The leaves of the body that are the same in every request: neither intent nor amount nor key.
    pub fn fixed_leaves(&self) -> Vec<String> {
        let is_key = |at: &String| match &self.key_place {
            KeyPlace::Body(key) | KeyPlace::Form(key) => key == at,
            KeyPlace::Header(_) | KeyPlace::Query(_) | KeyPlace::Template | KeyPlace::Url | KeyPlace::Arguments => {
                false
            }
        };
        self.body.fixed_leaves().into_iter().filter(|at| !is_key(at)).collect()
    }
}

#[cfg(test)]
pub mod fixtures {
    use super::*;

    /// What idem sends to a target by default, with the key at this place.
    pub fn template(key_place: KeyPlace) -> Template {
        Template {
            method: "POST".into(),
            path: "/charges".into(),
            key_place,
            key_format: KeyFormat::Hex,
            receipt_at: Some("/receipt".into()),
            success_at: None,
            poll: None,
            headers: vec![],
            body: Body::parse(Body::DEFAULT, None).unwrap(),
            tool: None,
        }
    }
}

#[cfg(test)]
mod tests;
