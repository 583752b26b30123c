//! What goes wrong on our own side of the network is an error, never a reading, and never hides a finding.

mod support;

use std::process::{Command, Stdio};

use support::{Ran, Running, charge, converse, eventually, idem, run, serve};

/// Runs `idem` by a shell that sets the stage.
fn sh(script: &str) -> Ran {
    let script = script.replace("idem ", &format!("{} ", env!("CARGO_BIN_EXE_idem")));
    Command::new("sh").args(["-c", &script]).stdin(Stdio::null()).output().unwrap().into()
}

#[test]
fn a_disk_that_is_full_is_no_reading() {
    let folder = tempfile::tempdir().unwrap();
    // No file may grow: with the signal ignored a write fails as on a full disk.
    let ran =
        sh(&format!("trap '' XFSZ; ulimit -f 0; idem probe --format table --ledger-dir {}", folder.path().display()));
    let ran = ran.exits(3).says("pre_fail_naive: cannot write ledger ");
    assert!(!ran.stdout.contains("MISMATCH"), "{}", ran.stdout);
    assert!(ran.stdout.contains("at_most_once "), "what needs no ledger line is still read:\n{}", ran.stdout);
}

/// A file may grow to a limit that falls into the next ledger line, so the disk takes only a part of it.
#[test]
fn a_line_that_the_disk_takes_in_part_is_cut_off_again() {
    let folder = tempfile::tempdir().unwrap();
    let (ledger, measure) = (folder.path().join("ledger.jsonl"), folder.path().join("measure"));
    // What a block is differs between shells.
    sh(&format!("trap '' XFSZ; ulimit -f 2; head -c 100000 /dev/zero > {} 2> /dev/null", measure.display()));
    let limit = std::fs::metadata(&measure).unwrap().len() as usize;
    let line = |name: &str| format!("{{\"intent\":\"{name}\",\"amount\":1,\"receipt\":\"r\",\"key\":null}}\n");
    let whole = line(&"x".repeat(limit - 20 - line("").len()));
    std::fs::write(&ledger, &whole).unwrap();

    let limited = "trap '' XFSZ; ulimit -f 2; exec \"$0\" serve --policy naive --listen 127.0.0.1:0 --ledger \"$1\"";
    let mut shell = Command::new("sh");
    let mut server = Running::spawn(shell.args(["-c", limited, env!("CARGO_BIN_EXE_idem"), ledger.to_str().unwrap()]));
    let address = server.first_line();
    let address = address.strip_prefix("listening on http://").unwrap().strip_suffix("/charges").unwrap();
    let reply = converse(address.parse().unwrap(), &charge("{\"intent\":\"a\",\"amount\":1}", None));
    assert!(reply.starts_with("HTTP/1.1 500") && reply.contains("ledger not written: "), "{reply}");
    assert_eq!(std::fs::read_to_string(&ledger).unwrap(), whole, "no part of the line is left");
}

#[test]
fn running_out_of_descriptors_is_no_reading() {
    for limit in [20, 30, 40, 64, 80] {
        let ran = sh(&format!("ulimit -n {limit}; idem probe --format table"));
        assert!(matches!(ran.code, Some(0 | 3)), "{limit}: {:?}\n{}{}", ran.code, ran.stdout, ran.stderr);
        assert!(!ran.stdout.contains("MISMATCH"), "{limit}: {}", ran.stdout);
        assert_eq!(ran.code == Some(3), ran.stderr.contains("oo many open files"), "{limit}: {}", ran.stderr);
    }
}

#[test]
fn a_finding_stands_though_it_cannot_be_written() {
    sh("idem probe --scenario race_atomic --policy key_racy > /dev/full")
        .exits(2)
        .says("cannot write to standard output");
    sh("idem probe --scenario at_most_once > /dev/full").exits(3).says("cannot write to standard output");
}

#[test]
fn standard_error_may_be_gone() {
    sh("idem probe --frobnicate 2> /dev/full").exits(3);
    sh("idem probe --frobnicate 2>&-").exits(3);
    sh("idem probe --scenario at_most_once --baseline /dev/null 2> /dev/full").exits(3);
}

#[test]
fn a_ledger_has_one_user_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("at_most_once.jsonl");
    let (_server, _) = serve("naive", &ledger, &[]);
    let path = ledger.display();
    run(&format!("serve --policy naive --listen 127.0.0.1:0 --ledger {path}"))
        .exits(3)
        .says("in use by another process");
    let probe = format!("probe --scenario at_most_once --ledger-dir {}", folder.path().display());
    run(&probe).exits(3).says("at_most_once: cannot open ledger ").says("in use by another process");
}

#[test]
fn a_ledger_is_a_regular_file() {
    run("serve --policy naive --listen 127.0.0.1:0 --ledger /dev/full")
        .exits(3)
        .says("/dev/full is not a regular file");
}

#[test]
fn it_can_be_interrupted_while_nobody_reads_its_output() {
    let temporary = tempfile::tempdir().unwrap();
    let mut command = idem(["probe", "--format", "json", "--intents", "500"]);
    let probe = Running::spawn(command.env("TMPDIR", temporary.path()));
    let ledgers = || std::fs::read_dir(temporary.path()).unwrap().count();
    eventually("the ledgers are made", || ledgers() == 1);
    eventually("the ledgers are removed, so the report is being written", || ledgers() == 0);
    probe.signal("INT");
    eventually("it has ended", || {
        std::fs::read_to_string(format!("/proc/{}/stat", probe.0.id())).is_ok_and(|stat| stat.contains(") Z "))
    });
    probe.finish().exits(130);
}
