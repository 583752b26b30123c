//! Servers that hold one thing of a request for a part of the key, though retries change it: each is found by the check
//! that varies it; and servers that only refuse what they cannot take are not.

use std::net::SocketAddr;
use std::path::Path;

use serde_json::{Value, json};

use crate::faults::{Shop, probed, shop, verdict};
use crate::row;
use crate::servers::Asked;
use crate::support::{Ran, idem};

/// A part of a request, as text.
type Part = fn(&Asked) -> String;

/// A rule by which the key is looked up together with `part` of the request.
fn scoped(part: Part) -> impl Fn(&mut Shop, &Asked) -> (u16, Value) + Send + Sync {
    move |shop, asked| {
        let key = asked.key().unwrap_or_default();
        shop.serve(asked, &format!("{key} {}", part(asked)), asked.body.clone())
    }
}

fn field(asked: &Asked, name: &str) -> String {
    asked.field(name).unwrap_or_default().to_owned()
}

#[test]
fn what_a_retry_may_change_is_no_part_of_the_key() {
    let parts: [(&str, Part); 10] = [
        ("Content-Type with charset", |asked| field(asked, "content-type")),
        ("another Accept", |asked| field(asked, "accept")),
        ("another Accept-Encoding", |asked| field(asked, "accept-encoding")),
        ("another Accept-Language", |asked| field(asked, "accept-language")),
        ("Host spelled otherwise", |asked| field(asked, "host")),
        ("body in chunks", |asked| field(asked, "transfer-encoding")),
        ("Expect: 100-continue", |asked| field(asked, "expect")),
        ("HTTP/1.0", |asked| asked.version.clone()),
        ("headers in another order", |asked| asked.names().next().unwrap_or_default().to_owned()),
        ("header names in lower case", |asked| asked.names().any(|name| name == "Idempotency-Key").to_string()),
    ];
    for (label, part) in parts {
        let ran = probed(scoped(part), "--check replay_rewritten").exits(2);
        let row = row(&ran, "replay_rewritten");
        assert_eq!(row["verdict"], "DUPLICATE", "{label}");
        assert!(row["evidence"].as_str().unwrap().contains(label), "{label}: {row}");
    }
}

#[test]
fn where_a_retry_comes_from_is_no_part_of_the_key() {
    let parts: [(&str, Part); 4] = [
        ("another traceparent", |asked| field(asked, "traceparent")),
        ("a count of attempts", |asked| field(asked, "x-retry-count")),
        ("a count of attempts as AWS", |asked| field(asked, "amz-sdk-request")),
        ("another X-Forwarded-For", |asked| field(asked, "x-forwarded-for")),
    ];
    for (label, part) in parts {
        let ran = probed(scoped(part), "--check replay_elsewhere").exits(2);
        assert!(row(&ran, "replay_elsewhere")["evidence"].to_string().contains(label), "{label}");
    }
}

#[test]
fn a_large_request_that_passes_by_the_keys_is_found() {
    let bypass = |shop: &mut Shop, asked: &Asked| match asked.body.to_string().len() {
        0..=50_000 => shop.serve(asked, asked.key().unwrap_or_default(), asked.body.clone()),
        _ => (200, shop.charge(asked)),
    };
    let ran = probed(bypass, "--check replay_rewritten").exits(2);
    assert!(row(&ran, "replay_rewritten")["evidence"].to_string().contains("body of 100 kB"), "{}", ran.stdout);
}

#[test]
fn a_form_that_is_refused_with_any_key_is_told_and_no_finding() {
    let plain = |shop: &mut Shop, asked: &Asked| {
        let odd = asked.field("transfer-encoding").is_some() || asked.field("expect").is_some();
        let large = asked.body.to_string().len() > 50_000;
        match (odd, large) {
            (true, _) => (411, json!({"error": "length required"})),
            (_, true) => (413, json!({"error": "too large"})),
            _ => shop.serve(asked, asked.key().unwrap_or_default(), asked.body.clone()),
        }
    };
    let ran = probed(plain, "--check replay_rewritten --check race_varied").exits(0);
    let evidence = row(&ran, "replay_rewritten")["evidence"].to_string();
    for label in ["body in chunks", "Expect: 100-continue", "body of 100 kB"] {
        assert!(evidence.contains(&format!("{label}: not taken by this target, 41")), "{label}: {evidence}");
    }
}

#[test]
fn a_form_that_is_refused_only_as_a_retry_is_a_finding_and_a_body_written_anew_a_remark() {
    let fingerprint = |part: Part| {
        move |shop: &mut Shop, asked: &Asked| {
            shop.serve(asked, asked.key().unwrap_or_default(), json!([asked.body, part(asked)]))
        }
    };
    let ran = probed(fingerprint(|asked| field(asked, "accept")), "--check replay_rewritten").exits(2);
    assert_eq!(verdict(&ran, "replay_rewritten"), "STICKY");
    let strict = || fingerprint(|asked| asked.raw.clone());
    let ran = probed(strict(), "--check replay_rewritten").exits(0);
    let evidence = row(&ran, "replay_rewritten")["evidence"].to_string();
    assert!(evidence.contains("body written anew: refused, 422") && evidence.contains("strict-body"), "{evidence}");
    let ran = probed(strict(), "--check replay_rewritten --accept strict-body").exits(0);
    assert!(!row(&ran, "replay_rewritten")["evidence"].to_string().contains("anew"), "{}", ran.stdout);
}

/// The shop takes the connections of a race in their order, so here the copy that is written anew has the key.
#[test]
fn a_strict_target_may_give_the_key_to_the_copy_that_is_written_anew() {
    let seen = std::sync::Mutex::new(std::collections::HashSet::new());
    let short = move |shop: &mut Shop, asked: &Asked| {
        let is_raced = asked.body["intent"].to_string().contains("-race_varied-");
        let is_first = is_raced && seen.lock().unwrap().insert(asked.key().unwrap_or_default().to_owned());
        if is_first {
            return (503, json!({"error": "upstream"}));
        }
        shop.serve(asked, asked.key().unwrap_or_default(), json!([asked.body, asked.raw]))
    };
    let ran = probed(short, "--check race_varied").exits(0);
    assert_eq!(verdict(&ran, "race_varied"), "OK");
}

#[test]
fn every_field_of_the_body_is_a_part_of_the_payload() {
    for forgotten in ["/currency", "/customer/id", "/note"] {
        let folder = tempfile::tempdir().unwrap();
        let ledger = folder.path().join("charges.jsonl");
        let rule = move |shop: &mut Shop, asked: &Asked| {
            let mut payload = asked.body.clone();
            let place = payload.pointer_mut(forgotten).unwrap();
            // All but its last bytes are looked at.
            *place = json!(
                place.as_str().unwrap().chars().take(if forgotten == "/note" { 64 } else { 0 }).collect::<String>()
            );
            shop.serve(asked, asked.key().unwrap_or_default(), payload)
        };
        let ran = with_body(shop(&ledger, rule), &ledger).exits(2);
        let evidence = row(&ran, "key_reuse")["evidence"].to_string();
        assert!(evidence.contains(&format!("another {forgotten}")), "{evidence}");
        assert_eq!(verdict(&ran, "key_reuse"), "SWALLOWED");
    }
}

fn with_body(address: SocketAddr, ledger: &Path) -> Ran {
    let note = "a long text ".repeat(10);
    let body = format!(
        r#"{{"intent":"{{{{intent}}}}","amount":{{{{amount}}}},"currency":"EUR","customer":{{"id":"c-1"}},"note":"{note}"}}"#
    );
    let mut command = idem(["probe", "--format", "json", "--lease", "200ms", "--check", "key_reuse", "--body", &body]);
    command.args(["--target", &format!("http://{address}/charges"), "--ledger"]).arg(ledger);
    command.output().unwrap().into()
}

#[test]
fn a_lock_by_the_bytes_is_found_by_the_race_of_variants() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("charges.jsonl");
    let ran = crate::probe(crate::servers::locked_by_bytes(&ledger), &ledger, "--check race_2 --check race_varied");
    let ran = ran.exits(2);
    assert_eq!((verdict(&ran, "race_2").as_str(), verdict(&ran, "race_varied").as_str()), ("OK", "DUPLICATE"));
}

/// The same in an exploration: only a target that takes the other bytes for the same request is raced with them.
#[test]
fn copies_in_other_bytes_race_for_a_fresh_order_where_they_are_the_same_to_the_target() {
    let folder = tempfile::tempdir().unwrap();
    let (ledger, file) = (folder.path().join("charges.jsonl"), folder.path().join("race.json"));
    let race = json!({"race": {"order": 0, "copies": 5, "release": "last_bytes", "varied": "body written anew"}});
    let again = json!({"send": {"order": 0, "written": "same", "mishap": null}});
    let saved =
        json!({"verdict": "DUPLICATE", "broke": 1, "of": 1, "schedule": {"orders": [{}], "steps": [race, again]}});
    std::fs::write(&file, json!({"version": 1, "seed": 1, "findings": [saved]}).to_string()).unwrap();
    let replay = format!("--replay {}", file.display());
    crate::probe(crate::servers::locked_by_bytes(&ledger), &ledger, &replay).exits(2).prints("DUPLICATE");
    let strict = |shop: &mut Shop, asked: &Asked| {
        shop.serve(asked, asked.key().unwrap_or_default(), json!([asked.body, asked.raw]))
    };
    let ran =
        crate::probe(shop(&folder.path().join("strict.jsonl"), strict), &folder.path().join("strict.jsonl"), &replay);
    assert!(ran.code != Some(2) && ran.stdout.contains("no play landed"), "{}", ran.stdout);
}

#[test]
fn only_the_newest_keys_are_kept_where_capacity_finds_it() {
    let bounded = |shop: &mut Shop, asked: &Asked| {
        if shop.kept.len() >= 50 && !shop.kept.contains_key(asked.key().unwrap_or_default()) {
            shop.kept.clear();
        }
        shop.serve(asked, asked.key().unwrap_or_default(), asked.body.clone())
    };
    let ran = probed(bounded, "--check capacity --keys 60").exits(2);
    assert_eq!(verdict(&ran, "capacity"), "DUPLICATE");
    assert_eq!(verdict(&probed(bounded, "--check capacity --keys 5").exits(0), "capacity"), "OK");
}
