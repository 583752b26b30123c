//! `idem reconcile` through the built binary: real files and pipes, golden output, and figures held to a plain count.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use proptest::prelude::*;
use serde_json::{Value, json};

/// A folder of one test's own.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("reconcile-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    /// Runs `idem reconcile` in the folder on these two files.
    fn reconcile(&self, ledger: impl AsRef<[u8]>, expected: impl AsRef<[u8]>, options: &[&str]) -> Output {
        std::fs::write(self.0.join("ledger.jsonl"), ledger).unwrap();
        std::fs::write(self.0.join("expected"), expected).unwrap();
        let files = ["--ledger", "ledger.jsonl", "--expected", "expected"];
        self.idem().args(files).args(options).output().unwrap()
    }

    fn idem(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_idem"));
        command.current_dir(&self.0).arg("reconcile");
        command
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}

fn ledger(intents: &[&str]) -> String {
    intents.iter().map(|intent| format!("{}\n", json!({"receipt": "r", "intent": intent, "amount": 1000}))).collect()
}

#[test]
fn a_clean_ledger_is_ok_whatever_the_shape_of_the_expected() {
    let folder = Folder::new("clean");
    for expected in ["ord-1\nord-2\n", "\"ord-1\"\n\"ord-2\"\n", "{\"intent\":\"ord-1\"}\n{\"intent\":\"ord-2\"}"] {
        let output = folder.reconcile(ledger(&["ord-2", " ord-1 "]), expected, &[]);
        assert_eq!(stdout(&output), include_str!("data/reconcile-clean.txt"));
        assert_eq!((stderr(&output), output.status.code()), ("", Some(0)));
    }
}

#[test]
fn every_kind_of_finding_is_named() {
    let folder = Folder::new("findings");
    let charges = ledger(&["ord-1", "ord-2", "ord-2", "ord-2", "stray\u{7}", "stray\u{7}"]);
    let output = folder.reconcile(&charges, "ord-1\nord-2\nord-3\n", &[]);
    assert_eq!(stdout(&output), include_str!("data/reconcile-findings.txt"));
    assert_eq!((stderr(&output), output.status.code()), ("", Some(2)));

    let output = folder.reconcile(&charges, "ord-1\nord-2\nord-3\n", &["--format", "json"]);
    let offenders = json!([
        {"findings": ["duplicate"], "intent": "ord-2", "charges": 3, "expected": true},
        {"findings": ["lost"], "intent": "ord-3", "charges": 0, "expected": true},
        {"findings": ["duplicate", "unexpected"], "intent": "stray\u{7}", "charges": 2, "expected": false},
    ]);
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["offenders"], offenders);
    assert_eq!((&document["duplicates"], &document["conclusion"]), (&json!(3), &json!("MISMATCH")));
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn each_finding_alone_exits_2() {
    let folder = Folder::new("alone");
    for charges in [&["a", "b", "b"][..], &["a"], &["a", "b", "z"], &["a", "a"], &[]] {
        assert_eq!(folder.reconcile(ledger(charges), "a\nb\n", &[]).status.code(), Some(2), "{charges:?}");
    }
}

#[test]
fn text_names_the_first_20_offenders_and_json_all() {
    let folder = Folder::new("many");
    let expected: String = (0..25).map(|n| format!("ord-{n}\n")).collect();
    let output = folder.reconcile("", &expected, &[]);
    assert_eq!(stdout(&output).matches("intent=ord-").count(), 20);
    assert!(stdout(&output).contains("\n... and 5 more; --format json names all\nMISMATCH\n"), "{}", stdout(&output));
    let output = folder.reconcile("", &expected, &["--format", "json"]);
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["offenders"].as_array().unwrap().len(), 25);
}

#[test]
fn bad_lines_are_named_and_the_good_ones_count() {
    let folder = Folder::new("bad");
    let mut charges = ledger(&["ord-1", "ord-2"]);
    charges.push_str("\n{\"intent\":\"ord-3\"\n{\"order\":1}\n{\"intent\":1.5}\n{\"intent\":\"a\",\"intent\":\"b\"}\n{\"intent\":\"ord-4");
    let output = folder.reconcile(&charges, "ord-1\nord-2\nord-2\n", &[]);
    assert_eq!(stderr(&output), include_str!("data/reconcile-bad-lines.txt"));
    assert!(stdout(&output).ends_with("UNPROVEN\n"), "{}", stdout(&output));
    assert_eq!(output.status.code(), Some(3));

    // A finding stands, whatever else could not be read.
    let output = folder.reconcile(charges + "\n" + &ledger(&["ord-1"]), "ord-1\nord-2\n", &[]);
    assert!(stdout(&output).contains("duplicate            charges=2 intent=ord-1\n"), "{}", stdout(&output));
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_bad_line_of_expected_intents_leaves_it_unproven() {
    let folder = Folder::new("bad-expected");
    let output = folder.reconcile(ledger(&["a"]), "{\"intent\":\"a\"}\n{}\n", &[]);
    assert_eq!(stderr(&output), "idem: expected:2: no intent at `/intent`; mend the line, or give another pointer\n");
    assert_eq!(output.status.code(), Some(3));
    let output = folder.reconcile(ledger(&["a"]), "{}\n", &[]);
    assert_eq!((stdout(&output), output.status.code()), ("", Some(3)));
}

#[test]
fn no_expected_intent_exits_4() {
    let folder = Folder::new("zero");
    for expected in ["", "\n \r\n"] {
        let output = folder.reconcile(ledger(&["a", "a"]), expected, &[]);
        assert_eq!((stdout(&output), output.status.code()), ("", Some(4)));
        let said = "idem: expected: no expected intent, so there is nothing to hold the ledger to\n";
        assert_eq!(stderr(&output), said);
    }
}

#[test]
fn the_pointers_say_where_the_intent_is() {
    let folder = Folder::new("pointers");
    let charges = "{\"order\":{\"i/d\":[7,8]}}\n{\"order\":{\"i/d\":[7,9]}}\n";
    let at = |options: &[&str], expected: &str| folder.reconcile(charges, expected, options).status.code();
    assert_eq!(at(&["--intent-at", "/order/i~1d/1"], "8\n9\n"), Some(0));
    assert_eq!(at(&["--intent-at", "/order/i~1d/0"], "8\n9\n"), Some(2));
    assert_eq!(at(&["--intent-at", "/order/i~1d/1"], charges), Some(0));
    let elsewhere = "{\"id\":\"8\"}\n{\"id\":9}\n";
    assert_eq!(at(&["--intent-at", "/order/i~1d/1", "--expected-at", "/id"], elsewhere), Some(0));
    assert_eq!(at(&["--intent-at", "/order/i~1d/1"], elsewhere), Some(3));
}

#[test]
fn what_cannot_be_opened_or_followed_exits_3_with_a_reason() {
    let folder = Folder::new("usage");
    std::fs::write(folder.0.join("expected"), "a\n").unwrap();
    for (options, reason) in [
        (&["--ledger", "nope", "--expected", "expected"][..], "cannot open nope: No such file"),
        (&["--ledger", ".", "--expected", "expected"], "cannot read .: Is a directory"),
        (&["--ledger", "-", "--expected", "-"], "standard input can be read once"),
        (&["--ledger", "x", "--expected", "y", "--intent-at", "id"], "write `/id`"),
        (&["--ledger", "x"], "--expected <FILE>"),
    ] {
        let output = folder.idem().args(options).output().unwrap();
        assert!(stderr(&output).contains(reason), "{}", stderr(&output));
        assert_eq!((stdout(&output), output.status.code()), ("", Some(3)));
    }
}

#[test]
fn either_input_may_be_standard_input() {
    let folder = Folder::new("stdin");
    std::fs::write(folder.0.join("ledger"), ledger(&["a"])).unwrap();
    std::fs::write(folder.0.join("names"), "a\n").unwrap();
    for (files, input) in [
        (["--ledger", "ledger", "--expected", "-"], "a\n".to_owned()),
        (["--ledger", "-", "--expected", "names"], ledger(&["a"])),
    ] {
        let mut child = folder.idem().args(files).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        assert!(child.wait_with_output().unwrap().status.success(), "{files:?}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_crash() {
    let folder = Folder::new("pipe");
    let expected: String = (0..50_000).map(|n| format!("ord-{n}\n")).collect();
    std::fs::write(folder.0.join("expected"), expected).unwrap();
    std::fs::write(folder.0.join("ledger"), "").unwrap();
    let files = ["--ledger", "ledger", "--expected", "expected", "--format", "json"];
    let mut child = folder.idem().args(files).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((stderr(&output), output.status.code()), ("", Some(2)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// The figures of the binary are those of the article's four lines, on names that need escapes and trimming.
    #[test]
    fn figures_are_those_of_a_plain_count(
        charges in prop::collection::vec("[ab\"\\\\é\u{1}]{1,2} ?", 0..40),
        expected in prop::collection::btree_set("[ab\"\\\\é\u{1}]{1,2}", 1..12),
    ) {
        let folder = Folder::new("property");
        let written: String = charges.iter().map(|intent| format!("{}\n", json!({"x": [intent], "intent": intent}))).collect();
        let wanted: String = expected.iter().map(|intent| format!("{}\n", json!({"intent": intent}))).collect();
        let output = folder.reconcile(written, wanted, &["--format", "json"]);
        let document: Value = serde_json::from_slice(&output.stdout).unwrap();

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
        prop_assert_eq!(output.status.code(), Some(if clean { 0 } else { 2 }));
    }
}
