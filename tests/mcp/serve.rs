//! `idem serve --mcp`: what a client of each revision is answered.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::{Running, converse, ended, idem, run};
use crate::{Scene, serve_mcp};

const CALL: &str = r#""name":"charge","arguments":{"intent":"ord-001","amount":1000,"idempotency_key":"k"}"#;
const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#;
const HEADERS: &str = "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: charge\r\n";

/// Posts a message, and gives head and body of the reply.
fn post(url: &str, headers: &str, method: &str, params: &str) -> (String, String) {
    let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{params}}}}}"#);
    let place = url.strip_prefix("http://").and_then(|rest| rest.strip_suffix("/mcp")).unwrap();
    let head = format!("POST /mcp HTTP/1.1\r\nHost: t\r\nConnection: close\r\n{headers}");
    let request = format!("{head}Content-Length: {}\r\n\r\n{body}", body.len());
    let reply = converse(place.parse().unwrap(), request.as_bytes());
    let (head, body) = reply.split_once("\r\n\r\n").expect("a head");
    (head.to_owned(), body.to_owned())
}

fn parsed(body: &str) -> Value {
    serde_json::from_str(body).unwrap_or_else(|why| panic!("{why}: {body}"))
}

#[test]
fn a_stateless_call_says_in_its_headers_what_its_body_says() {
    let scene = Scene::start();
    let (_server, url) = serve_mcp("key_atomic", &scene.ledger, "");
    let params = format!("{CALL},{META}");
    let (head, body) = post(&url, HEADERS, "tools/call", &params);
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    let result = &parsed(&body)["result"];
    assert_eq!((&result["resultType"], &result["isError"]), (&json!("complete"), &json!(false)));
    assert_eq!(result["structuredContent"]["replay"], false);
    for wrong in [HEADERS.replace("charge", "pay"), HEADERS.replace("/call", "/list"), String::new()] {
        let (head, body) = post(&url, &wrong, "tools/call", &params);
        assert!(head.starts_with("HTTP/1.1 400"), "{head}");
        assert_eq!(parsed(&body)["error"]["code"], -32020, "{wrong}");
    }
    let (_, body) = post(&url, HEADERS, "tools/call", &params.replace("2026", "2030"));
    let error = &parsed(&body)["error"];
    assert_eq!((&error["code"], &error["data"]["supported"][0]), (&json!(-32022), &json!("2026-07-28")));
    let unknown = HEADERS.replace("tools/call", "tools/dance");
    let (head, body) = post(&url, &unknown, "tools/dance", &params);
    assert!(head.starts_with("HTTP/1.1 404"), "{head}");
    assert_eq!(parsed(&body)["error"]["code"], -32601);
    assert_eq!(scene.lines(), 1);
}

#[test]
fn a_session_begins_with_its_handshake_and_is_known_by_its_name() {
    let scene = Scene::start();
    let (_server, url) = serve_mcp("key_atomic", &scene.ledger, "--events");
    let (head, body) = post(&url, "", "initialize", r#""protocolVersion":"2025-06-18""#);
    assert_eq!(parsed(&body)["result"]["protocolVersion"], "2025-06-18");
    let name = head.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).expect("a session");
    let (head, _) = post(&url, "", "tools/call", CALL);
    assert!(head.starts_with("HTTP/1.1 400"), "{head}");
    let (head, _) = post(&url, "Mcp-Session-Id: other\r\n", "tools/call", CALL);
    assert!(head.starts_with("HTTP/1.1 404"), "{head}");
    let session = format!("Mcp-Session-Id: {name}\r\n");
    let (head, body) = post(&url, &session, "tools/call", CALL);
    assert!(head.contains("content-type: text/event-stream"), "{head}");
    assert!(body.contains("notifications/progress") && body.contains("\"replay\":false"), "{body}");
    let (_, body) = post(&url, &session, "tools/call", r#""name":"charge","arguments":{"intent":"a","amount":1}"#);
    assert!(body.contains("\"isError\":true") && body.contains("idempotency_key is missing"), "{body}");
    let (_, body) = post(&url, &session, "tools/call", r#""name":"pay","arguments":{}"#);
    assert!(body.contains("-32602"), "{body}");
    let (_, body) = post(&url, &session, "server/discover", "");
    assert!(body.contains("-32601"), "{body}");
    assert_eq!(scene.lines(), 1);
}

#[test]
fn one_revision_alone_can_be_spoken() {
    let scene = Scene::start();
    let (_server, url) = serve_mcp("naive", &scene.ledger, "--revision 2026-07-28");
    let (head, body) = post(&url, "", "initialize", r#""protocolVersion":"2025-11-25""#);
    assert!(head.starts_with("HTTP/1.1 404") && body.contains("2026-07-28"), "{head}{body}");
    let discover = "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: server/discover\r\n";
    let (_, body) = post(&url, discover, "server/discover", META);
    assert_eq!(parsed(&body)["result"]["supportedVersions"], json!(["2026-07-28"]));
}

/// A server on its standard streams.
struct Lines {
    server: Running,
    answers: BufReader<std::process::ChildStdout>,
}

impl Lines {
    fn start(scene: &Scene, policy: &str) -> Lines {
        let mut command: Command = idem(["serve", "--mcp", "--stdio", "--policy", policy, "--ledger"]);
        command.arg(&scene.ledger).args(["--window", "300ms"]).stdin(Stdio::piped());
        let mut server = Running::spawn(&mut command);
        let answers = BufReader::new(server.0.stdout.take().unwrap());
        Lines { server, answers }
    }

    fn say(&mut self, line: &str) {
        writeln!(self.server.0.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    fn answer(&mut self) -> Value {
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        parsed(&line)
    }
}

#[test]
fn a_cancelled_call_is_not_answered_and_its_charge_stands() {
    let scene = Scene::start();
    let mut lines = Lines::start(&scene, "key_racy");
    lines.say(r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#);
    assert_eq!(lines.answer()["result"]["protocolVersion"], "2025-11-25");
    // It looks up for 300 ms; that a later request is answered shows that it has begun, and it is cancelled in between.
    lines.say(&format!(r#"{{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{{{CALL}}}}}"#));
    lines.say(r#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#);
    assert_eq!(lines.answer()["id"], "p");
    lines.say(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#);
    let other = CALL.replace("\"k\"", "\"other\"");
    lines.say(&format!(r#"{{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{{{other}}}}}"#));
    lines.say("{");
    assert_eq!(lines.answer()["error"]["code"], -32700);
    assert_eq!(lines.answer()["id"], 3);
    drop(lines.server.0.stdin.take());
    let mut rest = String::new();
    lines.answers.read_line(&mut rest).unwrap();
    assert_eq!((rest.as_str(), ended(&mut lines.server.0).code()), ("", Some(0)));
    assert_eq!(scene.lines(), 2);
}

#[test]
fn options_of_the_tool_are_refused_where_they_change_nothing() {
    for (options, says) in [
        ("--hints none", "--mcp"),
        ("--mcp --stdio --listen 127.0.0.1:0", "cannot be used with"),
        ("--mcp --stdio --events", "cannot be used with"),
        ("--mcp --revision 2024-11-05", "give one of 2026-07-28, 2025-11-25, 2025-06-18"),
        ("--mcp --hints false", "give one of true, none, idempotent, read-only"),
        ("--mcp --revision 2025-11-25 --asks", "--asks changes nothing"),
    ] {
        run(&format!("serve --policy naive --ledger /nowhere/l {options}")).exits(3).says(says);
    }
}
