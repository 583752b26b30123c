//! What a server of one tool and one client cannot show: several tools in one run, and two principals.

use std::process::Command;

use serde_json::Value;

use crate::support::{Ran, Running, output};
use crate::{Scene, serve_mcp, tool, verdict};

const TOOLS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mcp/tools.py");

/// Said loudly where there is none.
fn has_python() -> bool {
    let is_there = Command::new("python3").arg("--version").output().is_ok();
    if !is_there {
        eprintln!("SKIPPED: there is no python3 on this machine");
    }
    is_there
}

#[test]
fn each_tool_that_may_have_an_effect_is_judged_by_its_own_charges() {
    if !has_python() {
        return;
    }
    let scene = Scene::start();
    let server = ["python3", TOOLS, scene.ledger.to_str().unwrap()];
    let ran = scene.probe_command(&server, "--check post_drop").exits(2);
    let document = ran.json();
    let tools = document["tools"].as_array().expect("a document for each");
    let told = tools.iter().map(|tool| ["name", "verdict"].map(|field| tool["mcp"][field].as_str().unwrap()));
    let told: Vec<_> = told.collect();
    assert_eq!(told, [["note", "UNSAFE TO RETRY"], ["pay", "DUPLICATE"], ["order", "OK"]]);
    let ran = ran.says("SKIPPED: purge: no argument in its schema can name an intent");
    assert!(!ran.stderr.contains("balance"), "{}", ran.stderr);
    let ledger = std::fs::read_to_string(&scene.ledger).unwrap();
    for tool in tools {
        let charges = tool["checks"].as_array().unwrap().iter().map(|row| row["measured"]["charges"].as_u64());
        let own = format!("\"tool\": {}", tool["mcp"]["name"]);
        let lines = ledger.lines().filter(|line| line.contains(&own) && !line.contains("-fence-"));
        assert_eq!(charges.sum::<Option<u64>>(), Some(lines.count() as u64), "{tool:#}");
    }
    let strict = scene.probe_command(&server, "--check post_drop --strict --tool note").exits(2);
    assert_eq!(tool(&strict, "verdict"), "UNSAFE TO RETRY");
}

/// The second principal has a session of its own, as it would have.
#[test]
fn two_principals_have_a_session_and_a_success_each() {
    if !has_python() {
        return;
    }
    let tried = [("key", "b", 2, "LEAKED", 2), ("principal", "b", 0, "OK", 4), ("principal", "unknown", 3, "ERROR", 0)];
    for (goes_by, other, exit, says, charges) in tried {
        let scene = Scene::start();
        let mut server = Running::spawn(Command::new("python3").arg(TOOLS).arg(&scene.ledger).arg(goes_by));
        let url = server.first_line().strip_prefix("listening on ").expect("an address").to_owned();
        let ran = principals(&scene, &url, other).exits(exit);
        assert_eq!(verdict(&ran, "principals"), says, "by {goes_by}");
        assert_eq!(ran.stdout.contains("the second principal gets no session"), says == "ERROR");
        let document = ran.json();
        let row = document["checks"].as_array().unwrap().iter().find(|row| row["check"] == "principals").unwrap();
        assert_eq!(row["measured"]["charges"], Value::from(charges), "{row:#}");
    }
}

#[test]
fn two_principals_need_no_session_where_there_is_none() {
    let scene = Scene::start();
    let (_server, url) = serve_mcp("key_atomic", &scene.ledger, "--revision 2026-07-28");
    let ran = principals(&scene, &url, "b").exits(2);
    assert_eq!(verdict(&ran, "principals"), "LEAKED");
}

fn principals(scene: &Scene, url: &str, other: &str) -> Ran {
    let mut command = scene.command("--key-arg /idempotency_key --check principals");
    command.arg(url).args(["--header", "Authorization: Bearer a"]);
    output(command.args(["--other-credential", &format!("Authorization: Bearer {other}")])).into()
}
