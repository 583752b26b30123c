//! Correct servers that turn requests away while they are busy: what blames the load is no finding.

use std::io::Write;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::servers::{Charges, read, reply, start};
use crate::{probe, row, verdicts};

/// One charge at a time, of whatever key; who comes meanwhile is turned away with `status`. The till is closed `lingers`
/// after the reply.
fn one_at_a_time(ledger: &Path, status: u16, lingers: Duration) -> SocketAddr {
    let (charges, till) = (Charges::new(ledger), Arc::new(Mutex::new(())));
    start(move |stream| {
        let (charges, till) = (charges.clone(), till.clone());
        std::thread::spawn(move || {
            let Some(asked) = read(&stream) else { return };
            let Ok(_open) = till.try_lock() else { return reply(&stream, status, "{\"error\":\"busy\"}") };
            std::thread::sleep(Duration::from_millis(20));
            let charged = charges.charge(&asked);
            match charged.other {
                true => reply(&stream, 422, "{}"),
                false => reply(&stream, 200, &format!("{{\"receipt\":\"{}\"}}", charged.receipt)),
            }
            std::thread::sleep(lingers);
        });
        true
    })
}

fn turned_away(status: u16, lingers: Duration, checks: &str) {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("charges.jsonl");
    let ran = probe(one_at_a_time(&ledger, status, lingers), &ledger, checks);
    let found: Vec<_> = verdicts(&ran).into_iter().filter(|(_, verdict)| verdict != "OK").collect();
    assert!(found.is_empty(), "{found:?} {}", ran.stderr);
}

const MANY_KEYS: &str = "--lease 1s --check race_2 --check race_8 --check crowd --check cut";

#[test]
fn a_correct_server_that_is_unavailable_while_it_is_busy_has_no_finding() {
    turned_away(503, Duration::ZERO, MANY_KEYS);
}

#[test]
fn a_correct_server_that_has_too_many_requests_while_it_is_busy_has_no_finding() {
    turned_away(429, Duration::ZERO, MANY_KEYS);
}

/// What a loaded machine does to any server: the handler is stopped between its reply and the end of its lock.
#[test]
fn a_correct_server_that_is_busy_beyond_its_reply_has_no_finding() {
    for status in [429, 409] {
        let checks = "--lease 100ms --check replay --check crowd --check double_delivery";
        turned_away(status, Duration::from_millis(30), checks);
    }
}

/// Six times too many requests for one key, each time for a second: longer than the lease and what is asked for.
#[test]
fn a_key_that_settles_long_after_the_lease_is_remarked_on() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("charges.jsonl");
    let (charges, refused) = (Charges::new(&ledger), Arc::new(Mutex::new(Vec::new())));
    let target = start(move |stream| {
        let Some(asked) = read(&stream) else { return true };
        let intent = asked.body["intent"].to_string();
        let mut refused = refused.lock().unwrap();
        let is_the_one = intent.contains("-replay-") && refused.first().is_none_or(|first| *first == intent);
        if is_the_one && refused.len() < 6 {
            refused.push(intent);
            let head = "HTTP/1.1 429 X\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
            (&stream).write_all(head.as_bytes()).unwrap();
        } else {
            reply(&stream, 200, &format!("{{\"receipt\":\"{}\"}}", charges.charge(&asked).receipt));
        }
        true
    });
    let ran = probe(target, &ledger, "--lease 100ms --check replay").exits(0);
    let evidence = row(&ran, "replay")["evidence"].to_string();
    assert!(evidence.contains("refused for now, as by a busy target, and settled only after "), "{evidence}");
}

/// A listener whose queue is short.
fn listen(backlog: u32) -> TcpListener {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.bind(([127, 0, 0, 1], 0).into()).unwrap();
        let listener = socket.listen(backlog).unwrap().into_std().unwrap();
        listener.set_nonblocking(false).unwrap();
        listener
    })
}

#[test]
fn a_race_says_where_a_target_took_fewer_connections_than_it_has_copies() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("charges.jsonl");
    let charges = Charges::new(&ledger);
    let listener = listen(2);
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            if let Some(asked) = read(&stream) {
                reply(&stream, 200, &format!("{{\"receipt\":\"{}\"}}", charges.charge(&asked).receipt));
            }
        }
    });
    let ran = probe(address, &ledger, "--check race_8").exits(0);
    let evidence = row(&ran, "race_8")["evidence"].to_string();
    assert!(evidence.contains("of 8 connections at once"), "{evidence}");
}
