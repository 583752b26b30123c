//! `idem probe --mcp` against `idem serve --mcp`: each wrong policy is found, the right one is clean, by every revision and
//! over both transports; and a tool is judged by what it claims.

use serde_json::Value;

use crate::support::run;
use crate::{Scene, serve_mcp, tool, verdict};

const BY_KEY: &str = "--key-arg /idempotency_key";
const YES: &str = r#"{"confirm":{"action":"accept","content":{"sure":true}}}"#;

/// Policy, revision, the check that finds it and what it says, and more options.
const WRONG: [(&str, &str, &str, &str, &str); 5] = [
    ("naive", "2025-06-18", "replay", "DUPLICATE", ""),
    ("key_racy", "2025-11-25", "sent_twice", "DUPLICATE", ""),
    ("key_ttl", "2026-07-28", "window", "DUPLICATE", "--window 1s"),
    ("content_hash", "2026-07-28", "baseline", "LOST", ""),
    ("key_atomic", "2025-06-18", "double_restart", "DUPLICATE", ""),
];

#[test]
fn each_wrong_policy_is_found_over_stdio() {
    for (policy, revision, check, says, more) in WRONG {
        let options = format!("{BY_KEY} --check {check} {more}");
        let ran = Scene::start().probe_stdio(policy, &format!("--revision {revision}"), &options).exits(2);
        assert_eq!(verdict(&ran, check), says, "{policy}");
        assert_eq!((tool(&ran, "revision"), tool(&ran, "transport")), (revision.into(), "stdio".into()));
        assert_eq!(tool(&ran, "repeats"), "promised by a key");
    }
}

#[test]
fn each_wrong_policy_is_found_over_http() {
    for ((policy, _, check, says, more), revision) in WRONG.iter().zip(["2026-07-28", "2025-06-18", "2025-11-25"]) {
        let scene = Scene::start();
        let (_server, url) = serve_mcp(policy, &scene.ledger, &format!("--revision {revision} --events"));
        let ran = scene.probe_url(&url, &format!("{BY_KEY} --check {check} {more}")).exits(2);
        assert_eq!(verdict(&ran, check), *says, "{policy}");
        assert_eq!((tool(&ran, "revision"), tool(&ran, "transport")), ((*revision).into(), "http".into()));
    }
}

#[test]
fn the_right_policy_is_clean_and_its_calls_are_killed_and_cancelled() {
    let checks = "--check post_drop --check sent_twice --check cancel --check double_restart --check key_reuse";
    let ran = Scene::start().probe_stdio("key_durable", "", &format!("{BY_KEY} --cancel {checks}")).exits(0);
    for check in ["post_drop", "sent_twice", "cancel", "double_restart", "key_reuse"] {
        assert_eq!(verdict(&ran, check), "OK", "{check}");
    }
    assert_eq!(tool(&ran, "verdict"), "OK");
    let scene = Scene::start();
    let (_server, url) = serve_mcp("key_atomic", &scene.ledger, "--revision 2025-11-25 --events");
    let ran =
        scene.probe_url(&url, &format!("{BY_KEY} --cancel --check cancel --check half_reply --check cut")).exits(0);
    assert_eq!([verdict(&ran, "cancel"), verdict(&ran, "half_reply"), verdict(&ran, "cut")], ["OK"; 3]);
}

#[test]
fn what_a_cancelled_call_has_done_is_told() {
    let ran = Scene::start().probe_stdio("naive", "", "--cancel --check cancel").exits(0);
    assert_eq!(verdict(&ran, "cancel"), "UNSAFE TO RETRY");
    let document = ran.json();
    let row = document["checks"].as_array().unwrap().iter().find(|row| row["check"] == "cancel").unwrap();
    assert!(row["evidence"].as_str().unwrap().contains("cancelled calls had their effect"), "{row:#}");
}

#[test]
fn a_tool_is_held_to_what_it_claims() {
    let retried = |hints: &str, options: &str| {
        Scene::start().probe_stdio("naive", &format!("--hints {hints}"), &format!("--check post_drop {options}"))
    };
    let unsafe_to_retry = retried("true", "").exits(0);
    assert_eq!(verdict(&unsafe_to_retry, "post_drop"), "UNSAFE TO RETRY");
    assert_eq!(tool(&unsafe_to_retry, "repeats"), "not promised");
    assert_eq!(verdict(&retried("none", "--strict").exits(2), "post_drop"), "UNSAFE TO RETRY");
    let broken = retried("idempotent", "").exits(2);
    assert_eq!(verdict(&broken, "post_drop"), "DUPLICATE");
    assert_eq!(tool(&broken, "repeats"), "promised by idempotentHint");
    let ran = Scene::start().probe_stdio("naive", "--hints read-only", "--tool charge").exits(2);
    assert_eq!(verdict(&ran, "read_only"), "NOT READ-ONLY");
}

#[test]
fn a_tool_that_claims_nothing_is_not_repeated_after_a_success() {
    let ran = Scene::start().probe_stdio("naive", "--hints none", "--check post_drop --check pre_fail").exits(0);
    let document = ran.json();
    let requests = |check: &str| {
        let rows = document["checks"].as_array().unwrap();
        rows.iter().find(|row| row["check"] == check).unwrap()["measured"]["requests"].as_u64()
    };
    assert_eq!((requests("post_drop"), verdict(&ran, "pre_fail").as_str()), (Some(6), "OK"));
}

#[test]
fn arguments_come_from_the_schema_or_from_the_user() {
    let scene = Scene::start();
    // The schema asks for the key, so it is made up of the intent, as all texts are.
    let ran = scene.probe_stdio("key_durable", "", "--check double_restart").exits(0);
    assert_eq!(tool(&ran, "repeats"), "promised by idempotentHint");
    let args = r#"{"intent":"{{intent}}","amount":7,"idempotency_key":"{{key}}"}"#;
    let ran = scene.probe_stdio("key_durable", "", &format!("--tool charge --args {args} --check replay")).exits(0);
    assert_eq!(tool(&ran, "repeats"), "promised by a key");
    let ledger = std::fs::read_to_string(&scene.ledger).unwrap();
    let last: Value = serde_json::from_str(ledger.lines().last().unwrap()).unwrap();
    assert_eq!(last["amount"], 7);
    assert_eq!(last["key"].as_str().unwrap().len(), 32, "{last}");
}

#[test]
fn a_tool_that_asks_is_answered_or_skipped() {
    let scene = Scene::start();
    let ran = scene.probe_stdio("naive", "--asks", "--check post_drop").exits(4);
    assert_eq!((verdict(&ran, "post_drop").as_str(), scene.lines()), ("SKIPPED", 0));
    assert!(ran.stdout.contains("give --input JSON"), "{}", ran.stdout);
    let ran = scene.probe_stdio("naive", "--asks", &format!("--check post_drop --strict --input {YES}")).exits(2);
    assert_eq!(verdict(&ran, "post_drop"), "UNSAFE TO RETRY");
}

#[test]
fn what_is_sent_is_planned_and_repeated_by_hand() {
    let scene = Scene::start();
    let plan = scene.probe_stdio("naive", "", "--plan").exits(0);
    assert!(plan.stdout.contains("sent_twice") && !plan.stdout.contains("odd_keys"), "{}", plan.stdout);
    assert_eq!(scene.lines(), 0);
    let (_server, url) = serve_mcp("naive", &scene.ledger, "");
    let ran = scene.probe_url(&url, "--check post_drop").exits(0);
    let line = ran.json()["run"]["checks"]["post_drop"]["curl"][0].as_str().unwrap().to_owned();
    for part in ["Mcp-Name: charge", "Accept: application/json, text/event-stream", r#""method":"tools/call""#] {
        assert!(line.contains(part), "{line}");
    }
}

#[test]
fn what_cannot_be_probed_is_refused_in_a_line() {
    let idem = env!("CARGO_BIN_EXE_idem");
    let serve = format!("-- {idem} serve --policy naive --mcp --stdio --ledger /tmp/unused");
    let cases = [
        ("--mcp".to_owned(), "or its command after --"),
        (format!("--mcp http://127.0.0.1:1/ {serve}"), "not both"),
        ("--mcp http://127.0.0.1:1/".into(), "cannot be reached"),
        ("--mcp http://192.0.2.1/".into(), "--allow-host 192.0.2.1"),
        (format!("--mcp --restart-cmd true {serve}"), "started again by us"),
        (format!("--mcp --body {{}} {serve}"), "given by --args"),
        (format!("--mcp --key-in /k {serve}"), "give --key-arg"),
        (format!("--mcp --tool pay {serve}"), "--tool pay: give one of charge"),
        (format!("--mcp --tool charge --args {{}} {serve}"), "{{intent}}"),
        (format!("--mcp --check odd_keys {serve}"), "--check odd_keys: the call has no key"),
        (format!("--mcp --check double_delivery {serve}"), "no HTTP between"),
        (format!("--mcp --input [] {serve}"), "--input []: give an object"),
        ("--mcp -- /nowhere/server".into(), "cannot run /nowhere/server"),
        ("--mcp -- sh -c echo>&2;exit".into(), "the server sh"),
        ("--tool charge".into(), "--mcp"),
    ];
    for (options, says) in cases {
        let ran = run(&format!("probe --ledger none {options}")).exits(3).says(says);
        assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    }
    run("probe --target http://127.0.0.1:1/ --ledger none --check sent_twice").exits(3).says("give --mcp");
}
