//! Correct servers that turn requests away while they are busy: what blames the load is no finding.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::servers::{Charges, read, reply, start};
use crate::{probe, verdicts};

/// One charge at a time, of whatever key; who comes meanwhile is turned away with `status`.
fn one_at_a_time(ledger: &Path, status: u16) -> SocketAddr {
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
        });
        true
    })
}

#[test]
fn a_correct_server_that_turns_others_away_while_it_is_busy_has_no_finding() {
    for status in [503, 429] {
        let folder = tempfile::tempdir().unwrap();
        let ledger = folder.path().join("charges.jsonl");
        let checks = "--lease 1s --check race_2 --check race_8 --check crowd --check cut";
        let ran = probe(one_at_a_time(&ledger, status), &ledger, checks);
        let found: Vec<_> = verdicts(&ran).into_iter().filter(|(_, verdict)| verdict != "OK").collect();
        assert!(found.is_empty(), "{status}: {found:?} {}", ran.stderr);
    }
}
