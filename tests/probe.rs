//! `idem probe` through the built binary.

mod support;

use std::collections::HashSet;
use std::process::Stdio;

use serde_json::Value;
use support::{Running, eventually, idem, run};

const TABLE: &str = include_str!("data/table.txt");

#[test]
fn the_ten_read_as_published() {
    let ran = run("probe --format table").exits(0);
    assert_eq!(ran.stdout, TABLE);
    assert_eq!(ran.stderr, "");
}

#[test]
fn text_is_attempts_and_ledger_lines_then_the_table_the_wall_clock_and_the_json() {
    let ran = run("probe --scenario post_drop_naive --scenario post_drop_key_atomic").exits(0);
    let (readings, rest) = ran.stdout.split_once("wall=").unwrap();
    assert_eq!(readings, include_str!("data/probe-text.txt"));
    let (wall, json) = rest.split_once('\n').unwrap();
    assert!(wall.strip_suffix('s').unwrap().parse::<f64>().unwrap() > 0.0, "{wall}");
    let document: Value = serde_json::from_str(json).unwrap();
    assert_eq!(document["scenarios"].as_array().unwrap().len(), 2);
}

#[test]
fn two_runs_are_the_same_bytes_but_for_the_field_run() {
    let lines = |ran: support::Ran| ran.stdout.lines().map(str::to_owned).collect::<Vec<_>>();
    let (first, second) = (lines(run("probe --format json").exits(0)), lines(run("probe --format json").exits(0)));
    let varies = |line: &String| line.starts_with("],\"run\":");
    assert_eq!(first.iter().filter(|line| varies(line)).count(), 1);
    let fixed = |lines: &[String]| lines.iter().filter(|line| !varies(line)).cloned().collect::<Vec<_>>();
    assert_eq!(fixed(&first), fixed(&second));
}

#[test]
fn receipts_are_unique_within_a_scenario_and_a_replay_names_the_first() {
    let document = run("probe --format json").exits(0).json();
    for scenario in document["scenarios"].as_array().unwrap() {
        let ledger = scenario["ledger"].as_array().unwrap();
        let receipts: HashSet<_> = ledger.iter().map(|charge| charge["receipt"].as_str().unwrap()).collect();
        assert_eq!(receipts.len(), ledger.len(), "{}", scenario["scenario"]);
        for attempt in scenario["attempts"].as_array().unwrap() {
            if let Some(receipt) = attempt["receipt"].as_str() {
                assert!(receipts.contains(receipt), "{attempt} names no charge of the ledger");
            }
        }
    }
}

#[test]
fn a_flipped_policy_is_a_mismatch() {
    let flips = [
        ("race_racy", "key_atomic", "20     10    10     0     0  MISMATCH (declared: charges 20, duplicates 10)"),
        ("race_atomic", "key_racy", "20     20    10    10     0  MISMATCH (declared: charges 10, duplicates 0)"),
        ("post_drop_key_atomic", "naive", "6      6     3     3     0  MISMATCH (declared: charges 3, duplicates 0)"),
        ("content_hash_two_orders", "key_atomic", "2      2     2     0     0  MISMATCH"),
        ("ttl_shorter_than_backoff", "key_atomic", "6      3     3     0     0  MISMATCH"),
        ("restart_store_lost", "key_durable", "2      1     1     0     0  MISMATCH"),
        ("restart_key_durable", "key_atomic", "2      2     1     1     0  MISMATCH"),
    ];
    for (scenario, policy, row) in flips {
        run(&format!("probe --format table --scenario {scenario} --policy {policy}")).exits(2).prints(row);
    }
}

#[test]
fn the_slow_reply_and_the_durable_key_are_reachable_beyond_the_ten() {
    let ran = run("probe --all --format json").exits(0).json();
    let rows = ran["scenarios"].as_array().unwrap();
    assert_eq!(rows.len(), 13);
    let slow = rows.iter().find(|row| row["scenario"] == "post_slow_naive").unwrap();
    let symptoms: Vec<_> = slow["attempts"].as_array().unwrap().iter().map(|attempt| &attempt["symptom"]).collect();
    assert_eq!(symptoms, ["read-timeout", "ok", "read-timeout", "ok", "read-timeout", "ok"]);
    assert_eq!(slow["attempts"][0]["kind"], "transport-timeout");
}

#[test]
fn figures_scale_with_intents_and_rounds() {
    let ran = run("probe --format json --intents 40 --rounds 25").exits(0).json();
    for row in ran["scenarios"].as_array().unwrap() {
        assert_eq!(row["verdict"], "OK");
        let race = row["scenario"].as_str().unwrap().starts_with("race");
        let expected = row["measured"]["unique"].as_u64().unwrap() + row["measured"]["lost"].as_u64().unwrap();
        assert_eq!(expected, if race { 25 } else { 40 }, "{}", row["scenario"]);
        let receipts = row["ledger"].as_array().unwrap().iter().map(|charge| charge["receipt"].as_str().unwrap());
        assert!(receipts.into_iter().all(|receipt| receipt.len() == 5 + 16), "{}", row["scenario"]);
    }
}

#[test]
fn repeats_read_the_same_and_are_counted() {
    let ran = run("probe --scenario race_atomic --scenario race_racy --repeat 5 --format json").exits(0).json();
    assert_eq!(ran["run"]["repeats"], 5);
}

#[test]
fn a_baseline_is_held_to_its_last_figure() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("baseline.json");
    let own = run("probe --format json").exits(0).stdout;
    std::fs::write(&file, &own).unwrap();
    let against = |more: &str| run(&format!("probe --baseline {}{more}", file.display()));
    against("").exits(0);
    against(" --scenario race_racy").exits(0);
    against(" --scenario post_slow_naive").exits(2).says("post_slow_naive: not in the baseline");
    std::fs::write(&file, own.replacen("\"duplicates\":10", "\"duplicates\":9", 1)).unwrap();
    against("").exits(2).says("differs from the baseline: race_racy /declared/duplicates: was 9, is 10");
    against(" --scenario race_atomic").exits(0);
    std::fs::write(&file, own.replace("\"version\":\"", "\"version\":\"old-")).unwrap();
    against("").exits(0);
    std::fs::write(&file, "{\"scenarios\":[]}").unwrap();
    against("").exits(4);
    std::fs::write(&file, "{}").unwrap();
    against("").exits(3).says("no array `scenarios` or `checks`");
    std::fs::write(&file, own.split_at(own.len() / 2).0).unwrap();
    against("").exits(3).says("baseline.json: not the JSON document (EOF while parsing");
}

#[test]
fn ledgers_are_kept_where_asked_and_begun_anew() {
    let folder = tempfile::tempdir().unwrap();
    let kept = folder.path().join("new/ledgers");
    for _ in 0..2 {
        run(&format!("probe --format table --ledger-dir {}", kept.display())).exits(0);
        let lines = std::fs::read_to_string(kept.join("post_drop_naive.jsonl")).unwrap();
        assert_eq!(lines.lines().count(), 6);
        assert_eq!(std::fs::read_dir(&kept).unwrap().count(), 10);
    }
}

#[test]
fn a_ledger_folder_that_cannot_be_used_is_named_with_the_reason() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let below_a_file = file.path().join("ledgers");
    run(&format!("probe --ledger-dir {}", below_a_file.display()))
        .exits(3)
        .says(&format!("idem: error: cannot use ledger folder {}: ", below_a_file.display()));
}

#[test]
fn wrong_usage_is_refused_in_one_line() {
    let cases = [
        ("probe --frobnicate", "unexpected argument '--frobnicate'"),
        ("probe --scenario nope", "give one of pre_fail_naive, post_drop_naive, "),
        ("probe --policy nope", "give one of naive, key_atomic, "),
        ("probe --repeat 0", "0 is not in 1..=10000"),
        ("probe --intents 100001", "100001 is not in 0..=100000"),
        ("probe --intents many", "invalid value 'many'"),
        ("probe --scenario race_racy --intents 5", "--intents changes nothing"),
        ("probe --scenario at_most_once --rounds 5", "--rounds changes nothing"),
        ("probe --baseline /no/such/file", "baseline /no/such/file: No such file"),
    ];
    for (args, message) in cases {
        let ran = run(args).exits(3).says(message);
        assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
        assert_eq!(ran.stdout, "");
    }
}

#[test]
fn no_intent_is_zero_input() {
    run("probe --intents 0").exits(4).says("nothing to probe");
    run("probe --scenario race_racy --rounds 0").exits(4).says("nothing to probe");
}

#[test]
fn help_and_version_are_no_errors() {
    run("--help").exits(0).prints("probe");
    run("probe --help").exits(0).prints("--scenario <NAME>");
    run("--version").exits(0).prints("idem 0.");
    let alone = idem([""; 0]).output().unwrap();
    assert_eq!(alone.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&alone.stderr).contains("Usage: idem"));
}

#[test]
fn the_scenarios_are_listed_with_what_they_teach() {
    assert_eq!(run("probe --list").exits(0).stdout, include_str!("data/probe-list.txt"));
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut probe = Running::spawn(&mut idem(["probe"]));
    drop(probe.0.stdout.take());
    let ran = probe.0.wait().unwrap();
    assert_eq!(ran.code(), Some(0));
}

#[test]
fn interrupted_it_exits_130_and_leaves_no_ledger_behind() {
    for signal in ["INT", "TERM"] {
        let temporary = tempfile::tempdir().unwrap();
        let mut command = idem(["probe", "--repeat", "10000"]);
        let probe = Running::spawn(command.env("TMPDIR", temporary.path()).stdin(Stdio::null()));
        let ledgers = || std::fs::read_dir(temporary.path()).unwrap().count();
        eventually("the ledger folder is made", || ledgers() == 1);
        eventually("a ledger is written", || {
            let folder = std::fs::read_dir(temporary.path()).unwrap().next().unwrap().unwrap().path();
            std::fs::read_dir(folder).unwrap().count() > 0
        });
        probe.signal(signal);
        probe.finish().exits(130).says("interrupted");
        assert_eq!(ledgers(), 0);
    }
}
