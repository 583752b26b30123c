//! What a reply tells about the next ones. Pure. Invariant: a guess is said to be one, and of a reply that is not a success
//! nothing is taken for how a success looks.

use serde_json::Value as Json;

use super::ask::Told;
use super::names;
use super::page::Setting;
use crate::config::{Value, plain};
use crate::http::client::Reply;
use crate::target::request::json;
use crate::text::ordered_json::OrderedJson;

/// What was learned.
pub struct Learned {
    pub settings: Vec<Setting>,
    pub is_success: bool,
}

/// Learns from a reply; `key_header` is where the key was.
pub fn learned(told: &Told, key_header: &str) -> Learned {
    let (reply, document) = (&told.reply, serde_json::from_slice::<Json>(&told.reply.body).ok());
    let asked: Option<Json> = serde_json::from_slice(&told.request.body).ok();
    let is_graphql = asked.is_some_and(|asked| asked.get("query").is_some_and(Json::is_string));
    let mark = document.as_ref().and_then(|document| if is_graphql { data(document) } else { flag(document) });
    let is_success = (200..300).contains(&reply.status) && mark.as_ref().is_none_or(|(_, holds)| *holds);
    let mut settings: Vec<_> = mark.into_iter().map(|(at, _)| success(&at)).collect();
    if is_success {
        settings.push(receipt(told));
    }
    if reply.status == 202 {
        settings.extend(poll(reply));
    }
    if (400..500).contains(&reply.status) {
        settings.extend(key(reply, key_header));
    }
    Learned { settings, is_success }
}

fn set(key: &'static str, value: &str, note: &str) -> Setting {
    Setting { key, value: Value::One(plain(value)), notes: vec![note.to_owned()], is_active: true }
}

fn success(at: &str) -> Setting {
    set("success-at", at, "Guessed: a success is told by this, whatever the status.")
}

/// GraphQL answers 200 whatever comes of it (its specification, 7.1): data that is there, and whether it is now.
fn data(document: &Json) -> Option<(String, bool)> {
    let has_errors = document.get("errors").is_some_and(|errors| !errors.is_null());
    let data = document.get("data");
    let field = data.and_then(Json::as_object).and_then(|fields| fields.iter().next());
    match field {
        Some((name, value)) => Some((format!("/data/{}=*", json::step(name)), !has_errors && !value.is_null())),
        None if has_errors || data.is_some() => Some(("/data=*".to_owned(), false)),
        None => None,
    }
}

/// A word that says so in the reply itself.
fn flag(document: &Json) -> Option<(String, bool)> {
    let found =
        ["success", "ok", "successful"].into_iter().find_map(|name| Some((name, document.get(name)?.as_bool()?)));
    found.map(|(name, holds)| (format!("/{name}"), holds))
}

/// Leaves of a reply that are no part of a list, with their names.
fn leaves(reply: &Reply) -> Vec<(String, Vec<String>, String)> {
    let leaves = json::leaves(&String::from_utf8_lossy(&reply.body)).unwrap_or_default();
    let leaves = leaves.into_iter().filter_map(|(at, leaf)| {
        let value = match leaf {
            OrderedJson::Text(text) if !text.is_empty() => text,
            OrderedJson::Number(number) => number.to_string(),
            OrderedJson::Text(_) | OrderedJson::Null | OrderedJson::Bool(_) => return None,
            OrderedJson::Array(_) | OrderedJson::Object(_) => return None,
        };
        let path: Vec<String> = at.split('/').skip(1).map(str::to_owned).collect();
        let is_in_list = path.iter().any(|step| step.bytes().all(|b| b.is_ascii_digit()));
        (!is_in_list).then_some((at, path, value))
    });
    leaves.collect()
}

/// What the request said itself is not a receipt.
fn receipt(told: &Told) -> Setting {
    let key = told.call.keys.first().map(|key| String::from_utf8_lossy(key).into_owned()).unwrap_or_default();
    let sent = [&told.call.intent, &told.call.amount.to_string(), &key];
    let ranked = leaves(&told.reply).into_iter().filter(|(_, _, value)| !sent.contains(&value));
    let best = ranked.filter_map(|(at, path, _)| Some((names::receipt(&path)?, at))).min();
    match best {
        Some((_, at)) => set("receipt-at", &at, "Guessed: a replay has to name the same one."),
        None => set(
            "receipt-at",
            "none",
            "The reply names nothing that looks like a receipt; where it does, give its place, as in \"/id\".",
        ),
    }
}

/// Both settings are for the user to complete.
fn poll(reply: &Reply) -> Vec<Setting> {
    let urls = ["status_url", "statusUrl", "status_uri", "poll_url", "href", "self", "url", "location"];
    let in_body = || {
        let found = leaves(reply).into_iter().find(|(_, path, value)| {
            let is_url = value.starts_with('/') || value.starts_with("http");
            is_url && path.last().is_some_and(|name| urls.contains(&name.as_str()))
        });
        found.map(|(at, _, _)| at)
    };
    let at = reply.header("location").map(|_| "Location".to_owned()).or_else(in_body);
    let Some(at) = at else { return Vec::new() };
    let note =
        "It answered 202: with these two what becomes of it is waited for. Complete what its status says in the end.";
    let idle = |key, value: &str, notes: &[&str]| Setting {
        key,
        value: Value::One(plain(value)),
        notes: notes.iter().map(|note| (*note).to_owned()).collect(),
        is_active: false,
    };
    vec![idle("poll", &at, &[note]), idle("poll-done", "/status=done", &[])]
}

/// A complaint about the key names the header or the field that should have it, or how it is to be written.
fn key(reply: &Reply, sent: &str) -> Option<Setting> {
    let text = String::from_utf8_lossy(&reply.body).into_owned();
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let mut words = text.split(|c| !is_word(c)).filter(|word| names::is_key(word));
    let header = words.clone().find(|word| word.contains('-'));
    let field = words.find(|word| !word.contains('-') && word.to_ascii_lowercase().ends_with("key"));
    match (header, field) {
        (Some(header), _) if !header.eq_ignore_ascii_case(sent) => {
            Some(set("key-header", header, "Guessed: the answer asks for this header."))
        }
        (Some(_), _) if text.to_ascii_lowercase().contains("uuid") => {
            Some(set("key-format", "uuid", "Guessed: the answer asks for a UUID."))
        }
        (None, Some(field)) => Some(set("key-in", &format!("/{field}"), "Guessed: the answer asks for this field.")),
        (Some(_) | None, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::facts::fixtures::{call, success as answered};

    fn of(status: u16, headers: &[(&str, &str)], asked: &str, body: &str) -> (Vec<String>, bool) {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), value.as_bytes().to_vec())).collect();
        let reply = Reply { status, headers, body: body.as_bytes().to_vec() };
        let request = crate::http::client::Request {
            method: "POST".into(),
            host: "h".into(),
            target: "/".into(),
            headers: vec![],
            body: asked.as_bytes().to_vec(),
        };
        let told = Told { call: call("idem-1"), request, reply, answer: answered("r"), place: Ok(None) };
        let learned = learned(&told, "Idempotency-Key");
        let line = |setting: &Setting| {
            format!("{}{}", if setting.is_active { "" } else { "# " }, crate::config::line(setting.key, &setting.value))
        };
        (learned.settings.iter().map(line).collect(), learned.is_success)
    }

    #[test]
    fn a_receipt_is_guessed_from_a_success_alone() {
        let receipt = |body: &str| of(201, &[], "{}", body).0.join("; ");
        assert_eq!(receipt(r#"{"status":"ok","id":7,"receipt":"r-1"}"#), "receipt-at = \"/receipt\"");
        assert_eq!(receipt(r#"{"data":{"id":"x"},"request_id":"q"}"#), "receipt-at = \"/data/id\"");
        assert_eq!(receipt(r#"{"order_id":"idem-1","id":"k","number":1000}"#), "receipt-at = \"none\"");
        assert_eq!(receipt(r#"[{"id":1}]"#), "receipt-at = \"none\"");
        assert_eq!(receipt("done"), "receipt-at = \"none\"");
        assert_eq!(of(422, &[], "{}", r#"{"id":"x"}"#), (vec![], false));
    }

    #[test]
    fn graphql_and_flags_say_what_a_success_is() {
        let graphql = r#"{"query":"mutation{charge{id}}"}"#;
        let lines = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
        let all = lines(&["success-at = \"/data/charge=*\"", "receipt-at = \"/data/charge/id\""]);
        assert_eq!(of(200, &[], graphql, r#"{"data":{"charge":{"id":"c"}}}"#), (all, true));
        for (body, at) in [
            (r#"{"data":null,"errors":[{}]}"#, "/data=*"),
            (r#"{"data":{"charge":null}}"#, "/data/charge=*"),
            (r#"{"data":{"charge":{"id":"x"}},"errors":[{}]}"#, "/data/charge=*"),
        ] {
            assert_eq!(of(200, &[], graphql, body), (vec![format!("success-at = \"{at}\"")], false), "{body}");
        }
        assert_eq!(of(200, &[], "{}", r#"{"success":false}"#), (lines(&["success-at = \"/success\""]), false));
        assert!(of(200, &[], "{}", r#"{"data":{"id":"x"}}"#).1, "no query was asked");
    }

    #[test]
    fn what_a_202_waits_for_is_a_comment() {
        let polled = |headers: &[(&str, &str)], body: &str| of(202, headers, "{}", body).0[1..].join("; ");
        assert_eq!(polled(&[("Location", "/j/1")], "{}"), "# poll = \"Location\"; # poll-done = \"/status=done\"");
        assert_eq!(
            polled(&[], r#"{"links":{"self":"/j/1"}}"#),
            "# poll = \"/links/self\"; # poll-done = \"/status=done\""
        );
        assert_eq!(polled(&[], r#"{"self":"x"}"#), "");
    }

    #[test]
    fn a_complaint_about_the_key_says_where_it_goes() {
        let asks = |body: &str| of(400, &[], "{}", body).0.join("; ");
        assert_eq!(asks(r#"{"error":"header X-Idempotency-Key is missing"}"#), "key-header = \"X-Idempotency-Key\"");
        assert_eq!(asks("Idempotency-Key: not a UUID"), "key-format = \"uuid\"");
        assert_eq!(asks(r#"{"field":"idempotency_key"}"#), "key-in = \"/idempotency_key\"");
        assert_eq!(asks("Idempotency-Key reused"), "");
        assert_eq!(asks("no idempotency here"), "");
    }
}
