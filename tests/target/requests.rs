//! Requests of every shape that real endpoints have: forms, keys in the URL and in fields, bodies of an unknown type.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex};

use crate::recipes::recipe;
use crate::servers::{Asked, read, reply, start};
use crate::support::{Ran, idem};
use crate::{row, verdicts};

/// A probe with these options; `checks` is separated by single spaces.
pub fn probe(target: &str, ledger: &Path, options: &[&str], checks: &str) -> Ran {
    let mut command = idem(["probe", "--format", "json", "--lease", "300ms", "--target", target, "--ledger"]);
    command.arg(ledger).args(options);
    command.args(checks.split(' ').flat_map(|check| ["--check", check]));
    command.output().expect("idem starts").into()
}

/// The fields of a form, decoded by Python's rules as far as these tests use them.
fn fields(form: &str) -> Vec<(String, String)> {
    let plain = |text: &str| {
        let (mut out, mut bytes) = (Vec::new(), text.bytes());
        while let Some(byte) = bytes.next() {
            match byte {
                b'+' => out.push(b' '),
                b'%' => {
                    let code = [bytes.next().unwrap(), bytes.next().unwrap()];
                    out.push(u8::from_str_radix(std::str::from_utf8(&code).unwrap(), 16).unwrap());
                }
                _ => out.push(byte),
            }
        }
        String::from_utf8(out).unwrap()
    };
    let pairs = form.split('&').filter_map(|field| field.split_once('='));
    let mut fields: Vec<_> = pairs.map(|(name, value)| (plain(name), plain(value))).collect();
    fields.sort();
    fields
}

fn value(fields: &[(String, String)], name: &str) -> Option<String> {
    fields.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
}

/// Charges under one lock, whatever identifies them.
#[derive(Clone)]
pub struct Shop {
    ledger: PathBuf,
    kept: Arc<Mutex<HashMap<String, (String, String)>>>,
}

impl Shop {
    pub fn new(ledger: &Path) -> Shop {
        std::fs::write(ledger, "").unwrap();
        Shop { ledger: ledger.into(), kept: Arc::default() }
    }

    pub fn charge(&self, intent: &str, n: usize) -> String {
        use std::io::Write;
        let mut file = std::fs::OpenOptions::new().append(true).open(&self.ledger).unwrap();
        writeln!(file, "{{\"order\":\"{intent}\"}}").unwrap();
        format!("{{\"id\":\"ch_{n}\"}}")
    }

    /// Status and reply: the first one's, or a refusal of another payload.
    pub fn once(&self, key: &str, payload: String, intent: &str) -> (u16, String) {
        let mut kept = self.kept.lock().unwrap();
        let n = kept.len();
        let (first, said) = kept.entry(key.into()).or_insert_with(|| (payload.clone(), self.charge(intent, n)));
        if *first == payload { (200, said.clone()) } else { (400, r#"{"error":{"type":"idempotency_error"}}"#.into()) }
    }
}

/// As Stripe: a form with nested names, one charge a key, another payload refused. A racy one looks up and charges in two
/// steps: where two connections are open, as in a race, both look up before either charges.
fn stripe_like(ledger: &Path, is_racy: bool) -> SocketAddr {
    let (shop, arrivals) = (Shop::new(ledger), Arc::new((Mutex::new(HashMap::<String, usize>::new()), Condvar::new())));
    let open = Arc::new(());
    start(move |stream| {
        let (shop, arrivals, open) = (shop.clone(), arrivals.clone(), open.clone());
        std::thread::spawn(move || {
            let Some(asked) = read(&stream) else { return };
            let fields = fields(&asked.raw);
            let typed = asked.field("content-type").is_some_and(|t| t.starts_with("application/x-www-form-urlencoded"));
            let (key, intent) = (asked.key().unwrap_or_default().to_owned(), value(&fields, "metadata[order]"));
            let (true, Some(intent)) = (typed, intent) else { return reply(&stream, 400, "{}") };
            let is_known = shop.kept.lock().unwrap().contains_key(&key);
            // Each open connection holds it, and so does the listener.
            if is_racy && !is_known && Arc::strong_count(&open) > 2 {
                let (counts, more) = &*arrivals;
                let mut counts = counts.lock().unwrap();
                *counts.entry(key.clone()).or_default() += 1;
                more.notify_all();
                let patience = std::time::Duration::from_secs(2);
                drop(more.wait_timeout_while(counts, patience, |counts| counts[&key] < 2).unwrap());
                let said = shop.charge(&intent, shop.kept.lock().unwrap().len());
                shop.kept.lock().unwrap().insert(key, (format!("{fields:?}"), said.clone()));
                return reply(&stream, 200, &said);
            }
            let (status, said) = shop.once(&key, format!("{fields:?}"), &intent);
            reply(&stream, status, &said);
        });
        true
    })
}

const FORM: &[&str] = &[
    "--body",
    "amount={{amount}}&currency=eur&description=Order {{intent}}&metadata[order]={{intent}}",
    "--receipt-at",
    "/id",
    "--intent-at",
    "/order",
];

#[test]
fn a_form_endpoint_is_probed_field_by_field() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("charges.jsonl");
    let target = format!("http://{}/v1/charges", stripe_like(&ledger, false));
    let checks = "replay equivalent_body replay_rewritten key_reuse race_2 odd_keys";
    let ran = probe(&target, &ledger, FORM, checks).exits(0);
    assert!(verdicts(&ran).values().all(|verdict| verdict == "OK"), "{}", ran.stdout);
    // Two after completion and four in flight for amount and intent each; one for the one field that never changes.
    assert_eq!(row(&ran, "key_reuse")["measured"]["charges"], 13);
    assert!(!ran.stdout.contains("anew"), "no remark that a body written anew was refused: {}", ran.stdout);
}

#[test]
fn a_form_endpoint_that_checks_and_then_inserts_is_found_by_the_race() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("charges.jsonl");
    let target = format!("http://{}/v1/charges", stripe_like(&ledger, true));
    let ran = probe(&target, &ledger, FORM, "replay race_2").exits(2);
    assert_eq!((verdicts(&ran)["replay"].as_str(), verdicts(&ran)["race_2"].as_str()), ("OK", "DUPLICATE"));
}

/// A server with a rule that gives key, payload and intent of a request; None is refused.
fn keyed(ledger: &Path, rule: impl Fn(&Asked) -> Option<[String; 3]> + Send + Sync + 'static) -> SocketAddr {
    let shop = Shop::new(ledger);
    start(move |stream| {
        let Some(asked) = read(&stream) else { return true };
        match rule(&asked) {
            Some([key, payload, intent]) => {
                let (status, said) = shop.once(&key, payload, &intent);
                reply(&stream, status, &said);
            }
            None => reply(&stream, 404, "{}"),
        }
        true
    })
}

const REST: &[&str] = &["--receipt-at", "/id", "--intent-at", "/order"];

#[test]
fn what_a_put_names_in_its_url_is_the_key() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("charges.jsonl");
    let server = keyed(&ledger, |asked| {
        let intent = asked.target.strip_prefix("/charges/")?.to_owned();
        assert!(asked.key().is_none() && asked.method == "PUT", "no key beside the URL");
        Some([intent.clone(), asked.body.to_string(), intent])
    });
    let options = [REST, &["--method", "PUT", "--body", r#"{"amount":{{amount}}}"#]].concat();
    let at = [("127.0.0.1:8080", &*server.to_string())];
    let named = "--receipt-at /id --intent-at /order --format json --check replay --check race_2";
    let ran = recipe("A resource", folder.path(), &at, named).exits(0);
    assert!(verdicts(&ran).values().all(|verdict| verdict == "OK"), "{}", ran.stdout);
    let target = format!("http://{server}/charges/{{{{intent}}}}");
    let checks = "replay key_reuse left_replay no_key odd_keys equivalent_body race_2";
    let ran = probe(&target, &ledger, &options, checks).exits(0);
    let verdicts = verdicts(&ran);
    let skipped: Vec<_> = verdicts.iter().filter(|(_, v)| *v == "SKIPPED").map(|(check, _)| check.as_str()).collect();
    assert_eq!(skipped, ["no_key", "odd_keys"], "{}", ran.stdout);
    assert!(verdicts.values().all(|verdict| verdict == "OK" || verdict == "SKIPPED"), "{}", ran.stdout);
    assert_eq!(row(&ran, "key_reuse")["measured"]["charges"], 6, "amounts alone: another intent has another key");
    assert_eq!(ran.json()["target"]["key"], "url {{intent}}");
}

#[test]
fn a_key_goes_into_the_query_or_a_form_field() {
    for (place, body) in [("query:request id", ""), ("form:request id", "amount={{amount}}&order={{intent}}")] {
        let folder = tempfile::tempdir().unwrap();
        let ledger = folder.path().join("charges.jsonl");
        let server = keyed(&ledger, |asked| {
            let query = asked.target.split_once('?').map_or("", |(_, query)| query);
            let all = fields(&format!("{query}&{}", asked.raw));
            let key = value(&all, "request id").unwrap_or_else(|| format!("none {all:?}"));
            Some([key, format!("{all:?}"), value(&all, "order")?])
        });
        let path = if body.is_empty() { "/charges?order={{intent}}&amount={{amount}}" } else { "/charges" };
        let options = [REST, &["--key-in", place, "--body", body]].concat();
        let ran = probe(&format!("http://{server}{path}"), &ledger, &options, "replay key_reuse odd_keys").exits(0);
        assert!(verdicts(&ran).values().all(|verdict| verdict == "OK"), "{place}: {}", ran.stdout);
        assert_eq!(ran.json()["target"]["key"], place.replace(':', " "));
    }
}

#[test]
fn a_body_of_another_type_is_sent_as_it_is_with_its_key_where_the_template_says() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("charges.jsonl");
    let part = |text: &str, from: &str, to: &str| -> Option<String> {
        Some(text.split_once(from)?.1.split_once(to)?.0.to_owned())
    };
    let server = keyed(&ledger, move |asked| {
        assert_eq!(asked.field("content-type").map(|t| t.split(';').next().unwrap()), Some("application/xml"));
        assert!(asked.field("idempotency-key").is_none(), "the key is in the body alone");
        let (id, intent) = (part(&asked.raw, "id='", "'")?, part(&asked.raw, "<for>", "</for>")?);
        // The time and the UUID of an intent are the same in each of its requests, those of a header are not.
        let (at, uuid) = (asked.field("x-at")?.to_owned(), asked.field("x-nonce")?.to_owned());
        assert!(at.ends_with('Z') && uuid.len() == 36, "{at} {uuid}");
        Some([id, asked.raw.clone(), intent])
    });
    let body =
        "<order id='{{key}}' at='{{now}}' since='{{now_epoch}}' trace='{{uuid}}'><for>{{intent}}</for></order>\n";
    let options = ["--content-type", "application/xml", "--header", "X-At: {{now}}", "--header", "X-Nonce: {{uuid}}"];
    let options = [REST, &options, &["--body", body]].concat();
    let checks = "replay equivalent_body no_key key_reuse race_2 replay_rewritten";
    let ran = probe(&format!("http://{server}/orders"), &ledger, &options, checks).exits(0);
    assert_eq!(row(&ran, "equivalent_body")["verdict"], "SKIPPED");
    assert!(row(&ran, "equivalent_body")["evidence"].to_string().contains("neither JSON nor a form"));
    assert_eq!(row(&ran, "no_key")["verdict"], "SKIPPED");
    assert!(!ran.stdout.contains("written anew"), "{}", ran.stdout);
}

#[test]
fn what_a_form_endpoint_forgets_of_its_fields_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("charges.jsonl");
    let of = |fields: &[(String, String)], name| value(fields, name).unwrap_or_default();
    let by_bytes = keyed(&ledger, move |asked| {
        Some([format!("{:?} {}", asked.key(), asked.raw), String::new(), of(&fields(&asked.raw), "metadata[order]")])
    });
    let ran = probe(&format!("http://{by_bytes}/charges"), &ledger, FORM, "replay equivalent_body").exits(2);
    assert_eq!((verdicts(&ran)["replay"].as_str(), verdicts(&ran)["equivalent_body"].as_str()), ("OK", "DUPLICATE"));
    let but_currency = keyed(&ledger, move |asked| {
        let all = fields(&asked.raw);
        let looked_at: Vec<_> = all.iter().filter(|(name, _)| name != "currency").collect();
        Some([asked.key()?.to_owned(), format!("{looked_at:?}"), of(&all, "metadata[order]")])
    });
    let ran = probe(&format!("http://{but_currency}/charges"), &ledger, FORM, "key_reuse").exits(2);
    assert_eq!(row(&ran, "key_reuse")["verdict"], "SWALLOWED");
    assert!(
        row(&ran, "key_reuse")["evidence"].to_string().contains("another currency, after completion, 1 of 13 keys")
    );
}
