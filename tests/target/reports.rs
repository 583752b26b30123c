//! The reports of one target: JSON, JUnit, text; the plan against what was sent; baseline; secrets; an interruption.

use std::collections::BTreeMap;

use crate::servers::{correct, start};
use crate::support::{Ran, Running, eventually, idem};
use crate::{probe, row, verdicts};

#[test]
fn a_correct_target_receives_what_was_planned() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("charges.jsonl");
    let address = correct(&ledger);
    let ran = probe(address, &ledger, "").exits(0);
    let planned: Ran = idem(["probe", "--plan", "--ledger", "none", "--target", &format!("http://{address}/charges")])
        .output()
        .unwrap()
        .into();
    let planned: BTreeMap<_, _> = planned.stdout.lines().filter_map(counts).collect();
    for (check, verdict) in verdicts(&ran) {
        // How many moments the early part of a sweep has depends on the latency, and this target is very fast.
        if verdict == "OK" && check != "cut" {
            let measured = &row(&ran, &check)["measured"];
            let (requests, charges) = (measured["requests"].as_u64().unwrap(), measured["charges"].as_u64().unwrap());
            let (most_requests, most_charges) = planned[&check];
            // The fence is planned with each check, and is no part of its figures.
            assert_eq!(requests, most_requests - 1, "{check}");
            assert!(charges < most_charges, "{check}");
        }
    }
}

fn counts(line: &str) -> Option<(String, (u64, u64))> {
    let words: Vec<_> = line.split_whitespace().collect();
    Some((words.first()?.to_string(), (words.get(1)?.parse().ok()?, words.get(2)?.parse().ok()?)))
}

#[test]
fn the_same_target_equals_its_baseline_and_another_verdict_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("charges.jsonl");
    let address = correct(&ledger);
    let first = probe(address, &ledger, "--check replay --check race_2").exits(0);
    let baseline = folder.path().join("baseline.json");
    std::fs::write(&baseline, &first.stdout).unwrap();
    let compare = format!("--check replay --check race_2 --baseline {}", baseline.display());
    probe(address, &ledger, &compare).exits(0);
    std::fs::write(&baseline, first.stdout.replacen("\"OK\"", "\"LOST\"", 1)).unwrap();
    probe(address, &ledger, &compare).exits(2).says("baseline /verdict: was \"LOST\", is \"OK\"");
}

#[test]
fn without_a_ledger_every_row_is_unproven() {
    let folder = tempfile::tempdir().unwrap();
    let address = correct(&folder.path().join("charges.jsonl"));
    let ran: Ran = idem(["probe", "--format", "json", "--ledger", "none", "--check", "replay", "--check", "race_2"])
        .args(["--target", &format!("http://{address}/charges")])
        .output()
        .unwrap()
        .into();
    let ran = ran.exits(3);
    assert!(verdicts(&ran).values().all(|verdict| verdict == "UNPROVEN"), "{}", ran.stdout);
}

#[test]
fn a_blind_oracle_is_an_error_that_says_where_it_looked() {
    let folder = tempfile::tempdir().unwrap();
    let address = correct(&folder.path().join("charges.jsonl"));
    let other = folder.path().join("other.jsonl");
    std::fs::write(&other, "{\"intent\":\"old\"}\n").unwrap();
    let ran = probe(address, &other, "--check replay").exits(3);
    let evidence = row(&ran, "baseline")["evidence"].as_str().unwrap().to_owned();
    assert!(evidence.contains("looked at /intent in 1 items"), "{evidence}");
    assert!(evidence.contains(r#"the last one is {"intent":"old"}"#), "{evidence}");
}

#[test]
fn junit_has_one_test_case_a_check() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("charges.jsonl");
    let (_server, address) = crate::support::serve("naive", &ledger, &[]);
    let text = junit(address, &ledger).exits(2).stdout;
    assert_eq!(text.matches("<testcase ").count(), 3, "{text}");
    assert!(text.contains("<failure type=\"DUPLICATE\" message=\"3 charges under one key"), "{text}");
    assert!(text.contains("<skipped message=\"give --window"), "{text}");
}

fn junit(address: std::net::SocketAddr, ledger: &std::path::Path) -> Ran {
    let mut command = idem(["probe", "--format", "junit", "--check", "replay", "--check", "window", "--ledger"]);
    command.arg(ledger).args(["--target", &format!("http://{address}/charges")]).output().unwrap().into()
}

#[test]
fn a_finding_has_a_time_line_and_the_request_by_hand_and_no_secret() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("charges.jsonl");
    let (_server, address) = crate::support::serve("naive", &ledger, &[]);
    let ran: Ran =
        idem(["probe", "--check", "post_drop", "--header", "Authorization: Bearer s3cr3t-t0k3n", "--ledger"])
            .arg(&ledger)
            .args(["--target", &format!("http://{address}/charges")])
            .output()
            .unwrap()
            .into();
    let ran = ran
        .exits(2)
        .prints("post_drop DUPLICATE: 3 charges under one key")
        .prints("proxy: has the target's whole reply: 200")
        .prints("(the client saw: reset)")
        .prints("ledger: after the fence -> 3 item(s)")
        .prints("-H 'Authorization: ***'")
        .says("charges intended");
    assert!(!ran.stdout.contains("s3cr3t") && !ran.stderr.contains("s3cr3t"), "{}", ran.stdout);
}

#[test]
fn an_interruption_prints_what_there_is_and_says_what_was_not_finished() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("charges.jsonl");
    std::fs::write(&ledger, "").unwrap();
    let arrived = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let (tell, held) = (arrived.clone(), std::sync::Mutex::new(Vec::new()));
    let address = start(move |stream| {
        held.lock().unwrap().push(stream);
        tell.store(true, std::sync::atomic::Ordering::SeqCst);
        true
    });
    let mut command = idem(["probe", "--format", "json", "--check", "replay", "--ledger"]);
    command.arg(&ledger).args(["--target", &format!("http://{address}/charges")]);
    let running = Running::spawn(&mut command);
    eventually("a request has come", || arrived.load(std::sync::atomic::Ordering::SeqCst));
    running.signal("INT");
    let ran = running.finish().exits(130);
    assert_eq!(row(&ran, "replay")["evidence"], "interrupted, not finished");
}
