//! What a terminal shows while a probe runs. Invariant: nothing of it is in a pipe, and nothing of it stays.

use std::process::Command;

use crate::servers::correct;
use crate::support::{Ran, output};

/// Runs the binary on a terminal of its own; both its streams are in what is given.
const ON_A_TERMINAL: &str = "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))";

#[test]
fn a_terminal_sees_how_far_it_is_and_a_pipe_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("charges.jsonl");
    let address = correct(&ledger);
    let probe = |program: &[&str], more: &[&str]| {
        let mut command = Command::new(program[0]);
        command.args(&program[1..]).args(["probe", "--format", "table"]).args(more);
        command.args(["--target", &format!("http://{address}/charges"), "--ledger"]).arg(&ledger);
        Ran::from(output(command.stdin(std::process::Stdio::null()))).exits(0)
    };
    let idem = env!("CARGO_BIN_EXE_idem");
    let on_a_terminal = ["python3", "-c", ON_A_TERMINAL, idem];
    // The late ones wait for the client's patience, a quarter of a second at least.
    let checks = ["--check", "post_slow", "--check", "late_arrival"];
    let seen = probe(&on_a_terminal, &checks).stdout;
    assert!(seen.contains("\r1 of 3 checks, ") && seen.contains("requests: baseline OK\u{1b}[K"), "{seen:?}");
    let (_, after) = seen.rsplit_once(" of 3 checks").unwrap();
    assert!(after.contains("\r\u{1b}[K"), "it stays: {after:?}");
    let piped = probe(&[idem], &checks);
    assert!(!format!("{}{}", piped.stdout, piped.stderr).contains('\r'), "{}", piped.stderr);
}
