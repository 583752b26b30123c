//! Options that say what the request, the reply and the records look like: each has an effect.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Mutex;

use serde_json::{Value, json};

use crate::row;
use crate::servers::{Asked, read, reply, start};
use crate::support::{Ran, idem};

fn probe(address: SocketAddr, args: &[&str]) -> Ran {
    let mut command = idem(["probe", "--format", "json", "--target", &format!("http://{address}/charges")]);
    command.args(args).output().expect("idem starts").into()
}

/// Keys in the body, success told by a field, the ledger behind a GET that wants a header and hides its array.
fn unusual() -> SocketAddr {
    let charges: Mutex<HashMap<String, Value>> = Mutex::default();
    start(move |stream| {
        let Some(asked) = read(&stream) else { return true };
        let mut charges = charges.lock().unwrap();
        match (asked.method.as_str(), asked.field("x-auditor")) {
            ("GET", Some("me")) => {
                let items: Vec<_> = charges.values().cloned().collect();
                reply(&stream, 200, &json!({"data": {"items": items}}).to_string());
            }
            ("PUT", None) => {
                let key = asked.body.pointer("/meta/key").and_then(Value::as_str).unwrap_or_default().to_owned();
                let fresh = json!({"order": {"id": asked.body["order"]}, "n": charges.len()});
                let charge = charges.entry(key).or_insert(fresh);
                let said = match charge["order"]["id"] == asked.body["order"] {
                    true => json!({"ok": true, "result": {"id": charge["n"]}}),
                    false => json!({"ok": false, "why": "key reused"}),
                };
                reply(&stream, 200, &said.to_string());
            }
            _ => reply(&stream, 400, "{}"),
        }
        true
    })
}

#[test]
fn a_service_of_another_shape_is_probed_as_well() {
    let address = unusual();
    let ledger = format!("http://{address}/ledger");
    let options = [
        "--method",
        "PUT",
        "--body",
        r#"{"order":"{{intent}}"}"#,
        "--key-in",
        "/meta/key",
        "--success-at",
        "/ok",
        "--receipt-at",
        "/result/id",
        "--ledger",
        &ledger,
        "--ledger-items",
        "/data/items",
        "--ledger-header",
        "X-Auditor: me",
        "--intent-at",
        "/order/id",
        "--check",
        "replay",
        "--check",
        "key_reuse",
    ];
    let ran = probe(address, &options).exits(0);
    assert_eq!(row(&ran, "key_reuse")["measured"]["charges"], 6);
    // Without the field that denies it, the refusal reads as an old success.
    let without: Vec<_> = options.into_iter().filter(|option| !["--success-at", "/ok"].contains(option)).collect();
    assert_eq!(row(&probe(address, &without).exits(2), "key_reuse")["verdict"], "SWALLOWED");
}

/// The first answer under a key is kept for everyone, whoever asked.
fn forgetful_of_principals(ledger: &std::path::Path) -> SocketAddr {
    let (ledger, keys) = (ledger.to_owned(), Mutex::new(HashMap::<String, (u16, String)>::new()));
    start(move |stream| {
        let Some(asked) = read(&stream) else { return true };
        let mut keys = keys.lock().unwrap();
        let count = keys.len();
        let first = || match asked.field("authorization") {
            Some(_) => (200, charge(&ledger, &asked, count)),
            None => (401, "{}".to_owned()),
        };
        let (status, body) = keys.entry(asked.key().unwrap_or("none").to_owned()).or_insert_with(first);
        reply(&stream, *status, body);
        true
    })
}

fn charge(ledger: &std::path::Path, asked: &Asked, n: usize) -> String {
    use std::io::Write;
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(ledger).unwrap();
    writeln!(file, "{{\"intent\":{}}}", asked.body["intent"]).unwrap();
    format!("{{\"receipt\":\"r-{n}\"}}")
}

#[test]
fn one_principals_answer_for_another_is_leaked_and_a_stored_refusal_is_sticky() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("charges.jsonl");
    let address = forgetful_of_principals(&ledger);
    let options = [
        "--ledger",
        ledger.to_str().unwrap(),
        "--lease",
        "300ms",
        "--header",
        "Authorization: Bearer the-first-one",
        "--other-credential",
        "Authorization: Bearer another-one",
        "--check",
        "principals",
        "--check",
        "bad_credential_first",
    ];
    let ran = probe(address, &options).exits(2);
    assert_eq!(row(&ran, "principals")["verdict"], "LEAKED");
    assert_eq!(row(&ran, "bad_credential_first")["verdict"], "STICKY");
    assert!(!ran.stdout.contains("the-first-one") && !ran.stdout.contains("another-one"), "{}", ran.stdout);
}

/// A key belongs to who used it first, of two who may ask.
fn strict_of_principals(ledger: &std::path::Path) -> SocketAddr {
    let (ledger, keys) = (ledger.to_owned(), Mutex::new(HashMap::<String, (String, String)>::new()));
    start(move |stream| {
        let Some(asked) = read(&stream) else { return true };
        let who = asked.field("authorization").unwrap_or_default().to_owned();
        let mut keys = keys.lock().unwrap();
        let count = keys.len();
        let key = asked.key().unwrap_or("none").to_owned();
        if !["Bearer one", "Bearer two"].contains(&who.as_str()) {
            reply(&stream, 401, "{}");
            return true;
        }
        let (owner, body) = keys.entry(key).or_insert_with(|| (who.clone(), charge(&ledger, &asked, count)));
        reply(&stream, if *owner == who { 200 } else { 403 }, if *owner == who { body } else { "{}" });
        true
    })
}

#[test]
fn a_second_principal_that_may_ask_nothing_shows_nothing() {
    for (other, exit, says) in [("Bearer two", 0, "OK"), ("Bearer three", 3, "ERROR")] {
        let folder = tempfile::tempdir().unwrap();
        let ledger = folder.path().join("charges.jsonl");
        let address = strict_of_principals(&ledger);
        let other = format!("Authorization: {other}");
        let options = ["--ledger", ledger.to_str().unwrap(), "--header", "Authorization: Bearer one"];
        let options = [&options[..], &["--other-credential", &other, "--check", "principals"]].concat();
        let ran = probe(address, &options).exits(exit);
        assert_eq!(row(&ran, "principals")["verdict"], says);
        assert_eq!(ran.stdout.contains("does not take the other credential"), exit == 3);
    }
}

/// Keyed by what other servers have for tracing.
#[test]
fn the_header_that_carries_the_key_is_not_varied() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("charges.jsonl");
    let (file, keys) = (ledger.clone(), Mutex::new(HashMap::<String, String>::new()));
    let address = start(move |stream| {
        let Some(asked) = read(&stream) else { return true };
        let mut keys = keys.lock().unwrap();
        let count = keys.len();
        let key = asked.field("x-request-id").expect("the key").to_owned();
        reply(&stream, 200, keys.entry(key).or_insert_with(|| charge(&file, &asked, count)));
        true
    });
    let ledger = ledger.to_str().unwrap();
    let ran = probe(address, &["--ledger", ledger, "--key-header", "x-request-id", "--check", "replay_elsewhere"]);
    assert_eq!(row(&ran.exits(0), "replay_elsewhere")["measured"]["charges"], 14);
}
