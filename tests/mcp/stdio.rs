//! `idem proxy --mcp` between a client and a server on standard streams: the client is Python's standard library, and the
//! server's own ledger says how often it was called.

use std::process::Command;

use serde_json::Value;

use crate::support::{Ran, output, run};
use crate::{Scene, words};

/// A client that calls until it is told of a success, its readings, and the exit codes of what it started.
fn client(scene: &Scene, keys: &str, options: &str) -> (Vec<Value>, String, Ran) {
    let readings = scene.ledger.with_file_name("readings.jsonl");
    let idem = env!("CARGO_BIN_EXE_idem");
    let mut command = Command::new("python3");
    command.arg("tests/mcp/stdio_client.py").arg(&scene.ledger).arg(keys);
    command.args([idem, "proxy", "--mcp", "--readings"]).arg(&readings).args(words(options)).arg("--");
    command.args([idem, "serve", "--mcp", "--stdio", "--policy", "naive", "--ledger"]).arg(&scene.ledger);
    let ran: Ran = output(&mut command).into();
    let text = std::fs::read_to_string(&readings).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    (lines.filter(|line| line.get("intent").is_some()).collect(), text, ran.exits(0))
}

#[test]
fn each_fault_of_standard_streams_is_read_as_it_happened() {
    for (fault, symptoms, delivered, rows) in [
        ("none", &["ok"][..], &[1][..], 1),
        ("pre_fail", &["server-error", "ok"], &[0, 1], 1),
        ("post_drop", &["read-timeout", "ok"], &[1, 1], 2),
        ("post_slow", &["read-timeout", "ok"], &[1, 1], 2),
        ("post_error", &["server-error", "ok"], &[1, 1], 2),
        ("half_reply", &["truncated", "ok"], &[1, 1], 2),
        ("cut", &["closed", "ok"], &[1, 1], 2),
        ("cut --cut-after 300ms --on every=1", &["ok"], &[1], 1),
    ] {
        let scene = Scene::start();
        let (calls, text, ran) = client(&scene, "same", &format!("--fault {fault}"));
        let of = |name: &str| calls.iter().map(|call| call[name].clone()).collect::<Vec<_>>();
        assert_eq!((of("symptom"), of("delivered")), (to_values(symptoms), to_values(delivered)), "{fault}: {text}");
        let ids: Vec<_> = ["11", "12"][..symptoms.len()].to_vec();
        assert_eq!((of("call"), scene.lines()), (to_values(&ids), rows), "{fault}: {text}");
        // One key for both calls: only the naive server's second receipt is found.
        let found = if rows == 2 { 1 } else { 0 };
        assert_eq!(
            ran.stderr.matches("finding: double-receipt: intent ord-1").count(),
            found,
            "{fault}: {}",
            ran.stderr
        );
        assert_eq!((ran.stderr.matches("finding:").count(), ran.stdout.contains('2')), (found, rows == 2), "{fault}");
    }
}

fn to_values<T: Clone + Into<Value>>(values: &[T]) -> Vec<Value> {
    values.iter().cloned().map(Into::into).collect()
}

#[test]
fn a_new_key_for_a_retry_is_found_also_where_the_server_was_started_again() {
    for (fault, codes) in [("post_error", "[2]"), ("half_reply", "[0, 2]"), ("cut", "[0, 2]")] {
        let scene = Scene::start();
        let (calls, _, ran) = client(&scene, "new", &format!("--fault {fault}"));
        assert_eq!((calls.len(), ran.stdout.trim()), (2, codes), "{fault}: {}", ran.stderr);
        ran.says("finding: key-rotated: intent ord-1");
    }
    let scene = Scene::start();
    let (calls, _, ran) = client(&scene, "new", "--fault post_error");
    assert_eq!(calls[1]["changed"], serde_json::json!(["/idempotency_key"]));
    ran.says("calls: intent ord-1: 11, again as 12 with other arguments (/idempotency_key)")
        .says("calls: 2 of 1 intents; to the server 2, answered 2");
}

#[test]
fn what_needs_http_or_a_client_of_ours_is_refused() {
    for (options, says) in [
        ("--fault none", "name the server: --upstream URL, or its command behind --"),
        ("--fault double_delivery -- true", "give none, pre_fail, post_drop, post_slow, post_error, half_reply or cut"),
        ("--fault all -- true", "the client runs once"),
        ("--fault cut -- true", "give --readings FILE"),
        ("--fault post_drop --ledger l -- true", "--ledger changes nothing between standard streams"),
        ("--fault post_drop --listen 127.0.0.1:0 -- true", "--listen changes nothing"),
        ("--fault post_drop --timeout 1s -- true", "--timeout changes nothing"),
        ("--fault post_drop --kill-client -- true", "--kill-client changes nothing"),
        ("--fault post_drop --key-at header:K -- true", "a JSON pointer into the arguments"),
        ("--fault post_drop -- /nowhere/server", "cannot run /nowhere/server"),
    ] {
        let readings = if options.contains("-- true") { "" } else { " --readings /dev/null" };
        run(&format!("proxy --mcp{readings} {options}")).exits(3).says(says);
    }
}
