//! `idem classify` as a user meets it: its output, its findings, its exit codes, and input that means no good.

mod findings;
mod forms;
mod input;
#[path = "../support/mod.rs"]
mod support;
mod verdicts;
mod wild;

use std::io::Write;
use std::process::Stdio;

use serde_json::Value;
use support::{Ran, idem};

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/classify");

/// Runs classify on these bytes as standard input.
#[track_caller]
fn classify(args: &[&str], input: &[u8]) -> Ran {
    let mut command = idem(["classify"].iter().chain(args));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("idem runs");
    let mut stdin = child.stdin.take().expect("piped");
    std::thread::scope(|scope| {
        scope.spawn(move || stdin.write_all(input));
        child.wait_with_output().expect("idem ends").into()
    })
}

/// The objects of a jsonl output.
fn objects(ran: &Ran) -> Vec<Value> {
    ran.stdout.lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect()
}

/// The one verdict on one reading: symptom, effect, action.
#[track_caller]
fn verdict(reading: &str) -> (String, String, String) {
    let ran = classify(&["--format", "jsonl"], reading.as_bytes());
    let all = objects(&ran);
    let first = all.iter().find(|object| object.get("symptom").is_some());
    let first = first.unwrap_or_else(|| panic!("no verdict on {reading}: {}{}", ran.stdout, ran.stderr));
    let field = |name: &str| first[name].as_str().expect("a name").to_owned();
    (field("symptom"), field("effect"), field("action"))
}
