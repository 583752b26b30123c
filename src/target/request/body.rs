//! A body of the user's own type, with holes. Invariant: what is sent is the user's text, byte for byte, but for what fills
//! the holes; only a type that is understood is rewritten or altered.

use anyhow::{Context, bail, ensure};
use serde_json::Value;

use super::fill::{self, Hole, Values, fill};
use super::{form, json};

/// How a body is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Json,
    /// `application/x-www-form-urlencoded`.
    Form,
    /// Nothing is known of it but its bytes. An empty body is of this kind.
    Other,
}

/// A template of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Body {
    text: String,
    pub kind: Kind,
}

impl Body {
    pub const DEFAULT: &str = r#"{"intent":"{{intent}}","amount":{{amount}}}"#;

    /// Takes the text itself, or a file's by `@FILE`. `declared` is the content type that the user gave.
    ///
    /// # Errors
    /// Where the file cannot be read, the text filled in is not of its declared type, or the type cannot be told.
    pub fn parse(text: &str, declared: Option<&str>) -> anyhow::Result<Body> {
        let text = match text.strip_prefix('@') {
            Some(path) => std::fs::read_to_string(path).with_context(|| format!("cannot read {path}"))?,
            None => text.to_string(),
        };
        fill::check(&text)?;
        let trimmed = text.trim_end_matches(['\r', '\n']);
        Ok(match declared.map(kind) {
            Some(Kind::Other) => Body { text, kind: Kind::Other },
            Some(Kind::Json) => Body::json(trimmed)?,
            Some(Kind::Form) => Body { text: form::tidy(trimmed), kind: Kind::Form },
            None => guessed(trimmed)?,
        })
    }

    fn json(text: &str) -> anyhow::Result<Body> {
        let body = Body { text: text.to_string(), kind: Kind::Json };
        let filled = body.sample();
        serde_json::from_str::<Value>(&filled)
            .with_context(|| format!("filled in, the template is no JSON: {filled}"))?;
        Ok(body)
    }

    /// As it was given, with its holes, but for a line end and what a form has to escape.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The type to send where the user gave none; None for an empty body.
    pub fn content_type(&self) -> Option<&'static str> {
        match self.kind {
            Kind::Json => Some("application/json"),
            Kind::Form => Some("application/x-www-form-urlencoded"),
            Kind::Other => None,
        }
    }

    pub fn has(&self, hole: Hole) -> bool {
        fill::has(&self.text, hole)
    }

    pub fn fill(&self, values: &Values) -> String {
        match self.kind {
            Kind::Json => fill(&self.text, values, json::escape),
            Kind::Form => fill(&self.text, values, form::escape),
            Kind::Other => fill(&self.text, values, str::to_string),
        }
    }

    /// Whether more is known of it than its bytes.
    pub fn is_known(&self) -> bool {
        self.kind != Kind::Other
    }

    fn sample(&self) -> String {
        self.fill(&sample("idem-x", 1))
    }

    /// The same content in other bytes; None where it is not known how else it could be written.
    pub fn reserialised(&self, filled: &str) -> Option<String> {
        match self.kind {
            Kind::Json => Some(json::reserialise(filled)),
            Kind::Form => Some(form::reserialise(filled)),
            Kind::Other => None,
        }
    }

    /// With another value at a leaf.
    pub fn altered(&self, filled: &str, at: &str) -> String {
        match self.kind {
            Kind::Json => json::altered(filled, at),
            Kind::Form => form::altered(filled, at, json::other_text),
            Kind::Other => filled.to_string(),
        }
    }

    /// With one more field of so many bytes; None where there is no room for it.
    pub fn padded(&self, filled: &str, bytes: usize) -> Option<String> {
        match self.kind {
            Kind::Json => json::padded(filled, bytes),
            Kind::Form => Some(form::with_field(filled, "idem_padding", &"x".repeat(bytes))),
            Kind::Other => None,
        }
    }

    /// Whether there is room for one more field.
    pub fn has_room(&self) -> bool {
        self.padded(&self.sample(), 1).is_some()
    }

    /// The leaves that are the same in every request: neither intent nor amount nor key nor time.
    pub fn fixed_leaves(&self) -> Vec<String> {
        let [a, b] = [sample("idem-a", 1), sample("idem-b", 2)].map(|values| self.leaves(&self.fill(&values)));
        a.into_iter().zip(b).filter(|(a, b)| a == b).map(|((at, _), _)| at).collect()
    }

    /// Where the leaves are, and what they hold.
    fn leaves(&self, filled: &str) -> Vec<(String, String)> {
        match self.kind {
            Kind::Json => {
                let leaves = json::leaves(filled).unwrap_or_default();
                leaves.into_iter().map(|(at, leaf)| (at, format!("{leaf:?}"))).collect()
            }
            Kind::Form => form::leaves(filled),
            Kind::Other => Vec::new(),
        }
    }
}

/// Values that are all other ones for another amount.
fn sample(intent: &str, amount: u64) -> Values<'_> {
    Values::new(intent, amount, intent.into(), std::time::Duration::from_secs(amount))
}

/// What a content type says of the body.
fn kind(content_type: &str) -> Kind {
    let essence = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match essence.as_str() {
        "application/x-www-form-urlencoded" => Kind::Form,
        "application/json" | "text/json" => Kind::Json,
        // Structured suffixes (RFC 6839, 3.1), and the protocols of AWS.
        other if other.ends_with("+json") || other.starts_with("application/x-amz-json") => Kind::Json,
        _ => Kind::Other,
    }
}

fn guessed(text: &str) -> anyhow::Result<Body> {
    if text.is_empty() {
        return Ok(Body { text: String::new(), kind: Kind::Other });
    }
    let form = Body { text: form::tidy(text), kind: Kind::Form };
    match Body::json(text) {
        Ok(body) => Ok(body),
        Err(_) if form::is_form(&form.sample()) => Ok(form),
        Err(why) if text.trim_start().starts_with(['{', '[', '"']) => Err(why),
        Err(_) => bail!("the template is no JSON and no form; say with --content-type what it is"),
    }
}

/// # Errors
/// Where a content type could not be sent.
pub fn check_type(content_type: &str) -> anyhow::Result<()> {
    let essence = content_type.split(';').next().unwrap_or_default().trim();
    let parts: Vec<_> = essence.split('/').collect();
    let fits = parts.len() == 2 && parts.iter().all(|part| !part.is_empty() && !part.contains(' '));
    ensure!(fits, "{content_type}: give a type as application/x-www-form-urlencoded");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORM: &str = "application/x-www-form-urlencoded";

    #[test]
    fn a_type_is_declared_or_guessed() {
        for (text, declared, kind) in [
            (Body::DEFAULT, None, Kind::Json),
            ("amount={{amount}}&metadata[intent]={{intent}}", None, Kind::Form),
            ("", None, Kind::Other),
            ("a b", Some(FORM), Kind::Form),
            ("{}", Some("application/vnd.api+json; charset=utf-8"), Kind::Json),
            ("{}", Some("text/plain"), Kind::Other),
            ("<order id='{{intent}}'/>", Some("application/xml"), Kind::Other),
            ("{}", Some("application/x-ndjson"), Kind::Other),
        ] {
            assert_eq!(Body::parse(text, declared).unwrap().kind, kind, "{text}");
        }
    }

    #[test]
    fn what_cannot_be_told_is_refused() {
        let refused = |text: &str, declared| format!("{:#}", Body::parse(text, declared).unwrap_err());
        assert!(refused("{", None).contains("no JSON"));
        assert!(refused("a=1", Some("application/json")).contains("no JSON"));
        assert!(refused("<order/>", None).contains("--content-type"));
        assert!(refused("{{intnet}}", Some("text/plain")).contains("not a placeholder"));
    }

    #[test]
    fn what_fills_a_hole_is_escaped_by_the_rules_of_its_type() {
        let values = sample("a\"b&c d", 7);
        let filled = |text: &str, declared| Body::parse(text, declared).unwrap().fill(&values);
        assert_eq!(filled(r#"{"i":"{{intent}}"}"#, None), r#"{"i":"a\"b&c d"}"#);
        assert_eq!(filled("i={{intent}}&n=x y", None), "i=a%22b%26c+d&n=x+y");
        assert_eq!(filled("<i>{{intent}}</i>\n", Some("text/xml")), "<i>a\"b&c d</i>\n", "sent as it is");
    }

    #[test]
    fn fixed_leaves_are_neither_intent_nor_amount_nor_key_nor_time() {
        let leaves = |text: &str| Body::parse(text, None).unwrap().fixed_leaves();
        assert_eq!(leaves("a={{amount}}&i={{intent}}&k={{key}}&t={{now}}&u={{uuid}}&c=eur&d=1"), ["c", "d"]);
        assert_eq!(leaves(r#"{"a":{{amount}},"k":"{{key}}","t":{{now_epoch}},"c":{"d":"x"}}"#), ["/c/d"]);
    }

    #[test]
    fn only_what_is_understood_is_rewritten() {
        let other = Body::parse("a=1", Some("text/plain")).unwrap();
        assert_eq!((other.reserialised("a=1"), other.padded("a=1", 3)), (None, None));
        assert_eq!(other.altered("a=1", "a"), "a=1");
        let form = Body::parse("a=1", None).unwrap();
        assert_eq!(form.reserialised("a=1").as_deref(), Some("a=%31"));
        assert_eq!(form.padded("a=1", 2).as_deref(), Some("a=1&idem_padding=xx"));
        assert_eq!(form.altered("a=1", "a"), "a=0");
    }
}
