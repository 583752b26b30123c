//! A body with plain values, made a template. Invariant: what is sent differs from what was given in the intent, the amount
//! and the key alone; what is written also in its secrets.

use anyhow::bail;

use super::environment::Environment;
use super::names;
use crate::config::plain;
use crate::target::request::body::{Body, Kind};
use crate::target::request::fill::{self, Hole};
use crate::target::request::{form, json};
use crate::text::ordered_json::OrderedJson;

/// A template of a body.
#[derive(Debug, PartialEq, Eq)]
pub struct Drawn {
    pub sent: String,
    /// As the file has it.
    pub written: String,
    /// What was guessed; None where nothing was.
    pub note: Option<String>,
}

/// A field of a body.
#[derive(Clone)]
struct Leaf {
    /// As [`put`] finds it.
    at: String,
    path: Vec<String>,
    value: String,
    /// A number of JSON: what takes its place stands without quotes too.
    is_bare: bool,
}

/// Finds what the template lacks. `is_named` says that the intent stands in the URL or a header.
///
/// # Errors
/// Nothing in it could be the intent.
pub fn drawn(body: &Body, is_named: bool, environment: &mut Environment) -> anyhow::Result<Drawn> {
    let (text, kind) = (body.text(), body.kind);
    let leaves = leaves(kind, text);
    let best = |rank: fn(&[String]) -> Option<usize>, fits: fn(&Leaf) -> bool| {
        let ranked = leaves.iter().filter(|leaf| fits(leaf)).filter_map(|leaf| Some((rank(&leaf.path)?, leaf)));
        ranked.min_by_key(|(rank, _)| *rank).map(|(_, leaf)| leaf)
    };
    let key = |path: &[String]| path.last().is_some_and(|name| names::is_key(name)).then_some(0);
    let wanted = |hole| !body.has(hole);
    let intent = best(names::intent, |leaf| !leaf.is_bare).filter(|_| wanted(Hole::Intent));
    let amount = best(names::amount, is_amount).filter(|_| wanted(Hole::Amount));
    let key = best(key, |leaf| !leaf.is_bare).filter(|_| wanted(Hole::Key));
    if intent.is_none() && wanted(Hole::Intent) && !is_named {
        bail!(
            "--body: no field in it looks like the order that a ledger would name; write {{{{intent}}}} where its id goes, \
             as in \"order_id\":\"{{{{intent}}}}\""
        );
    }
    let holes: Vec<_> = [(intent, Hole::Intent), (amount, Hole::Amount), (key, Hole::Key)]
        .into_iter()
        .filter_map(|(leaf, hole)| leaf.map(|leaf| (leaf, hole_of(leaf, hole))))
        .collect();
    let taken = |leaf: &Leaf| holes.iter().any(|(other, _)| other.at == leaf.at);
    let secrets: Vec<_> = leaves.iter().filter(|leaf| names::is_secret(&leaf.path) && !taken(leaf)).collect();
    let secrets: Vec<_> = secrets
        .into_iter()
        .map(|leaf| (leaf, environment.instead_of(&leaf.value, leaf.path.last().map_or("secret", String::as_str))))
        .collect();
    let guesses = [("intent", intent), ("amount", amount), ("key", key)];
    let guesses = guesses.into_iter().filter_map(|(what, leaf)| Some(format!("{} is the {what}", leaf?.at)));
    let guesses = guesses.collect::<Vec<_>>().join(", ");
    Ok(Drawn {
        sent: put(kind, text, &holes),
        written: put(kind, &plain(text), &holes.iter().cloned().chain(secrets).collect::<Vec<_>>()),
        note: (!guesses.is_empty()).then(|| format!("Guessed: {guesses}. Each request gets its own.")),
    })
}

/// A number, or a text of digits.
fn is_amount(leaf: &Leaf) -> bool {
    leaf.is_bare || !leaf.value.is_empty() && leaf.value.bytes().all(|b| b.is_ascii_digit() || b == b'.')
}

/// The hole; a text with decimals keeps them.
fn hole_of(leaf: &Leaf, hole: Hole) -> String {
    let decimals = leaf.value.split_once('.').filter(|_| hole == Hole::Amount && !leaf.is_bare);
    let decimals = decimals.map_or_else(String::new, |(_, decimals)| format!(".{decimals}"));
    format!("{{{{{hole}}}}}{decimals}")
}

/// Numbers of JSON may be holes already: quoted, so that the rest can be read.
const BARE: [Hole; 2] = [Hole::Amount, Hole::NowEpoch];

fn readable(text: &str) -> String {
    if json::leaves(text).is_some() {
        return text.to_owned();
    }
    BARE.iter().fold(text.to_owned(), |text, hole| {
        let hole = format!("{{{{{hole}}}}}");
        text.replace(&hole, &format!("\"{hole}\""))
    })
}

fn leaves(kind: Kind, text: &str) -> Vec<Leaf> {
    let found: Vec<Leaf> = match kind {
        Kind::Json => {
            let leaves = json::leaves(&readable(text)).unwrap_or_default();
            leaves.into_iter().filter_map(|(at, leaf)| of_json(at, &leaf)).collect()
        }
        Kind::Form => form::leaves(text).into_iter().map(|(at, value)| of_form(at, value)).collect(),
        Kind::Other => Vec::new(),
    };
    let is_fixed = |leaf: &Leaf| fill::fixed(&leaf.value).collect::<String>() == leaf.value;
    found.into_iter().filter(is_fixed).collect()
}

fn of_json(at: String, leaf: &OrderedJson) -> Option<Leaf> {
    let (value, is_bare) = match leaf {
        OrderedJson::Text(text) => (text.clone(), false),
        OrderedJson::Number(number) => (number.to_string(), true),
        OrderedJson::Null | OrderedJson::Bool(_) | OrderedJson::Array(_) | OrderedJson::Object(_) => return None,
    };
    let path = at.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~")).collect();
    Some(Leaf { at, path, value, is_bare })
}

/// As `metadata[order]` and `amount.value` have it.
fn of_form(at: String, value: String) -> Leaf {
    let name = at.split(" #").next().unwrap_or_default();
    let path = name.split(['[', ']', '.']).filter(|step| !step.is_empty()).map(str::to_owned).collect();
    Leaf { at, path, value, is_bare: false }
}

/// The text with these in the places of leaves.
fn put(kind: Kind, text: &str, holes: &[(&Leaf, String)]) -> String {
    if holes.is_empty() {
        return text.to_owned();
    }
    match kind {
        Kind::Json => {
            let readable = readable(text);
            let quoted = holes.iter().fold(readable.clone(), |text, (leaf, hole)| {
                json::replaced(&text, &leaf.at, &|_| OrderedJson::Text(hole.clone()))
            });
            let bare = holes.iter().filter(|(leaf, _)| leaf.is_bare).map(|(_, hole)| hole.clone());
            let already = BARE.iter().filter(|_| readable != text).map(|hole| format!("{{{{{hole}}}}}"));
            bare.chain(already).fold(quoted, |text, hole| text.replace(&format!("\"{hole}\""), &hole))
        }
        Kind::Form => holes.iter().fold(text.to_owned(), |text, (leaf, hole)| {
            form::altered(&text, &leaf.at, |_| hole.clone()).replace(&form::escape(hole), hole)
        }),
        Kind::Other => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> anyhow::Result<Drawn> {
        drawn(&Body::parse(text, None).unwrap(), false, &mut Environment::default())
    }

    fn both(text: &str) -> (String, String) {
        let drawn = of(text).unwrap();
        (drawn.sent, drawn.written)
    }

    #[test]
    fn plain_values_become_holes() {
        for (text, sent) in [
            (
                r#"{"currency": "eur", "order_id": "o-1", "amount": 10.5}"#,
                r#"{"currency":"eur","order_id":"{{intent}}","amount":{{amount}}}"#,
            ),
            (
                r#"{"order":{"id":"1"},"amount":{"value":"10.00"}}"#,
                r#"{"order":{"id":"{{intent}}"},"amount":{"value":"{{amount}}.00"}}"#,
            ),
            (
                r#"{"idempotency_key":"k","reference":"r","total":7}"#,
                r#"{"idempotency_key":"{{key}}","reference":"{{intent}}","total":{{amount}}}"#,
            ),
            (
                "amount=100&currency=eur&metadata[order_id]=o+1",
                "amount={{amount}}&currency=eur&metadata[order_id]={{intent}}",
            ),
            (r#"{"order":"o","amount":{{amount}}}"#, r#"{"order":"{{intent}}","amount":{{amount}}}"#),
            (r#"{"order_id":"x","name":"{{intent}}"}"#, r#"{"order_id":"x","name":"{{intent}}"}"#),
        ] {
            assert_eq!(of(text).unwrap().sent, sent, "{text}");
        }
        let note = of(r#"{"order":"o","amount":1}"#).unwrap().note;
        assert_eq!(
            note.as_deref(),
            Some("Guessed: /order is the intent, /amount is the amount. Each request gets its own.")
        );
        assert_eq!(of(r#"{"o":"{{intent}}"}"#).unwrap().note, None);
    }

    #[test]
    fn secrets_are_sent_and_not_written() {
        assert_eq!(
            both(r#"{"order":"o","card":{"number":"4242","cvc":123},"t":"${X}"}"#),
            (
                r#"{"order":"{{intent}}","card":{"number":"4242","cvc":123},"t":"${X}"}"#.to_owned(),
                r#"{"order":"{{intent}}","card":{"number":"${IDEM_NUMBER}","cvc":${IDEM_CVC}},"t":"$${X}"}"#.to_owned(),
            )
        );
        assert_eq!(
            both("order={{intent}}&api_key=a b"),
            ("order={{intent}}&api_key=a+b".to_owned(), "order={{intent}}&api_key=${IDEM_API_KEY}".to_owned())
        );
    }

    #[test]
    fn without_an_intent_it_is_refused() {
        assert!(of(r#"{"amount":1}"#).is_err_and(|why| why.to_string().contains("write {{intent}}")));
        let body = Body::parse(r#"{"amount":1}"#, None).unwrap();
        assert!(drawn(&body, true, &mut Environment::default()).is_ok());
        let xml = Body::parse("<order>{{intent}}</order>", Some("text/xml")).unwrap();
        assert_eq!(drawn(&xml, false, &mut Environment::default()).unwrap().sent, "<order>{{intent}}</order>");
    }
}
