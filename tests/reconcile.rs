//! `idem reconcile` through the built binary: real files and pipes, golden output, and figures held to a plain count.

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::process::Stdio;

use proptest::prelude::*;
use serde_json::{Value, json};
use support::{Ran, idem, run_with_input};
use tempfile::TempDir;

/// Runs `idem reconcile` on these two files, named `ledger.jsonl` and `expected` in a folder of their own.
fn reconcile(ledger: impl AsRef<[u8]>, expected: impl AsRef<[u8]>, options: &[&str]) -> Ran {
    let folder = folder(ledger, expected);
    let files = ["reconcile", "--ledger", "ledger.jsonl", "--expected", "expected"];
    idem(files).args(options).current_dir(folder.path()).output().unwrap().into()
}

fn folder(ledger: impl AsRef<[u8]>, expected: impl AsRef<[u8]>) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("ledger.jsonl"), ledger).unwrap();
    std::fs::write(folder.path().join("expected"), expected).unwrap();
    folder
}

fn ledger(intents: &[&str]) -> String {
    intents.iter().map(|intent| format!("{}\n", json!({"receipt": "r", "intent": intent, "amount": 1000}))).collect()
}

#[test]
fn a_clean_ledger_is_ok_whatever_the_shape_of_the_expected() {
    for expected in ["ord-1\nord-2\n", "\"ord-1\"\n\"ord-2\"\n", "{\"intent\":\"ord-1\"}\n{\"intent\":\"ord-2\"}"] {
        let output = reconcile(ledger(&["ord-2", " ord-1 "]), expected, &[]);
        assert_eq!(output.stdout, include_str!("data/reconcile-clean.txt"));
        assert_eq!((output.stderr.as_str(), output.code), ("", Some(0)));
    }
}

#[test]
fn every_kind_of_finding_is_named() {
    let charges = ledger(&["ord-1", "ord-2", "ord-2", "ord-2", "stray\u{7}", "stray\u{7}"]);
    let output = reconcile(&charges, "ord-1\nord-2\nord-3\n", &[]);
    assert_eq!(output.stdout, include_str!("data/reconcile-findings.txt"));
    assert_eq!((output.stderr.as_str(), output.code), ("", Some(2)));

    let output = reconcile(&charges, "ord-1\nord-2\nord-3\n", &["--format", "json"]);
    let offenders = json!([
        {"findings": ["duplicate"], "intent": "ord-2", "charges": 3, "expected": true},
        {"findings": ["lost"], "intent": "ord-3", "charges": 0, "expected": true},
        {"findings": ["duplicate", "unexpected"], "intent": "stray\u{7}", "charges": 2, "expected": false},
    ]);
    let document: Value = output.json();
    assert_eq!(document["offenders"], offenders);
    assert_eq!((&document["duplicates"], &document["conclusion"]), (&json!(3), &json!("MISMATCH")));
    assert_eq!(output.code, Some(2));
}

#[test]
fn each_finding_alone_exits_2() {
    for charges in [&["a", "b", "b"][..], &["a"], &["a", "b", "z"], &["a", "a"], &[]] {
        assert_eq!(reconcile(ledger(charges), "a\nb\n", &[]).code, Some(2), "{charges:?}");
    }
}

#[test]
fn text_names_the_first_20_offenders_and_json_all() {
    let expected: String = (0..25).map(|n| format!("ord-{n}\n")).collect();
    let output = reconcile("", &expected, &[]);
    assert_eq!(output.stdout.matches("intent=ord-").count(), 20);
    assert!(output.stdout.contains("\n... and 5 more; --format json names all\nMISMATCH\n"), "{}", output.stdout);
    let output = reconcile("", &expected, &["--format", "json"]);
    let document: Value = output.json();
    assert_eq!(document["offenders"].as_array().unwrap().len(), 25);
}

#[test]
fn bad_lines_are_named_and_the_good_ones_count() {
    let mut charges = ledger(&["ord-1", "ord-2"]);
    charges.push_str("\n{\"intent\":\"ord-3\"\n{\"order\":1}\n{\"intent\":1.5}\n{\"intent\":\"a\",\"intent\":\"b\"}\n{\"intent\":\"ord-4");
    let output = reconcile(&charges, "ord-1\nord-2\nord-2\n", &[]);
    assert_eq!(output.stderr, include_str!("data/reconcile-bad-lines.txt"));
    assert!(output.stdout.ends_with("UNPROVEN\n"), "{}", output.stdout);
    assert_eq!(output.code, Some(3));

    // A finding stands, whatever else could not be read.
    let output = reconcile(charges + "\n" + &ledger(&["ord-1"]), "ord-1\nord-2\n", &[]);
    assert!(output.stdout.contains("duplicate            charges=2 intent=ord-1\n"), "{}", output.stdout);
    assert_eq!(output.code, Some(2));
}

#[test]
fn a_bad_line_of_expected_intents_leaves_it_unproven() {
    let output = reconcile(ledger(&["a"]), "{\"intent\":\"a\"}\n{}\n", &[]);
    assert_eq!(output.stderr, "idem: expected:2: no intent at `/intent`; mend the line, or give another pointer\n");
    assert_eq!(output.code, Some(3));
    let output = reconcile(ledger(&["a"]), "{}\n", &[]);
    assert_eq!((output.stdout.as_str(), output.code), ("", Some(3)));
}

#[test]
fn no_expected_intent_exits_4() {
    for expected in ["", "\n \r\n"] {
        let output = reconcile(ledger(&["a", "a"]), expected, &[]);
        assert_eq!((output.stdout.as_str(), output.code), ("", Some(4)));
        let said = "idem: expected: no expected intent, so there is nothing to hold the ledger to\n";
        assert_eq!(output.stderr, said);
    }
}

#[test]
fn the_pointers_say_where_the_intent_is() {
    let charges = "{\"order\":{\"i/d\":[7,8]}}\n{\"order\":{\"i/d\":[7,9]}}\n";
    let at = |options: &[&str], expected: &str| reconcile(charges, expected, options).code;
    assert_eq!(at(&["--intent-at", "/order/i~1d/1"], "8\n9\n"), Some(0));
    assert_eq!(at(&["--intent-at", "/order/i~1d/0"], "8\n9\n"), Some(2));
    assert_eq!(at(&["--intent-at", "/order/i~1d/1"], charges), Some(0));
    let elsewhere = "{\"id\":\"8\"}\n{\"id\":9}\n";
    assert_eq!(at(&["--intent-at", "/order/i~1d/1", "--expected-at", "/id"], elsewhere), Some(0));
    assert_eq!(at(&["--intent-at", "/order/i~1d/1"], elsewhere), Some(3));
}

#[test]
fn what_cannot_be_opened_or_followed_exits_3_with_a_reason() {
    let folder = folder("", "a\n");
    for (options, reason) in [
        ("--ledger nope --expected expected", "cannot open nope: No such file"),
        ("--ledger . --expected expected", "cannot read .: Is a directory"),
        ("--ledger - --expected -", "standard input can be read once"),
        ("--ledger x --expected y --intent-at id", "write `/id`"),
        ("--ledger x", "--expected <FILE>"),
    ] {
        let ran = idem(["reconcile"]).args(options.split(' ')).current_dir(folder.path()).output().unwrap();
        let ran = Ran::from(ran).exits(3).says(reason);
        assert_eq!(ran.stdout, "");
    }
}

#[test]
fn either_input_may_be_standard_input() {
    let folder = folder(ledger(&["a"]), "a\n");
    let at = |file: &str| folder.path().join(file).display().to_string();
    run_with_input(&format!("reconcile --ledger {} --expected -", at("ledger.jsonl")), b"a\n").exits(0);
    run_with_input(&format!("reconcile --ledger - --expected {}", at("expected")), ledger(&["a"]).as_bytes()).exits(0);
}

#[test]
fn a_reader_that_goes_away_is_no_crash() {
    let expected: String = (0..50_000).map(|n| format!("ord-{n}\n")).collect();
    let folder = folder("", expected);
    let mut command = idem(["reconcile", "--ledger", "ledger.jsonl", "--expected", "expected", "--format", "json"]);
    command.current_dir(folder.path()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    let ran = Ran::from(child.wait_with_output().unwrap()).exits(2);
    assert_eq!(ran.stderr, "");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// The figures of the binary are those of the article's four lines, on names that need escapes and trimming.
    #[test]
    fn figures_are_those_of_a_plain_count(
        charges in prop::collection::vec("[ab\"\\\\é\u{1}]{1,2} ?", 0..40),
        expected in prop::collection::btree_set("[ab\"\\\\é\u{1}]{1,2}", 1..12),
    ) {
            let written: String = charges.iter().map(|intent| format!("{}\n", json!({"x": [intent], "intent": intent}))).collect();
        let wanted: String = expected.iter().map(|intent| format!("{}\n", json!({"intent": intent}))).collect();
        let output = reconcile(written, wanted, &["--format", "json"]);
        let document: Value = output.json();

        let mut per: BTreeMap<&str, u64> = BTreeMap::new();
        charges.iter().for_each(|intent| *per.entry(intent.trim()).or_default() += 1);
        let duplicates: u64 = per.values().map(|n| n - 1).sum();
        let lost = expected.iter().filter(|intent| !per.contains_key(intent.as_str())).count();
        let figures = [
            ("committed", charges.len() as u64),
            ("expected", expected.len() as u64),
            ("distinct", per.len() as u64),
            ("duplicates", duplicates),
            ("lost", lost as u64),
            ("unexpected", per.keys().filter(|intent| !expected.contains(**intent)).count() as u64),
        ];
        for (figure, count) in figures {
            prop_assert_eq!(&document[figure], &json!(count), "{}", figure);
        }
        let named: BTreeSet<&str> =
            document["offenders"].as_array().unwrap().iter().map(|offender| offender["intent"].as_str().unwrap()).collect();
        let offends = |intent: &&str| per.get(intent).copied() != Some(1) || !expected.contains(*intent);
        let wrong: BTreeSet<&str> = expected.iter().map(String::as_str).chain(per.keys().copied()).filter(offends).collect();
        prop_assert_eq!(named, wrong);
        let clean = duplicates == 0 && lost == 0 && charges.len() == expected.len();
        prop_assert_eq!(output.code, Some(if clean { 0 } else { 2 }));
    }
}

#[test]
fn what_no_line_could_show_is_not_called_lost() {
    let folder = tempfile::tempdir().unwrap();
    let (ledger, expected) = (folder.path().join("ledger"), folder.path().join("expected"));
    std::fs::write(&ledger, "{\"order\":{\"id\":1}}\n{\"order\":{\"id\":2}}\n").unwrap();
    std::fs::write(&expected, "1\n2\n").unwrap();
    let args = format!("reconcile --ledger {} --expected {}", ledger.display(), expected.display());
    support::run(&args).exits(3).prints("UNPROVEN\n");
    // Three are missing and two lines are unread: one is lost whatever these say.
    std::fs::write(&expected, "1\n2\n3\n").unwrap();
    support::run(&args).exits(2).prints("MISMATCH\n");
}
