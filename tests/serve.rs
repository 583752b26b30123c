//! `idem serve` through the built binary: the charge server on real sockets and a real ledger file.

mod support;

use std::fs;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use support::{Running, charge, converse, idem, run, serve};

const ORDER: &str = r#"{"intent":"ord-001","amount":1000}"#;

struct Scene {
    _folder: tempfile::TempDir,
    ledger: PathBuf,
}

impl Scene {
    fn new() -> Scene {
        let folder = tempfile::tempdir().unwrap();
        let ledger = folder.path().join("charges.jsonl");
        Scene { _folder: folder, ledger }
    }

    fn lines(&self) -> usize {
        fs::read_to_string(&self.ledger).unwrap().lines().count()
    }
}

#[test]
fn a_bad_request_gets_a_problem_and_charges_nothing() {
    let scene = Scene::new();
    let (_server, address) = serve("key_atomic", &scene.ledger, &[]);
    let post = |head: &str, body: &str| {
        format!("POST {head}Host: t\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}", body.len())
    };
    let json = "/charges HTTP/1.1\r\nContent-Type: application/json\r\nIdempotency-Key: k\r\n";
    let huge = format!("{{\"intent\":\"a\",\"amount\":1,\"pad\":\"{}\"}}", "x".repeat(64 * 1024));
    let cases = [
        ("HTTP/1.1 400", post(json, "{\"intent\":")),
        ("HTTP/1.1 400", post(json, "{\"intent\":\"a\"}")),
        ("HTTP/1.1 400", post(json, "{\"intent\":\"a\",\"amount\":10.5}")),
        ("HTTP/1.1 400", post("/charges HTTP/1.1\r\nContent-Type: application/json\r\n", ORDER)),
        ("HTTP/1.1 400", post(&format!("{json}Idempotency-Key: other\r\n"), ORDER)),
        ("HTTP/1.1 404", post("/elsewhere HTTP/1.1\r\n", ORDER)),
        ("HTTP/1.1 405", "GET /charges HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n".to_owned()),
        ("HTTP/1.1 413", post(json, &huge)),
        ("HTTP/1.1 415", post("/charges HTTP/1.1\r\nContent-Type: text/plain\r\n", ORDER)),
    ];
    for (status, request) in cases {
        let reply = converse(address, request.as_bytes());
        assert!(reply.starts_with(status), "{request:.300}\n{reply}");
        assert!(reply.contains("content-type: application/problem+json"), "{reply}");
        assert_eq!(reply.contains("allow: POST"), status.ends_with("405"), "{reply}");
    }
    assert_eq!(scene.lines(), 0);
}

#[test]
fn a_repeat_replays_and_another_intent_under_the_key_is_refused() {
    let scene = Scene::new();
    let (_server, address) = serve("key_atomic", &scene.ledger, &[]);
    let first = converse(address, &charge(ORDER, Some("k")));
    let again = converse(address, &charge(ORDER, Some("k")));
    assert!(first.contains("\"replay\":false") && !first.contains("idempotent-replayed"), "{first}");
    assert!(again.contains("\"replay\":true") && again.contains("idempotent-replayed: true"), "{again}");
    assert_eq!(receipt(&first), receipt(&again));
    let other = converse(address, &charge(r#"{"intent":"ord-002","amount":1000}"#, Some("k")));
    assert!(other.starts_with("HTTP/1.1 422"), "{other}");
    assert_eq!(scene.lines(), 1);
}

#[test]
fn a_client_that_hangs_up_does_not_cancel_its_charge() {
    let scene = Scene::new();
    let (_server, address) = serve("key_racy", &scene.ledger, &["--window", "300ms"]);
    let gone = (1..20).find(|attempt| hangs_up_within_the_window(&scene, address, &format!("k{attempt}")));
    let key = format!("k{}", gone.expect("some client left while its charge was under way"));
    // The charge came after its client had gone, and so did the key: the retry is a replay of it.
    let lines = scene.lines();
    assert!(converse(address, &charge(ORDER, Some(&key))).contains("\"replay\":true"));
    assert_eq!(scene.lines(), lines);
}

/// Whether this client left before its charge was written, and it was written all the same. A client may leave too
/// late, or so early that the server has not begun: then it is no case.
fn hangs_up_within_the_window(scene: &Scene, address: SocketAddr, key: &str) -> bool {
    let before = scene.lines();
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(&charge(ORDER, Some(key))).unwrap();
    std::thread::sleep(Duration::from_millis(50));
    stream.shutdown(Shutdown::Both).unwrap();
    drop(stream);
    let in_time = scene.lines() == before;
    let until = Instant::now() + Duration::from_secs(2);
    while scene.lines() == before && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(5));
    }
    in_time && scene.lines() > before
}

#[test]
fn a_request_whose_body_ends_early_charges_nothing() {
    let scene = Scene::new();
    let (_server, address) = serve("naive", &scene.ledger, &[]);
    let whole = charge(ORDER, None);
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(&whole[..whole.len() - 1]).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    let mut reply = Vec::new();
    stream.read_to_end(&mut reply).unwrap();
    assert!(reply.starts_with(b"HTTP/1.1 400"), "{}", String::from_utf8_lossy(&reply));
    // A whole request after it is charged, and is the only one.
    converse(address, &whole);
    assert_eq!(scene.lines(), 1);
}

#[test]
fn a_stuck_connection_holds_up_nobody() {
    let scene = Scene::new();
    let (_server, address) = serve("naive", &scene.ledger, &[]);
    let mut stuck = TcpStream::connect(address).unwrap();
    stuck.write_all(b"POST /charges HTTP/1.1\r\nContent-").unwrap();
    assert!(converse(address, &charge(ORDER, None)).starts_with("HTTP/1.1 200"));
}

#[test]
fn a_killed_server_forgets_its_keys_unless_they_are_in_the_ledger() {
    for (policy, lines) in [("key_atomic", 2), ("key_durable", 1)] {
        let scene = Scene::new();
        let (first, second) = (attempt(&scene, policy), attempt(&scene, policy));
        assert_eq!(scene.lines(), lines, "{policy}");
        assert_eq!(receipt(&first) == receipt(&second), lines == 1, "{policy}");
    }
}

/// One request to a server of its own, which is killed after it.
fn attempt(scene: &Scene, policy: &str) -> String {
    let (server, address) = serve(policy, &scene.ledger, &[]);
    let reply = converse(address, &charge(ORDER, Some("k")));
    server.signal("KILL");
    reply
}

#[test]
fn a_torn_last_line_is_reported_cut_off_and_no_charge() {
    let scene = Scene::new();
    let whole = "{\"intent\":\"old\",\"amount\":1,\"receipt\":\"rcpt_old\",\"key\":\"old\"}\n";
    fs::write(&scene.ledger, format!("{whole}{{\"intent\":\"torn\",\"amo")).unwrap();
    let (server, address) = serve("key_durable", &scene.ledger, &[]);
    converse(address, &charge(ORDER, Some("k")));
    assert_eq!(scene.lines(), 2);
    assert!(fs::read_to_string(&scene.ledger).unwrap().starts_with(&format!("{whole}{{\"intent\":\"ord-001\"")));
    server.signal("INT");
    server.finish().exits(130).says("cut off a torn last line, which is not a charge: {\"intent\":\"torn\",\"amo");
}

#[test]
fn a_malformed_line_elsewhere_is_named_by_its_number() {
    let scene = Scene::new();
    let whole = "{\"intent\":\"old\",\"amount\":1,\"receipt\":\"rcpt_old\",\"key\":null}\n";
    fs::write(&scene.ledger, format!("{whole}{{\"intent\":\n{whole}")).unwrap();
    let ran = run(&format!("serve --policy naive --listen 127.0.0.1:0 --ledger {}", scene.ledger.display()));
    ran.exits(3).says("charges.jsonl: line 2 is not a charge");
}

#[test]
fn what_cannot_be_served_is_refused_in_one_line() {
    let scene = Scene::new();
    let ledger = scene.ledger.display();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port: SocketAddr = taken.local_addr().unwrap();
    let cases = [
        (
            format!("serve --policy naive --ledger {ledger} --window 1s"),
            "--window changes nothing: naive has no window",
        ),
        (format!("serve --policy naive --ledger {ledger} --listen {port}"), "cannot listen on 127.0.0.1:"),
        (format!("serve --policy nope --ledger {ledger}"), "give one of naive, "),
        (format!("serve --policy key_ttl --ledger {ledger} --window soon"), "not a duration"),
        ("serve --policy naive --ledger /no/such/folder/l.jsonl".to_owned(), "cannot open ledger /no/such/folder"),
    ];
    for (args, message) in cases {
        let ran = run(&args).exits(3).says(message);
        let complaints =
            ran.stderr.lines().filter(|line| !line.starts_with("idem: waiting up to 4 s: cannot listen on "));
        assert_eq!(complaints.count(), 1, "{}", ran.stderr);
    }
}

#[test]
fn interrupted_it_exits_130() {
    let scene = Scene::new();
    let (server, _) = serve("naive", &scene.ledger, &[]);
    server.signal("INT");
    server.finish().exits(130).says("interrupted");
}

/// The window of `key_ttl` as the user sets it: within it a repeat replays.
#[test]
fn the_window_is_the_users() {
    let scene = Scene::new();
    let (_server, address) = serve("key_ttl", &scene.ledger, &["--window", "1h"]);
    for _ in 0..2 {
        converse(address, &charge(ORDER, Some("k")));
    }
    assert_eq!(scene.lines(), 1);
    let scene = Scene::new();
    let (_server, address) = serve("key_ttl", &scene.ledger, &["--window", "0ms"]);
    for _ in 0..2 {
        converse(address, &charge(ORDER, Some("k")));
    }
    assert_eq!(scene.lines(), 2);
}

fn receipt(reply: &str) -> String {
    let body = reply.split("\r\n\r\n").nth(1).unwrap();
    let body: serde_json::Value = serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {reply}"));
    body["receipt"].as_str().unwrap().to_owned()
}

#[test]
fn a_successor_waits_for_the_ledger_and_the_port_of_a_server_that_is_being_killed() {
    let scene = Scene::new();
    let (server, address) = serve("key_durable", &scene.ledger, &[]);
    converse(address, &charge(ORDER, Some("k")));
    let mut command = idem(["serve", "--policy", "key_durable", "--listen", &address.to_string(), "--ledger"]);
    let mut successor = Running::spawn(command.arg(&scene.ledger));
    assert!(successor.first_complaint().contains("waiting up to 4 s: cannot open ledger"));
    drop(server);
    assert_eq!(successor.first_line(), format!("listening on http://{address}/charges"));
    converse(address, &charge(ORDER, Some("k")));
    assert_eq!(scene.lines(), 1);
}
