//! Targets that answer badly: no hang, no panic, and a row that says what happened.

use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::servers::{Charges, read, reply, start};
use crate::{probe, row, verdicts};

struct Scene {
    _folder: tempfile::TempDir,
    ledger: std::path::PathBuf,
}

fn scene() -> Scene {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("charges.jsonl");
    std::fs::write(&ledger, "").unwrap();
    Scene { _folder: folder, ledger }
}

/// The baseline's evidence, where the target takes no plain request at all.
fn refused_by(serve: impl Fn(std::net::TcpStream) -> bool + Send + Sync + 'static) -> String {
    let scene = scene();
    let ran = probe(start(serve), &scene.ledger, "--timeout 200ms --lease 300ms --check replay --check cut").exits(3);
    assert!(verdicts(&ran).values().all(|verdict| verdict == "ERROR"), "{}", ran.stdout);
    assert!(row(&ran, "cut")["evidence"].as_str().unwrap().starts_with("not carried out: baseline"));
    row(&ran, "baseline")["evidence"].as_str().unwrap().to_owned()
}

#[test]
fn garbage_is_an_error_that_quotes_the_parser() {
    let evidence = refused_by(|mut stream| {
        let _ = read(&stream);
        let _ = stream.write_all(b"SSH-2.0-OpenSSH\r\n");
        true
    });
    assert!(evidence.contains("not an HTTP/1 start line"), "{evidence}");
}

#[test]
fn a_close_without_a_reply_is_an_error() {
    let evidence = refused_by(|stream| {
        let _ = read(&stream);
        true
    });
    assert!(evidence.contains("no reply: the server closed the connection"), "{evidence}");
}

#[test]
fn a_target_that_never_answers_is_given_up() {
    let held = std::sync::Mutex::new(Vec::new());
    let evidence = refused_by(move |stream| {
        held.lock().unwrap().push(stream);
        true
    });
    assert!(evidence.contains("no complete reply in time"), "{evidence}");
}

#[test]
fn nobody_at_the_address_is_an_error() {
    let scene = scene();
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let ran = probe(free, &scene.ledger, "--check replay").exits(3);
    assert!(row(&ran, "baseline")["evidence"].as_str().unwrap().contains("refused"));
}

#[test]
fn a_target_that_dies_in_the_middle_is_an_error_that_names_the_check() {
    let scene = scene();
    let charges = Charges::new(&scene.ledger);
    let served = AtomicUsize::new(0);
    // It lives through the baseline and its fence, and dies in the first check after it.
    let address = start(move |stream| {
        if let Some(asked) = read(&stream) {
            reply(&stream, 200, &format!("{{\"receipt\":\"{}\"}}", charges.charge(&asked).receipt));
            return served.fetch_add(1, Ordering::SeqCst) < 6;
        }
        true
    });
    let ran = probe(address, &scene.ledger, "--check replay --check post_drop").exits(3);
    assert_eq!(row(&ran, "baseline")["verdict"], "OK");
    assert!(row(&ran, "replay")["evidence"].as_str().unwrap().contains("the target died in this check"));
    let after = row(&ran, "post_drop")["evidence"].as_str().unwrap().to_owned();
    assert!(after.contains("not carried out: after replay the target died"), "{after}");
}

#[test]
fn a_slow_writer_of_interim_replies_and_chunks_is_understood() {
    let scene = scene();
    let charges = Charges::new(&scene.ledger);
    let address = start(move |mut stream| {
        let Some(asked) = read(&stream) else { return true };
        let body = format!("{{\"receipt\":\"{}\"}}", charges.charge(&asked).receipt);
        let (a, b) = body.split_at(5);
        let head = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
        let whole = format!("{head}{:x}\r\n{a}\r\n{:x};note=x\r\n{b}\r\n0\r\nTrailer: t\r\n\r\n", a.len(), b.len());
        for piece in whole.as_bytes().chunks(20) {
            let _ = stream.write_all(piece);
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        true
    });
    let ran = probe(address, &scene.ledger, "--check replay --check half_reply --check post_drop").exits(0);
    assert!(verdicts(&ran).values().all(|verdict| verdict == "OK"), "{}", ran.stdout);
}

#[test]
fn a_key_that_stays_in_flight_is_wedged_and_a_stored_failure_is_sticky() {
    let scene = scene();
    let charges = Charges::new(&scene.ledger);
    let address = start(move |stream| {
        let Some(asked) = read(&stream) else { return true };
        if asked.body["fail"] == true {
            reply(&stream, 500, "{\"error\":\"stored\"}");
        } else {
            let charged = charges.charge(&asked);
            // Only the replays of one check are left hanging.
            let answers = !asked.body["intent"].to_string().contains("-replay-") || asked.key().is_some_and(first);
            match answers && !charged.other {
                true => reply(&stream, 200, &format!("{{\"receipt\":\"{}\"}}", charged.receipt)),
                false => reply(&stream, 409, "{\"error\":\"in flight\"}"),
            }
        }
        true
    });
    let fail = r#"--fail-body {"intent":"{{intent}}","fail":true}"#;
    let checks = format!("--lease 400ms --check replay --check server_error_first {fail}");
    let ran = probe(address, &scene.ledger, &checks).exits(2);
    assert_eq!(row(&ran, "replay")["verdict"], "WEDGED");
    assert_eq!(row(&ran, "server_error_first")["verdict"], "STICKY");
    let accepted =
        probe(address, &scene.ledger, &checks.replace("--check replay ", "--accept stored-errors ")).exits(0);
    let row = row(&accepted, "server_error_first");
    assert_eq!((&row["verdict"], &row["accepted"]), (&"STICKY".into(), &true.into()));
}

/// Whether a key is seen for the first time by this process.
fn first(key: &str) -> bool {
    static SEEN: std::sync::Mutex<Vec<String>> = std::sync::Mutex::new(Vec::new());
    let mut seen = SEEN.lock().unwrap();
    let is_new = !seen.iter().any(|other| other == key);
    seen.push(key.to_owned());
    is_new
}

#[test]
fn an_old_success_for_another_payload_is_swallowed_unless_declared() {
    let scene = scene();
    let charges = Charges::new(&scene.ledger);
    let address = start(move |stream| {
        if let Some(asked) = read(&stream) {
            reply(&stream, 200, &format!("{{\"receipt\":\"{}\"}}", charges.charge(&asked).receipt));
        }
        true
    });
    let ran = probe(address, &scene.ledger, "--check key_reuse").exits(2);
    assert_eq!(row(&ran, "key_reuse")["verdict"], "SWALLOWED");
    let ran = probe(address, &scene.ledger, "--check key_reuse --accept silent-reuse").exits(0);
    assert_eq!(row(&ran, "key_reuse")["accepted"], true);
}

#[test]
fn a_ledger_that_is_written_late_is_waited_for() {
    let scene = scene();
    let charges = Charges::new(&scene.ledger);
    let real = scene.ledger.with_extension("late");
    std::fs::write(&real, "").unwrap();
    let (from, to) = (scene.ledger.clone(), real.clone());
    let address = start(move |stream| {
        if let Some(asked) = read(&stream) {
            reply(&stream, 200, &format!("{{\"receipt\":\"{}\"}}", charges.charge(&asked).receipt));
            // An outbox: the records follow the replies.
            let (from, to) = (from.clone(), to.clone());
            std::thread::spawn(move || {
                std::thread::sleep(std::time::Duration::from_millis(60));
                let whole = to.with_extension("new");
                std::fs::copy(&from, &whole).unwrap();
                std::fs::rename(&whole, &to).unwrap();
            });
        }
        true
    });
    let ran = probe(address, &real, "--check replay").exits(0);
    assert_eq!(row(&ran, "replay")["measured"]["charges"], 3);
}
