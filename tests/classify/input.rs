//! Input that means no good, exit codes, and the ends of a pipe.

use std::process::Stdio;

use serde_json::Value;

use crate::support::{Ran, Running, idem};
use crate::{DATA, classify, objects, verdict};

#[test]
fn the_exit_code_tells_what_there_was() {
    classify(&[], b"{\"status\":200}").exits(0);
    classify(&[], b"{\"intent\":\"a\",\"error\":\"timed out\"}").exits(0).prints("warning: unresolved");
    classify(&["--strict"], b"{\"intent\":\"a\",\"error\":\"timed out\"}").exits(2);
    classify(&[], b"").exits(4).says("nothing to judge: no line of standard input tells of a call");
    classify(&[], b"\n\n").exits(4);
    classify(&[], b"\0\0\0").exits(4).says("nothing to judge");
    classify(&[], b"[]").exits(4);
    classify(&[], b"nonsense\n").exits(4).prints("other lines 1: they tell of no call");
    classify(&[], b"{\"status\":200}\nnonsense\n").exits(0);
    classify(&[], b"{\"status\":200}\n{\"x\" 1}\n").exits(3).says("standard input: line 2, column 6: expected `:`");
    let both = b"{\"intent\":\"a\",\"status\":422}\n{\"intent\":\"a\",\"status\":200}\n{\"x\" 1}\n";
    classify(&[], both).exits(2).says("line 3, column 6");
    classify(&["--frobnicate"], b"").exits(3);
    classify(&["--input", "/no/such/file"], b"").exits(3).says("/no/such/file");
}

#[test]
fn words_are_read_a_line_each() {
    let input = b"curl: (7) Failed to connect\r\n\nread tcp: connection reset by peer\n\xff\xfe connection refused\n";
    let ran = classify(&["--text", "--format", "jsonl"], input).exits(0);
    let got: Vec<_> =
        objects(&ran).iter().filter_map(|o| Some((o.get("line")?.clone(), o["symptom"].clone()))).collect();
    let expected = [(1, "refused"), (3, "reset"), (4, "refused")];
    assert_eq!(got, expected.map(|(line, symptom)| (Value::from(line), Value::from(symptom))));
}

#[test]
fn hostile_input_has_a_meaning_and_does_no_harm() {
    let deep = |n: usize| format!("{{\"error\":{}\"x\"{}}}", "[".repeat(n), "]".repeat(n));
    let nested = |n: usize| format!("{}{{\"status\":200}}{}", "{\"error\":".repeat(n), "}".repeat(n));
    let refusals: [(Vec<u8>, &str); 7] = [
        (deep(100_000).into_bytes(), "nested deeper than 127 levels"),
        (nested(100_000).into_bytes(), "nested deeper than 127 levels"),
        (b"{\"status\":200".to_vec(), "line 1, column 1: the value that begins here breaks off at line 2, column 1"),
        (b"{\"status\":200}}".to_vec(), "expected a value"),
        (b"[[{\"status\":200}]]".to_vec(), "a reading is an object or a text"),
        (b"{\"error\":\"a\0b\"}".to_vec(), "control character"),
        (b"{\"status\":1e999}".to_vec(), "number out of range"),
    ];
    for (input, why) in refusals {
        let mut input = input;
        input.extend_from_slice(b"\n{\"status\":200}\n");
        let start = String::from_utf8_lossy(&input[..input.len().min(40)]).into_owned();
        let ran = classify(&["--format", "jsonl"], &input);
        assert_eq!(ran.code, Some(3), "{start}: {}", ran.stderr);
        assert!(ran.stderr.contains(why), "{start}: {}", ran.stderr.chars().take(300).collect::<String>());
        assert!(ran.stdout.contains("\"symptom\":\"ok\""), "{start}: the good line was lost");
    }
    classify(&[], b"{\"status\":200}\n{\"status\":").exits(3).says("line 2, column 1: the input ends inside the value");
    // Latin-1, as older logs have it: the reading is not lost.
    let latin = b"{\"error\":\"Verbindung abgebrochen f\xfcr Connection refused\"}";
    classify(&["--format", "jsonl"], latin).exits(0).prints("\"symptom\":\"refused\"");
    let many = format!("{{\"error\":[{}\"x\"]}}", "\"connection refused\",".repeat(5000));
    assert_eq!(verdict(&many).0, "unknown");
}

#[test]
#[cfg(target_os = "linux")]
fn a_line_of_100_mb_is_refused_in_bounded_memory() {
    let script = "ulimit -v 300000; { printf '{\"error\":\"'; head -c 100000000 /dev/zero | tr '\\0' x; printf '\"}\\n'; \
                  printf '{\"status\":200}\\n'; } | \"$0\" classify --format jsonl";
    let mut shell = std::process::Command::new("sh");
    let ran: Ran = shell.args(["-c", script, env!("CARGO_BIN_EXE_idem")]).output().unwrap().into();
    ran.exits(3).says("line 1, column 1: longer than 16 MiB; left out").prints("{\"line\":2,\"symptom\":\"ok\"");
}

#[test]
#[cfg(unix)]
fn a_reader_that_goes_away_ends_it_quietly() {
    let script = "yes '{\"status\":200}' | head -n 200000 | \"$0\" classify | head -n 1";
    let ran: Ran =
        std::process::Command::new("sh").args(["-c", script, env!("CARGO_BIN_EXE_idem")]).output().unwrap().into();
    let ran = ran.exits(0);
    assert_eq!(ran.stderr, "");
    assert!(ran.stdout.contains("ok"), "{}", ran.stdout);
}

#[test]
fn the_summary_alone_is_short() {
    let input = std::fs::read(format!("{DATA}/readings.jsonl")).unwrap();
    let ran = classify(&["--summary"], &input).exits(0);
    assert!(ran.stdout.lines().count() <= 4 && ran.stdout.starts_with("readings "), "{}", ran.stdout);
}

#[test]
#[cfg(target_os = "linux")]
fn ctrl_c_ends_it_with_130() {
    let running = Running::spawn(idem(["classify"]).stdin(Stdio::piped()));
    running.awaits_interrupts();
    running.signal("INT");
    running.finish().exits(130);
}
