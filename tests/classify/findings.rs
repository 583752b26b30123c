//! What one stream of readings tells of a client, and of a probe.

use serde_json::Value;

use crate::support::{Ran, idem};
use crate::{DATA, classify, objects};

#[test]
fn every_finding_is_found_with_the_lines_that_show_it() {
    let table = [
        ("double-receipt", "a", vec![1, 2], 2),
        ("key-rotated", "a", vec![1, 2], 2),
        ("no-key", "a", vec![1, 2], 2),
        ("retried-refusal", "a", vec![1, 2], 2),
        ("too-early", "a", vec![1, 2], 2),
        ("unresolved", "b", vec![2], 0),
        ("one-key-two-intents", "b", vec![1, 2], 2),
        ("mismatch", "s", vec![1], 2),
        ("one-receipt-two-intents", "b", vec![1, 2], 2),
        ("first-is-replay", "a", vec![1], 2),
        ("attempt-gap", "a", vec![1, 2], 2),
    ];
    for (kind, about, lines, exit) in table {
        let input = format!("{DATA}/findings/{kind}.jsonl");
        let ran: Ran = idem(["classify", "--format", "jsonl", "--input", &input]).output().unwrap().into();
        let ran = ran.exits(exit);
        let found: Vec<_> = objects(&ran).into_iter().filter(|object| object.get("finding").is_some()).collect();
        assert_eq!(found.len(), 1, "{kind}: {}", ran.stdout);
        let named = if kind == "mismatch" { "scenario" } else { "intent" };
        assert_eq!(found[0]["finding"], kind);
        assert_eq!(found[0][named], about);
        assert_eq!(found[0]["lines"], Value::from(lines), "{kind}");
    }
}

#[test]
fn a_client_that_behaves_has_no_finding() {
    let input = br#"{"intent":"a","attempt":1,"key":"k","time":"2026-11-02T10:00:00Z","status":429,"retry_after":"5"}
{"intent":"a","attempt":2,"key":"k","time":"2026-11-02T10:00:05Z","error":"Connection refused"}
{"intent":"a","attempt":3,"key":"k","error":"Read timed out"}
{"intent":"b","attempt":1,"key":"l","error":"Connection refused"}
{"intent":"b","attempt":2,"key":"m","status":200,"receipt":"r2"}
{"intent":"a","attempt":4,"key":"k","status":200,"receipt":"r1"}
{"intent":"a","attempt":5,"key":"k","status":200,"receipt":"r1","replay":true}
"#;
    classify(&["--strict"], input).exits(0).prints("findings 0\n");
}

#[test]
fn a_refused_retry_leaves_an_earlier_attempt_unresolved() {
    let input =
        b"{\"intent\":\"a\",\"error\":\"Read timed out\"}\n{\"intent\":\"a\",\"error\":\"Connection refused\"}\n";
    classify(&["--strict"], input).exits(2).prints("finding: no-key").prints("warning: unresolved: intent a, line 1\n");
}

#[test]
fn the_look_back_forgets_the_oldest_and_says_so() {
    let lines: String = ["a", "b", "c", "a"]
        .iter()
        .map(|intent| format!("{{\"intent\":\"{intent}\",\"key\":\"k-{intent}\",\"error\":\"Read timed out\"}}\n"))
        .collect();
    let input = format!("{lines}{{\"intent\":\"a\",\"status\":200}}\n");
    let ran = classify(&["--format", "jsonl", "--lookback", "2"], input.as_bytes()).exits(2);
    let summary = objects(&ran).pop().expect("a summary");
    assert_eq!(
        summary["summary"]["evicted"],
        serde_json::json!({"intents": 2, "keys": 2, "receipts": 0, "unresolved": 2})
    );
    let ran = classify(&["--format", "jsonl"], input.as_bytes()).exits(2);
    let summary = objects(&ran).pop().expect("a summary");
    assert_eq!(
        summary["summary"]["evicted"],
        serde_json::json!({"intents": 0, "keys": 0, "receipts": 0, "unresolved": 0})
    );
    classify(&["--lookback", "0"], b"{}").exits(3);
}

#[test]
fn the_probe_is_judged_again_from_its_figures() {
    let printed: Ran = idem(["probe", "--format", "json"]).output().unwrap().into();
    let document = printed.exits(0).stdout;
    classify(&[], document.as_bytes()).exits(0).prints("scenarios and checks 10\nfindings 0\n");
    let mut changed: Value = serde_json::from_str(&document).unwrap();
    let scenario = &mut changed["scenarios"][3];
    let name = scenario["scenario"].as_str().unwrap().to_owned();
    let charges = scenario["measured"]["charges"].as_u64().unwrap();
    scenario["measured"]["charges"] = Value::from(charges + 1);
    let finding = format!("finding: mismatch: {name}, line 1: charges declared {charges}, measured {}", charges + 1);
    classify(&[], changed.to_string().as_bytes()).exits(2).prints(&finding);
    classify(&[], b"{\"scenarios\":[{\"scenario\":\"s\"}]}").exits(3).says("scenario s has no `declared` figures");
}

#[test]
fn a_check_of_a_target_must_have_passed() {
    let checks = br#"{"checks":[{"check":"race","verdict":"OK"},{"check":"late","verdict":"SKIPPED"},
        {"check":"cut","verdict":"DUPLICATE","accepted":true}]}"#;
    classify(&[], checks).exits(0).prints("scenarios and checks 3\n");
    classify(&[], br#"{"checks":[{"check":"race","verdict":"DUPLICATE"}]}"#)
        .exits(2)
        .prints("finding: mismatch: race, line 1: verdict DUPLICATE\n");
}

#[test]
fn a_budget_is_told_once_when_it_is_exceeded() {
    let input: String = (1..=5)
        .map(|n| format!("{{\"intent\":\"a\",\"attempt\":{n},\"key\":\"k\",\"time\":\"2026-11-02T10:0{n}:00Z\",\"status\":503}}\n"))
        .collect();
    let input = input + "{\"intent\":\"a\",\"attempt\":6,\"key\":\"k\",\"status\":200}\n";
    let budgets = |args: &[&str]| -> Vec<(Value, Value)> {
        let all = objects(&classify(&[&["--format", "jsonl"], args].concat(), input.as_bytes()));
        let found = all.into_iter().filter(|object| object["finding"] == "budget");
        found.map(|object| (object["lines"].clone(), object["detail"].clone())).collect()
    };
    assert_eq!(budgets(&[]), []);
    assert_eq!(budgets(&["--max-attempts", "6", "--max-span", "4m"]), []);
    let of = |lines: [u64; 2], detail: &str| vec![(Value::from(lines.to_vec()), Value::from(detail))];
    assert_eq!(budgets(&["--max-attempts", "3"]), of([1, 4], "4 attempts, where 3 are allowed"));
    assert_eq!(budgets(&["--max-span", "3m"]), of([1, 5], "240s from the first attempt, where 180s are allowed"));
    classify(&["--max-attempts", "0"], b"{}").exits(3);
}

#[test]
fn numbers_that_follow_one_another_leave_no_gap_and_a_repeat_is_one() {
    let gaps = |numbers: [u64; 3]| {
        let lines = numbers.map(|n| format!("{{\"intent\":\"a\",\"attempt\":{n},\"error\":\"Connection refused\"}}\n"));
        let ran = classify(&[], lines.concat().as_bytes());
        ran.stdout.lines().filter(|line| line.contains("finding: attempt-gap")).count()
    };
    assert_eq!(gaps([1, 2, 3]), 0);
    assert_eq!(gaps([0, 1, 2]), 0);
    // The log may begin in the middle.
    assert_eq!(gaps([5, 6, 7]), 0);
    assert_eq!(gaps([1, 1, 2]), 1);
    assert_eq!(gaps([1, 3, 2]), 2);
}

#[test]
fn a_replay_after_an_attempt_is_no_finding() {
    let input = b"{\"intent\":\"a\",\"key\":\"k\",\"error\":\"EOF\"}\n{\"intent\":\"a\",\"key\":\"k\",\"status\":200,\"replay\":true}\n";
    classify(&[], input).exits(0).prints("findings 0\n");
    classify(&[], b"{\"intent\":\"a\",\"attempt\":2,\"status\":200,\"replay\":true}").exits(0).prints("findings 0\n");
}

#[test]
fn the_worst_comes_first_with_its_time_amount_and_words() {
    let input = br#"{"intent":"a","status":200}
{"intent":"b","time":"2026-11-02T10:00:05Z","amount":4200,"error":"POST /pay: read ECONNRESET"}
{"intent":"c","error":"connect ECONNREFUSED 10.0.0.1:443"}
{"intent":"d","status":429}
"#;
    let of = |args: &[&str]| classify(args, input).stdout;
    let lines = |text: &str| {
        text.lines().map(|line| line.trim_start().split(' ').next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let text = of(&["--worst-first"]);
    assert_eq!(lines(&text)[..8], ["money", "2", "money", "1", "money", "4", "no", "3"], "{text}");
    assert!(text.contains("ECONNRESET, at 2026-11-02T10:00:05Z, amount 4200 | POST /pay: read ECONNRESET\n"), "{text}");
    let order = |args: &[&str]| -> Vec<Value> {
        let all = objects(&classify(args, input));
        all.into_iter().filter(|object| object.get("effect").is_some()).map(|object| object["line"].clone()).collect()
    };
    assert_eq!(order(&["--format", "jsonl", "--worst-first"]), [2, 1, 4, 3]);
    assert_eq!(order(&["--format", "jsonl"]), [1, 2, 3, 4]);
}
