//! Servers that are correct but for one thing, and servers whose odd habit is allowed: what is found, and what is not.

use std::collections::HashMap;
use std::io::Write;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Mutex;

use serde_json::{Value, json};

use crate::servers::{Asked, read, start};
use crate::support::{Ran, idem};
use crate::{row, verdicts};

/// What is kept under a key: the body, the status and the reply.
pub type Kept = (Value, u16, Value);

/// A charge server whose rules a test alters.
pub struct Shop {
    ledger: std::path::PathBuf,
    pub kept: HashMap<String, Kept>,
    /// Receipts are numbered from it.
    pub charges: usize,
}

impl Shop {
    /// With an empty ledger.
    pub fn new(ledger: &Path) -> Shop {
        std::fs::write(ledger, "").unwrap();
        Shop { ledger: ledger.into(), kept: HashMap::new(), charges: 0 }
    }

    pub fn charge(&mut self, asked: &Asked) -> Value {
        self.charges += 1;
        let mut file = std::fs::OpenOptions::new().append(true).open(&self.ledger).unwrap();
        writeln!(file, "{}", json!({"intent": asked.body["intent"]})).unwrap();
        json!({"receipt": format!("r-{}", self.charges)})
    }

    /// As a correct server does it, with what counts as the key and as the payload.
    pub fn serve(&mut self, asked: &Asked, key: &str, payload: Value) -> (u16, Value) {
        match self.kept.get(key) {
            Some((first, status, reply)) if *first == payload => (*status, reply.clone()),
            Some(_) => (422, json!({"error": "key reused"})),
            None => {
                let reply = self.charge(asked);
                self.kept.insert(key.into(), (payload, 200, reply.clone()));
                (200, reply)
            }
        }
    }
}

/// A server that answers one request after another by a rule.
pub fn shop(ledger: &Path, rule: impl Fn(&mut Shop, &Asked) -> (u16, Value) + Send + Sync + 'static) -> SocketAddr {
    let shop = Mutex::new(Shop::new(ledger));
    start(move |stream| {
        let Some(asked) = read(&stream) else { return true };
        let (status, reply) = rule(&mut shop.lock().unwrap(), &asked);
        crate::servers::reply(&stream, status, &reply.to_string());
        true
    })
}

/// A probe of such a server; `more` is separated by single spaces.
pub fn probed(rule: impl Fn(&mut Shop, &Asked) -> (u16, Value) + Send + Sync + 'static, more: &str) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("charges.jsonl");
    crate::probe(shop(&ledger, rule), &ledger, &format!("--lease 200ms {more}"))
}

fn key(asked: &Asked) -> String {
    asked.key().unwrap_or_default().to_owned()
}

fn correct(shop: &mut Shop, asked: &Asked) -> (u16, Value) {
    shop.serve(asked, &key(asked), asked.body.clone())
}

pub fn verdict(ran: &Ran, check: &str) -> String {
    verdicts(ran)[check].clone()
}

/// A correct target that is short of something for a moment: each order's first request is answered 503, and nothing of it
/// is kept. What comes next under the key has it then, so another payload is only tried once the first succeeded.
#[test]
fn a_first_request_that_fails_gives_its_key_to_no_other_payload() {
    let seen = std::sync::Mutex::new(std::collections::HashSet::new());
    let short = move |shop: &mut Shop, asked: &Asked| {
        let intent = asked.body["intent"].to_string();
        let is_tried = intent.contains("-leave-") || intent.contains("-reuse-");
        let is_first = is_tried && seen.lock().unwrap().insert(key(asked));
        if is_first { (503, json!({"error": "upstream"})) } else { correct(shop, asked) }
    };
    let ran = probed(short, "--check left_replay --check key_reuse").exits(0);
    assert_eq!((verdict(&ran, "left_replay"), verdict(&ran, "key_reuse")), ("OK".to_owned(), "OK".to_owned()));
}

/// With `--header Authorization`, which holds a space.
fn credentialed(rule: impl Fn(&mut Shop, &Asked) -> (u16, Value) + Send + Sync + 'static) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("charges.jsonl");
    let target = format!("http://{}/charges", shop(&ledger, rule));
    let mut command = idem(["probe", "--format", "json", "--lease", "200ms", "--check", "bad_credential_first"]);
    command.args(["--header", "Authorization: Bearer one", "--target", &target, "--ledger"]).arg(&ledger);
    command.output().unwrap().into()
}

#[test]
fn a_target_that_takes_anonymous_requests_is_told_and_no_duplicate() {
    let by_principal = |shop: &mut Shop, asked: &Asked| {
        let who = asked.field("authorization").unwrap_or("anonymous");
        shop.serve(asked, &format!("{who} {}", key(asked)), asked.body.clone())
    };
    let ran = credentialed(by_principal).exits(0);
    let row = row(&ran, "bad_credential_first");
    assert_eq!(row["verdict"], "SKIPPED");
    assert!(row["evidence"].as_str().unwrap().contains("takes anonymous requests"), "{row}");
}

#[test]
fn a_retry_from_elsewhere_that_is_refused_for_good_is_a_finding() {
    for status in [422, 500] {
        let scoped = move |shop: &mut Shop, asked: &Asked| {
            let payload = json!([asked.body, asked.field("user-agent")]);
            match shop.serve(asked, &key(asked), payload) {
                (422, reply) => (status, reply),
                other => other,
            }
        };
        let ran = probed(scoped, "--check replay_elsewhere").exits(2);
        let row = row(&ran, "replay_elsewhere");
        assert_eq!(row["verdict"], "STICKY");
        assert!(row["evidence"].as_str().unwrap().contains("another User-Agent"), "{row}");
    }
}

/// What a server makes of a key before it looks it up.
type Form = fn(&str) -> String;

/// Looks the key up under another form, and refuses what differs from the first payload.
fn looked_up(form: Form) -> String {
    let rule = move |shop: &mut Shop, asked: &Asked| shop.serve(asked, &form(&key(asked)), asked.body.clone());
    let ran = probed(rule, "--check odd_keys");
    let row = row(&ran, "odd_keys");
    format!("{} {}", row["verdict"].as_str().unwrap(), row["evidence"].as_str().unwrap())
}

#[test]
fn a_second_key_that_is_taken_for_the_first_and_refused_is_a_finding() {
    let forms: [(Form, &str); 8] = [
        (|key| key.chars().take(32).collect(), "last of 40 characters"),
        (str::to_lowercase, "letter case"),
        (|key| key.replace(['-', '_'], ""), "punctuation"),
        // As fastapi-idempotent 0.0.3 does it, which takes letters and digits only.
        (|key| key.replace('-', ""), "a hyphen"),
        // As a file's name, or a part of a Redis key.
        (|key| key.split(':').next().unwrap_or_default().to_owned(), "what follows a colon"),
        (|key| key.split('.').next().unwrap_or_default().to_owned(), "what follows a dot"),
        (
            |key| key.bytes().map(u32::from).sum::<u32>().to_string() + &key.chars().take(16).collect::<String>(),
            "the order of characters",
        ),
        (|key| key.split_whitespace().collect::<Vec<_>>().join(" "), "white space"),
    ];
    for (form, named) in forms {
        let found = looked_up(form);
        assert!(found.starts_with("STICKY") && found.contains(named), "{found}");
    }
}

#[test]
fn keys_that_are_trimmed_or_refused_by_their_form_are_no_finding() {
    assert!(looked_up(|key| key.trim().to_owned()).starts_with("OK"));
    let bounded = |shop: &mut Shop, asked: &Asked| {
        let key = key(asked);
        let plain = key.len() <= 36 && key.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_lowercase());
        if plain { shop.serve(asked, &key, asked.body.clone()) } else { (400, json!({"error": "not a key"})) }
    };
    assert_eq!(verdict(&probed(bounded, "--check odd_keys").exits(0), "odd_keys"), "OK");
}

#[test]
fn a_refused_mismatch_must_not_take_the_place_of_the_success() {
    let overwrites = |shop: &mut Shop, asked: &Asked| {
        let answer = correct(shop, asked);
        if answer.0 == 422 {
            let (payload, _, _) = shop.kept[&key(asked)].clone();
            shop.kept.insert(key(asked), (payload, 422, answer.1.clone()));
        }
        answer
    };
    assert_eq!(verdict(&probed(overwrites, "--check key_reuse").exits(2), "key_reuse"), "STICKY");
}

#[test]
fn a_conflict_that_names_the_receipt_is_a_success_of_the_original_and_a_refusal_of_the_other() {
    let conflicts = |shop: &mut Shop, asked: &Asked| {
        let known = shop.kept.get(&key(asked)).map(|(_, _, reply)| reply.clone());
        known.map(|reply| (409, reply)).unwrap_or_else(|| correct(shop, asked))
    };
    assert_eq!(verdict(&probed(conflicts, "--check key_reuse --check replay_elsewhere").exits(0), "key_reuse"), "OK");
}

#[test]
fn two_orders_of_one_amount_without_a_key_are_not_one() {
    let by_amount = |shop: &mut Shop, asked: &Asked| match asked.key() {
        Some(_) => correct(shop, asked),
        None => {
            let amount = asked.body["amount"].to_string();
            shop.serve(asked, &amount, Value::Null)
        }
    };
    assert_eq!(verdict(&probed(by_amount, "--check no_key").exits(2), "no_key"), "SWALLOWED");
    let refuses = |shop: &mut Shop, asked: &Asked| match asked.key() {
        Some(_) => correct(shop, asked),
        None => (400, json!({"error": "no key"})),
    };
    assert_eq!(verdict(&probed(refuses, "--check no_key").exits(0), "no_key"), "OK");
}

#[test]
fn a_receipt_that_comes_again_for_another_charge_is_a_finding_of_the_later_row() {
    let few = |shop: &mut Shop, asked: &Asked| {
        // Numbers start anew, as with a counter in memory after a restart.
        if shop.charges == 7 {
            shop.charges = 0;
        }
        correct(shop, asked)
    };
    let ran = probed(few, "--check replay --check post_drop").exits(2);
    assert_eq!((verdict(&ran, "replay").as_str(), verdict(&ran, "post_drop").as_str()), ("OK", "SWALLOWED"));
    let evidence = row(&ran, "post_drop")["evidence"].to_string();
    assert!(evidence.contains("names receipt r-1, which is that of another charge"), "{evidence}");
}

#[test]
fn a_target_that_names_no_receipts_has_none_in_common() {
    let nameless = |shop: &mut Shop, asked: &Asked| match correct(shop, asked) {
        (200, _) => (200, json!({"status": "charged"})),
        refused => refused,
    };
    let ran = probed(nameless, "--check replay --check crowd --check no_key").exits(0);
    assert!(verdicts(&ran).values().all(|verdict| verdict == "OK"), "{}", ran.stdout);
}

#[test]
fn nothing_that_a_target_says_acts_on_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("charges.jsonl");
    // A receipt and a refusal with colours, a title and a right-to-left override, and a header likewise.
    let rude = |shop: &mut Shop, asked: &Asked| {
        let mut reply = shop.charge(asked);
        if asked.body["intent"].as_str().unwrap().contains("-replay-") {
            reply["receipt"] = json!(format!("\u{1b}[31m\u{202e}\u{9b}2J {}", shop.charges));
        }
        if shop.charges.is_multiple_of(3) { (422, json!({"error": "\u{1b}]0;title\u{7}"})) } else { (200, reply) }
    };
    let target = format!("http://{}/charges", shop(&ledger, rude));
    for format in ["text", "table", "junit"] {
        let mut command = idem(["probe", "--format", format, "--lease", "100ms", "--check", "replay", "--target"]);
        command.args([&target, "--ledger"]).arg(&ledger).args(["--header", "X-Odd: a\u{1b}b", "--check", "post_drop"]);
        let ran: Ran = command.output().unwrap().into();
        let human = ran.stdout.split("\n{\n").next().unwrap();
        let acts = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
        let shown = if format == "junit" { human.replace(['\u{202e}', '\u{9b}'], "") } else { human.to_owned() };
        assert!(!shown.contains(acts), "{format}: {human:?}");
        assert!(!ran.stderr.contains(acts), "{:?}", ran.stderr);
        assert!(ran.stdout.contains("replay"), "{}", ran.stdout);
    }
}
