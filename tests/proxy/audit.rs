//! `idem proxy --audit`: what is held, what is broken, and what no run has shown.

use crate::support::{Bench, curl};

/// The points with how the client stands to them.
fn points(printed: &str) -> Vec<&str> {
    let point = |line: &&str| line.get(..4).is_some_and(|number| [" 3. ", " 9. ", "10. ", "11. "].contains(&number));
    printed.lines().filter(point).map(|line| line.split("  ").next().unwrap_or(line)).collect()
}

#[test]
fn a_client_that_behaves_holds_what_can_be_shown() {
    let bench = Bench::new("key_atomic");
    let client = include_str!("clients/pay.sh");
    let options = "--audit --ledger ledger.jsonl --ledger-lag 10ms --client-log client.jsonl";
    let ran = bench.run(options, &["sh", "-c", client]).exits(0);
    assert_eq!(points(&ran.stdout), [" 3. held", " 9. held", "10. held", "11. held"], "{}", ran.stdout);
    let ran = ran.prints("killed before it was told, and run again, the command sent the same key");
    let ran = ran.prints("it gave up: attempts 3").prints("retries had their first attempt's key; the log numbers");
    // Two orders each, charged once under every fault but a refusal.
    for row in ran.stdout.lines().skip_while(|line| !line.starts_with("none")).take_while(|line| !line.is_empty()) {
        let figures: Vec<_> = row.split_whitespace().rev().collect();
        assert!(row.starts_with("503") || figures[1] == "0" && figures[2] == "0", "{row}");
    }
}

#[test]
fn a_client_that_retries_everything_breaks_every_point() {
    let bench = Bench::new("naive");
    let once = curl("-f");
    let script = format!("for n in 1 2 3 4; do {once} && break; done; true");
    let ran = bench.judge("--audit --max-attempts 3", &script).exits(2);
    assert_eq!(points(&ran.stdout), [" 3. broken", " 9. broken", "10. broken", "11. broken"], "{}", ran.stdout);
    let ran = ran.prints("pre_fail: no-key: intent pre_fail-").prints("refusal: retried-refusal: intent refusal-");
    ran.prints("budget: intent");
}

#[test]
fn what_no_run_shows_is_not_held() {
    let bench = Bench::new("key_atomic");
    // One attempt, another intent in each process, and a log of somebody who numbers badly.
    let once = curl("-f -H \"Idempotency-Key: $$\"").replace("$IDEM_RUN", "$IDEM_RUN-$$");
    let line = "{\"intent\":\"a\",\"key\":\"k\",\"attempt\":1,\"status\":503}\n";
    std::fs::write(bench.folder.path().join("gap.jsonl"), line.repeat(2)).unwrap();
    let ran = bench.run("--audit --client-log gap.jsonl", &["sh", "-c", &once]).exits(2);
    let told = points(&ran.stdout);
    assert_eq!(told, [" 3. not shown", " 9. not shown", "10. held", "11. broken"], "{}", ran.stdout);
    let ran = ran.prints("did not send intent").prints("nothing was sent again");
    ran.prints("the client's log: attempt-gap: intent a");
    // It tries for ever, but for what was refused.
    let endless = format!("until {}; do sleep 0.05; done", curl("-f -H 'Idempotency-Key: k'$IDEM_RUN"));
    let endless = endless.replace("until curl", "until [ \"${IDEM_RUN%-*}\" = refusal ] || curl");
    let ran = bench.run("--audit --max-span 400ms", &["sh", "-c", &endless]).exits(2);
    ran.prints("10. broken").prints("name the client's log with --client-log");
}
