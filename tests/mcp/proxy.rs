//! `idem proxy --mcp` between a client and `idem serve --mcp`: its readings say which calls were made again, by which id,
//! and under which key.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::support::{Ran, Running, converse, eventually, idem, output, run};
use crate::{Scene, serve_mcp};

/// Calls the tool through the proxy, and gives what came back.
fn call(at: &str, id: u64, key: &str, intent: &str) -> String {
    let arguments = format!(r#"{{"intent":"{intent}","amount":1000,"idempotency_key":"{key}"}}"#);
    let meta = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#;
    let params = format!(r#"{{"name":"charge","arguments":{arguments},"_meta":{meta}}}"#);
    let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{params}}}"#);
    let headers = "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: charge\r\n";
    let head = format!("POST /mcp HTTP/1.1\r\nHost: t\r\nConnection: close\r\n{headers}Content-Length: {}", body.len());
    let address = at.strip_prefix("http://").unwrap().parse().unwrap();
    let request = format!("{head}\r\n\r\n{body}");
    converse(address, request.as_bytes())
}

fn proxy(upstream: &str, readings: &Path, fault: &str) -> (Running, String) {
    let mut command: Command =
        idem(["proxy", "--mcp", "--listen", "127.0.0.1:0", "--fault", fault, "--upstream", upstream]);
    let mut proxy = Running::spawn(command.arg("--readings").arg(readings));
    let line = proxy.first_line();
    let at = line.strip_prefix("listening on ").unwrap_or_else(|| panic!("no address in {line:?}"));
    (proxy, at.to_owned())
}

fn judged(readings: &Path) -> Ran {
    output(idem(["classify", "--input"]).arg(readings)).into()
}

#[test]
fn a_call_made_again_is_read_by_its_arguments_and_its_key() {
    for (second_key, exit, finding) in [("k1", 0, ""), ("k2", 2, "key-rotated")] {
        let scene = Scene::start();
        let (_server, url) = serve_mcp("key_atomic", &scene.ledger, "--events");
        let readings = scene.ledger.with_file_name("readings.jsonl");
        let (_proxy, at) = proxy(url.strip_suffix("/mcp").unwrap(), &readings, "post_error");
        assert!(call(&at, 1, "k1", "ord-1").starts_with("HTTP/1.1 502"));
        assert!(call(&at, 2, second_key, "ord-1").contains("receipt"));
        eventually("both are read", || std::fs::read_to_string(&readings).unwrap_or_default().lines().count() == 2);
        let text = std::fs::read_to_string(&readings).unwrap();
        let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let of = |name: &str| lines.iter().map(|line| line[name].to_string()).collect::<Vec<_>>();
        assert_eq!((of("call"), of("attempt")), (vec!["\"1\"".into(), "\"2\"".into()], vec!["1".into(), "2".into()]));
        assert_eq!(of("key"), ["\"k1\"".to_owned(), format!("{second_key:?}")]);
        let changed = if second_key == "k1" { "[]" } else { "[\"/idempotency_key\"]" };
        assert_eq!((of("changed"), of("delivered")), (vec!["null".into(), changed.into()], vec!["1".into(); 2]));
        assert!(lines[1]["receipt"].as_str().is_some_and(|receipt| receipt.starts_with("rcpt_")), "{text}");
        assert!(judged(&readings).exits(exit).stdout.contains(finding));
        assert_eq!(scene.lines(), if exit == 0 { 1 } else { 2 });
    }
}

#[test]
fn a_failure_behind_a_200_is_not_a_success() {
    let scene = Scene::start();
    let (_server, url) = serve_mcp("key_atomic", &scene.ledger, "");
    let readings = scene.ledger.with_file_name("readings.jsonl");
    let (_proxy, at) = proxy(url.strip_suffix("/mcp").unwrap(), &readings, "none");
    assert!(call(&at, 1, "k1", "ord-1").contains("\"isError\":false"));
    assert!(call(&at, 2, "k1", "ord-2").contains("\"isError\":true"));
    eventually("both are read", || std::fs::read_to_string(&readings).unwrap_or_default().lines().count() == 2);
    let text = std::fs::read_to_string(&readings).unwrap();
    let last: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!((last["status"].as_u64(), last["symptom"].as_str()), (Some(200), Some("server-error")), "{last}");
    assert!(last["note"].as_str().is_some_and(|note| note.contains("isError: 422")), "{last}");
}

#[test]
fn places_of_a_call_are_in_its_arguments() {
    let given = "proxy --mcp --upstream http://127.0.0.1:1 --fault none --readings /tmp/unused";
    run(&format!("{given} --key-at header:X-Key")).exits(3).says("a JSON pointer into the arguments");
    run(&format!("{given} --key-header X-Key")).exits(3).says("cannot be used with");
}
