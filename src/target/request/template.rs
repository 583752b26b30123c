//! From an intent and a key to the bytes of a request. Invariant: two requests of one call are identical to the byte,
//! and a variant differs in nothing but what it is named for.

use std::fmt;
use std::net::IpAddr;

use anyhow::{Context, ensure};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::body::{altered, leaves, padded, reserialise};
use super::wire::{self, Form};
use crate::http::client::Request;
use crate::http::header::Header;
use crate::terms::named::named_enum;

/// A body with `{{intent}}` and `{{amount}}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Body(String);

impl Body {
    pub const DEFAULT: &str = r#"{"intent":"{{intent}}","amount":{{amount}}}"#;

    /// Takes the text itself, or a file's by `@FILE`.
    ///
    /// # Errors
    /// Where the file cannot be read, or the text filled in is no JSON.
    pub fn parse(text: &str) -> anyhow::Result<Body> {
        let text = match text.strip_prefix('@') {
            Some(path) => std::fs::read_to_string(path).with_context(|| format!("cannot read {path}"))?,
            None => text.to_string(),
        };
        let body = Body(text.trim_end_matches(['\r', '\n']).to_string());
        let filled = body.fill("idem-x", 1);
        serde_json::from_str::<Value>(&filled)
            .with_context(|| format!("filled in, the template is no JSON: {filled}"))?;
        Ok(body)
    }

    fn fill(&self, intent: &str, amount: u64) -> String {
        let quoted = serde_json::to_string(intent).expect("a string has a JSON form");
        let inner = quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).expect("it is quoted");
        self.0.replace("{{intent}}", inner).replace("{{amount}}", &amount.to_string())
    }
}

/// Where the key goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyPlace {
    Header(String),
    /// A JSON pointer into the body; the field need not be in the template.
    Body(String),
}

impl fmt::Display for KeyPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeyPlace::Header(name) => write!(f, "header {name}"),
            KeyPlace::Body(at) => write!(f, "body {at}"),
        }
    }
}

named_enum! {
    /// How a key is written.
    pub enum KeyFormat {
        /// 32 hex digits.
        Hex = "hex",
        /// RFC 9562, version 8: the bits are ours.
        Uuid = "uuid",
        /// A string of RFC 8941, section 3.3.3, as the IETF draft asks.
        Quoted = "quoted",
    }
}

impl KeyFormat {
    /// A key that is the same for the same seed, and no other's.
    pub fn key(self, seed: &str) -> String {
        let mut digest: [u8; 32] = Sha256::digest(seed.as_bytes()).into();
        // The version and variant bits of a random UUID: some servers check them.
        digest[6] = digest[6] & 0x0f | 0x40;
        digest[8] = digest[8] & 0x3f | 0x80;
        let digits = |bytes: std::ops::Range<usize>| hex::encode(&digest[bytes]);
        match self {
            KeyFormat::Hex => digits(0..16),
            KeyFormat::Uuid => [0..4, 4..6, 6..8, 8..10, 10..16].map(digits).join("-"),
            KeyFormat::Quoted => format!("\"{}\"", digits(0..16)),
        }
    }
}

/// What is asked, and how it is written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Call {
    pub intent: String,
    pub amount: u64,
    /// None sends no key; more than one, as many header lines.
    pub keys: Vec<Vec<u8>>,
    /// Fields in another order, white space changed.
    pub reserialised: bool,
    /// Headers that replace the template's of the same name, or come to them.
    pub extra: Vec<Header>,
    /// Leave out the template's header of this name.
    pub without: Option<&'static str>,
    /// Instead of the template's body.
    pub body: Option<Body>,
    /// Pointer to the leaf of the body that has another value than the template says.
    pub altered: Option<String>,
    /// With one more field, of [`PADDING`] bytes.
    pub padded: bool,
    pub form: Form,
    /// Another value of Host; None for that of the target's address.
    pub host: Option<String>,
    /// The source address; None leaves it to the system.
    pub from: Option<IpAddr>,
}

/// Of a large body.
pub const PADDING: usize = 100_000;

/// The user's request, with holes.
#[derive(Debug, Clone)]
pub struct Template {
    pub method: String,
    pub path: String,
    pub key_place: KeyPlace,
    pub key_format: KeyFormat,
    /// JSON pointer to the receipt in a reply.
    pub receipt_at: String,
    /// JSON pointer to what must be true in a success; None: any 2xx is one.
    pub success_at: Option<String>,
    pub headers: Vec<Header>,
    pub body: Body,
}

impl Template {
    /// # Errors
    /// Where two intents would make the same request.
    pub fn check(&self) -> anyhow::Result<()> {
        let names = self.body.0.contains("{{intent}}") || self.path.contains("{{intent}}");
        ensure!(names, "no {{{{intent}}}} in the template: the ledger could not be counted by intent");
        Ok(())
    }

    /// Whether requests can differ in their amount.
    pub fn has_amount(&self) -> bool {
        self.body.0.contains("{{amount}}")
    }

    pub fn request(&self, call: &Call, authority: &str) -> Request {
        let mut headers = vec![("Content-Type".to_string(), b"application/json".to_vec())];
        headers.push(("Accept".to_string(), b"application/json".to_vec()));
        headers.push(("User-Agent".to_string(), concat!("idem/", env!("CARGO_PKG_VERSION")).into()));
        let kept = self.headers.iter().filter(|h| call.without.is_none_or(|w| !h.name.eq_ignore_ascii_case(w)));
        for header in kept.chain(&call.extra) {
            headers.retain(|(name, _)| !name.eq_ignore_ascii_case(&header.name));
            headers.push((header.name.clone(), header.value.clone().into_bytes()));
        }
        let mut body = call.body.as_ref().unwrap_or(&self.body).fill(&call.intent, call.amount);
        match &self.key_place {
            KeyPlace::Header(name) => headers.extend(call.keys.iter().map(|key| (name.clone(), key.clone()))),
            KeyPlace::Body(at) => {
                if let Some(key) = call.keys.last() {
                    body = with_field(&body, at, &String::from_utf8_lossy(key));
                }
            }
        }
        if let Some(at) = &call.altered {
            body = altered(&body, at);
        }
        if call.reserialised {
            body = reserialise(&body);
        }
        if call.padded {
            body = padded(&body, PADDING).unwrap_or(body);
        }
        let target = self.path.replace("{{intent}}", &call.intent);
        let host = call.host.as_deref().unwrap_or(authority).to_string();
        Request { method: self.method.clone(), host, target, headers, body: body.into_bytes() }
    }

    /// The bytes to send.
    pub fn bytes(&self, call: &Call, authority: &str) -> Vec<u8> {
        wire::bytes(&self.request(call, authority), call.form)
    }

    /// Pointers to the leaves of the body that are the same in every request: neither intent nor amount nor key.
    pub fn fixed_leaves(&self) -> Vec<String> {
        let of = |intent, amount| leaves(&self.body.fill(intent, amount)).unwrap_or_default();
        let is_key = |at: &str| matches!(&self.key_place, KeyPlace::Body(key) if key == at);
        let both = of("idem-a", 1).into_iter().zip(of("idem-b", 2));
        both.filter(|(a, b)| a == b && !is_key(&a.0)).map(|((at, _), _)| at).collect()
    }

    /// Whether a body has room for one more field.
    pub fn has_room(&self) -> bool {
        padded(&self.body.fill("idem-a", 1), 1).is_some()
    }
}

/// Sets a string field, making the objects on the way.
fn with_field(body: &str, at: &str, value: &str) -> String {
    let mut document: Value = serde_json::from_str(body).expect("checked when the template was parsed");
    let mut place = &mut document;
    for name in at.split('/').skip(1).map(|part| part.replace("~1", "/").replace("~0", "~")) {
        if !place.is_object() {
            *place = Value::Object(serde_json::Map::new());
        }
        place = place.as_object_mut().expect("made one").entry(name).or_insert(Value::Null);
    }
    *place = Value::String(value.to_string());
    document.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn template(place: KeyPlace) -> Template {
        Template {
            method: "POST".into(),
            path: "/charges".into(),
            key_place: place,
            key_format: KeyFormat::Hex,
            receipt_at: "/receipt".into(),
            success_at: None,
            headers: vec![Header::parse("Authorization: Bearer abcdefgh").unwrap()],
            body: Body::parse(Body::DEFAULT).unwrap(),
        }
    }

    fn call() -> Call {
        Call { intent: "a\"b".into(), amount: 7, keys: vec![b"k1".to_vec()], ..Call::default() }
    }

    #[test]
    fn an_intent_is_escaped_into_the_body() {
        let request = template(KeyPlace::Header("Idempotency-Key".into())).request(&call(), "h");
        assert_eq!(String::from_utf8(request.body).unwrap(), r#"{"intent":"a\"b","amount":7}"#);
    }

    #[test]
    fn a_key_goes_into_the_header_or_the_body() {
        let by_header = template(KeyPlace::Header("X-Key".into())).request(&call(), "h");
        assert!(by_header.headers.contains(&("X-Key".to_string(), b"k1".to_vec())));
        let by_body = template(KeyPlace::Body("/params/key".into())).request(&call(), "h");
        let body: Value = serde_json::from_slice(&by_body.body).unwrap();
        assert_eq!(body.pointer("/params/key").unwrap(), "k1");
    }

    #[test]
    fn key_formats() {
        assert_eq!(KeyFormat::Hex.key("a").len(), 32);
        let uuid = KeyFormat::Uuid.key("a");
        assert_eq!((uuid.len(), uuid.get(14..15).unwrap(), uuid.matches('-').count()), (36, "4", 4));
        assert!(KeyFormat::Quoted.key("a").starts_with('"'));
        assert_ne!(KeyFormat::Hex.key("a"), KeyFormat::Hex.key("b"));
    }

    #[test]
    fn the_fixed_leaves_are_neither_intent_nor_amount_nor_key() {
        let mut template = template(KeyPlace::Body("/meta/key".into()));
        let body = r#"{"intent":"a-{{intent}}","amount":{{amount}},"meta":{"key":"k","n":[7]},"currency":"EUR"}"#;
        template.body = Body::parse(body).unwrap();
        assert_eq!(template.fixed_leaves(), ["/meta/n/0", "/currency"]);
        let altered = Call { altered: Some("/currency".into()), ..call() };
        let request = template.request(&altered, "h");
        assert!(String::from_utf8(request.body).unwrap().contains(r#""currency":"USD""#));
    }

    #[test]
    fn a_template_must_name_the_intent_and_be_json() {
        assert!(Body::parse("{").is_err());
        let mut template = template(KeyPlace::Header("X-Key".into()));
        template.body = Body::parse(r#"{"amount":{{amount}}}"#).unwrap();
        assert!(template.check().is_err());
    }
}
