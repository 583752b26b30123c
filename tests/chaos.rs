//! `idem probe --chaos` and `--replay` through the built binary: wrong policies are found by few steps, right ones give
//! nothing, and a saved schedule says whether the fault is still there.

mod support;

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use support::{Ran, idem, serve};

fn probe(args: &str, files: &[(&str, &Path)]) -> Ran {
    let mut command = idem(["probe", "--format", "json"]);
    command.args(args.split(' '));
    for (option, path) in files {
        command.arg(option).arg(path);
    }
    command.output().expect("idem starts").into()
}

/// The rows that exploration gave.
fn rows(ran: &Ran) -> Vec<Value> {
    let document = ran.json();
    let rows = document["checks"].as_array().expect("checks").iter();
    rows.filter(|row| row["check"].as_str().expect("a name").starts_with("chaos")).cloned().collect()
}

fn has(rows: &[Value], verdict: &str, most: usize) -> bool {
    rows.iter().any(|row| row["verdict"] == verdict && row["steps"].as_array().is_some_and(|steps| steps.len() <= most))
}

#[test]
fn every_wrong_policy_is_found_by_at_most_four_steps() {
    let wrong = [("naive", "DUPLICATE"), ("key_racy", "DUPLICATE"), ("key_ttl", "DUPLICATE"), ("content_hash", "LOST")];
    std::thread::scope(|scope| {
        for (policy, verdict) in wrong {
            scope.spawn(move || {
                let explored = |time| probe(&format!("--chaos 4 --for {time} --policy {policy}"), &[]);
                let is_found = |ran: &Ran| has(&rows(ran), verdict, 4);
                // 20 s are allowed; where nothing else runs on the machine a few are enough.
                let ran = Some(explored("6s")).filter(is_found).unwrap_or_else(|| explored("20s"));
                let ran = ran.exits(2).says("idem: --chaos 4");
                assert!(is_found(&ran), "{policy}: {}", ran.stdout);
            });
        }
    });
}

#[test]
fn right_policies_give_nothing_and_tell_what_landed() {
    for policy in ["key_atomic", "key_durable"] {
        let ran = probe(&format!("--chaos 2 --for 3s --policy {policy}"), &[]).exits(0);
        let (rows, document) = (rows(&ran), ran.json());
        assert_eq!((rows.len(), &rows[0]["verdict"]), (1, &Value::from("OK")), "{policy}: {}", ran.stdout);
        assert_eq!(document["chaos"]["seed"], 2);
        assert!(document["chaos"]["coverage"]["steps"]["send"]["landed"].as_u64().expect("a count") > 0);
    }
}

#[test]
fn a_saved_schedule_is_a_finding_while_the_fault_is_there_and_none_once_it_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let found = folder.path().join("found.json");
    let (_wrong, address) = serve("naive", &folder.path().join("wrong.jsonl"), &[]);
    let at = |address| format!("--target http://{address}/charges");
    let wrong = folder.path().join("wrong.jsonl");
    probe(&format!("--chaos 3 --for 2s {}", at(address)), &[("--ledger", &wrong), ("--save", &found)]).exits(2);
    let still = probe(&at(address), &[("--ledger", &wrong), ("--replay", &found)]).exits(2);
    assert!(rows(&still).iter().any(|row| row["verdict"] == "DUPLICATE"), "{}", still.stdout);
    let right = folder.path().join("right.jsonl");
    let (_right, address) = serve("key_durable", &right, &[]);
    let gone = probe(&at(address), &[("--ledger", &right), ("--replay", &found)]).exits(0);
    assert!(rows(&gone).iter().all(|row| row["verdict"] == "OK"), "{}", gone.stdout);
}

#[test]
fn a_file_that_is_no_schedule_is_refused_by_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("found.json");
    std::fs::write(&file, "{\"version\": 1,\n\"findings\": 3}").unwrap();
    probe("--policy naive", &[("--replay", &file)]).exits(3).says("line 2");
}

#[test]
fn options_that_would_change_nothing_are_refused() {
    for args in ["--for 3s", "--save found.json", "--chaos 1 --scenario duplicate", "--chaos 1 --replay found.json"] {
        probe(args, &[]).exits(3);
    }
}

#[test]
fn the_text_numbers_the_steps_and_has_the_coverage_table() {
    let ran: Ran = idem("probe --chaos 4 --for 2s --policy naive".split(' ')).output().expect("idem starts").into();
    let ran = ran.exits(2).prints("  steps:\n    1. order A: send its request").prints("most often followed by");
    ran.prints("  by hand:\n    curl ").prints("seed 4: ");
}

/// Python's pseudo-terminal stands for the user's: all that is written to it is read back.
#[test]
fn a_terminal_is_told_how_far_it_is_and_nobody_else() {
    let terminal = "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)";
    let args = "probe --chaos 5 --for 1s --policy key_durable --format table";
    let seen =
        Command::new("python3").args(["-c", terminal, env!("CARGO_BIN_EXE_idem")]).args(args.split(' ')).output();
    let Ok(seen) = seen else { return eprintln!("SKIPPED: there is no python3 to make a terminal") };
    let seen = Ran::from(seen).exits(0);
    let (_, line) = seen.stdout.split_once("\rexploring: ").unwrap_or_else(|| panic!("no line in {:?}", seen.stdout));
    let line = line.split('\r').next().unwrap();
    assert!(line.contains(" schedules played, 0 findings, 0 s left"), "{line:?}");
    assert!(seen.stdout.contains("\r\x1b[Kcheck "), "the line stays: {:?}", seen.stdout);
    let unseen: Ran = idem(args.split(' ')).output().expect("idem starts").into();
    assert!(!unseen.exits(0).stderr.contains("exploring"));
}
