//! `idem selftest` through the built binary: golden output, a user's vectors, and what it leaves alone.

mod support;

use std::process::Command;

use support::{Ran, idem, run, run_with_input};

const GOLDEN: &str = include_str!("data/selftest.txt");

/// Runs it on a file of vectors, in a folder of its own.
fn with_vectors(vectors: &str) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("vectors.jsonl"), vectors).unwrap();
    idem(["selftest", "--vectors", "vectors.jsonl"]).current_dir(folder.path()).output().unwrap().into()
}

const RIGHT: &str = "{\"intent\":{\"intent\":\" ord-001 \",\"amount\":1000},\"key\":\"cabfa4ea11ff07d1\"}\n";

#[test]
fn all_31_are_printed_and_pass() {
    let ran = run("selftest").exits(0);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), (GOLDEN, ""));
    assert_eq!(GOLDEN.lines().filter(|line| line.starts_with("ok   ")).count(), 31);
    assert!(GOLDEN.ends_with("\n31/31\n"));
}

#[test]
fn right_vectors_are_counted_apart() {
    let text = "{\"intent\":\"{\\\"amount\\\": 1000, \\\"intent\\\": \\\"ord-001\\\"}\",\"key\":\"cabfa4ea11ff07d1\"}";
    let refused = "{\"intent\":{\"amount\":10.0},\"key\":null}\r\n";
    let ran = with_vectors(&format!("\n{RIGHT}{refused}{text}")).exits(0);
    assert_eq!((ran.stdout, ran.stderr.as_str()), (format!("{GOLDEN}vectors 3/3\n"), ""));
}

#[test]
fn a_wrong_vector_exits_5_and_is_shown() {
    let ran = with_vectors(&format!("{RIGHT}{}", RIGHT.replace("1000", "1001"))).exits(5);
    let shown = "FAIL vectors.jsonl:2: got \"7916b69f2a473f2f\" want \"cabfa4ea11ff07d1\"\nvectors 1/2\n";
    assert_eq!((ran.stdout, ran.stderr.as_str()), (format!("{GOLDEN}{shown}"), ""));

    with_vectors(&RIGHT.replace("1000", "1000.0")).exits(5).prints("got a refusal (at /amount: ");
    with_vectors(&RIGHT.replace("\"cabfa4ea11ff07d1\"", "null")).exits(5).prints("want a refusal");
}

#[test]
fn a_malformed_line_exits_3_and_is_named_while_the_others_are_checked() {
    let ran = with_vectors(&format!("{RIGHT}{{\"intent\":1}}\n{RIGHT}")).exits(3).prints("vectors 2/2\n");
    let said = "idem: vectors.jsonl:2: not a pair of intent and key: missing field `key` at column 12; \
                write {\"intent\": {..}, \"key\": \"..\"}\n";
    assert_eq!(ran.stderr, said);
    with_vectors(&format!("{{}}\n{}", RIGHT.replace("1000", "1001"))).exits(5).says("vectors.jsonl:1: ");
    with_vectors(&"{}\n".repeat(30)).exits(3).says("\nidem: vectors.jsonl: and 10 more such lines\n");
}

#[test]
fn no_vector_exits_4_and_no_file_3() {
    with_vectors("\n").exits(4).says("vectors.jsonl: no pair of intent and key").prints("31/31\nvectors 0/0\n");
    run("selftest --vectors /nonexistent/v")
        .exits(3)
        .says("cannot open /nonexistent/v: No such file")
        .prints("31/31\n");
}

#[test]
fn vectors_may_come_from_standard_input() {
    run_with_input("selftest --vectors -", RIGHT.as_bytes()).exits(0).prints("vectors 1/1\n");
    run_with_input("selftest --vectors -", b"{").exits(3).says("standard input:1: ");
}

/// It must pass where no file can grow and where no socket, thread or runtime could have its descriptors.
#[test]
fn it_opens_no_port_and_writes_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let narrow = "ulimit -n 4; ulimit -f 0; exec \"$0\" selftest";
    let ran: Ran = Command::new("sh")
        .args(["-c", narrow, env!("CARGO_BIN_EXE_idem")])
        .current_dir(folder.path())
        .output()
        .unwrap()
        .into();
    ran.exits(0).prints("31/31\n");
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, Vec::<std::ffi::OsString>::new());
}
