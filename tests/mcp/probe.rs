//! `idem probe --mcp` against `idem serve --mcp`: each wrong policy is found, the right ones are clean, by every revision and
//! over both transports; and a tool is judged by what it claims.

use serde_json::Value;

use crate::support::{Ran, run};
use crate::{Scene, serve_mcp, tool, verdict, words};

const BY_KEY: &str = "--key-arg /idempotency_key";
const YES: &str = r#"{"confirm":{"action":"accept","content":{"sure":true}}}"#;

const REVISIONS: [&str; 3] = ["2026-07-28", "2025-11-25", "2025-06-18"];

/// Policy, the checks that tell, what the last of them says, and whether that is found.
type Judged = (&'static str, &'static str, &'static str, i32);
const WRONG: [Judged; 4] = [
    ("naive", "replay", "DUPLICATE", 2),
    ("key_racy", "sent_twice", "DUPLICATE", 2),
    ("key_ttl", "window", "DUPLICATE", 2),
    ("content_hash", "baseline", "LOST", 2),
];
const OVER_STDIO: [Judged; 2] = [
    ("key_atomic", "double_restart", "DUPLICATE", 2),
    ("key_durable", "post_drop sent_twice window cancel key_reuse double_restart", "OK", 0),
];
const OVER_HTTP: [Judged; 2] = [
    ("key_atomic", "post_drop half_reply cut sent_twice window cancel key_reuse", "OK", 0),
    ("key_durable", "post_slow race_2 late_arrival sent_twice cancel key_reuse", "OK", 0),
];

/// Judges each policy by each revision, all at once: each has a server and a ledger of its own.
fn each_policy_is_judged(over: &str, last: [Judged; 2], probe: impl Fn(&Scene, &str, &str, &str) -> Ran + Sync) {
    let all = WRONG.into_iter().chain(last).flat_map(|judged| REVISIONS.map(|revision| (judged, revision)));
    std::thread::scope(|threads| {
        for ((policy, checks, says, exit), revision) in all {
            let probe = &probe;
            threads.spawn(move || {
                let asked = checks.replace(' ', " --check ");
                let options = format!("{BY_KEY} --cancel --window 1s --check {asked}");
                let ran = probe(&Scene::start(), policy, revision, &options).exits(exit);
                let told = ["revision", "transport", "repeats", "verdict"].map(|field| tool(&ran, field));
                assert_eq!(told, [revision, over, "promised by a key", says], "{policy}");
                for check in words(checks).chain(["baseline"].into_iter().filter(|_| exit == 0)) {
                    assert_eq!(verdict(&ran, check), says, "{policy} by {revision}: {check}");
                }
            });
        }
    });
}

#[test]
fn each_policy_is_judged_over_stdio_by_each_revision() {
    each_policy_is_judged("stdio", OVER_STDIO, |scene, policy, revision, options| {
        scene.probe_stdio(policy, &format!("--revision {revision}"), options)
    });
}

#[test]
fn each_policy_is_judged_over_http_by_each_revision() {
    each_policy_is_judged("http", OVER_HTTP, |scene, policy, revision, options| {
        let events = if revision == "2025-11-25" { "" } else { "--events" };
        let (_server, url) = serve_mcp(policy, &scene.ledger, &format!("--revision {revision} {events}"));
        scene.probe_url(&url, options)
    });
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
