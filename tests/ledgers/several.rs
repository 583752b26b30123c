//! One side effect in several ledgers: charges that are kept apart by their key, and e-mails about them.

use std::io::Write;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::servers::{Charges, read, reply, start};
use crate::support::{Ran, idem};
use crate::within;

/// When the server sends a mail.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mails {
    /// A while after each charge.
    Late,
    /// At each request, whether or not it charges.
    EachTime,
    Never,
}

/// A server that charges each key once, and mails.
fn serve(folder: &Path, mails: Mails) -> SocketAddr {
    let (charges, ledger) = (Charges::new(&folder.join("charges.jsonl")), folder.join("mails.jsonl"));
    std::fs::write(&ledger, "").unwrap();
    let (queue, queued) = mpsc::channel::<String>();
    std::thread::spawn(move || write_all(ledger, queued, mails));
    start(move |stream| {
        let (charges, queue) = (charges.clone(), queue.clone());
        std::thread::spawn(move || {
            let Some(asked) = read(&stream) else { return };
            let before = charges.count();
            let charged = charges.charge(&asked);
            let is_sent = match mails {
                Mails::Late => charges.count() > before,
                Mails::EachTime => true,
                Mails::Never => false,
            };
            if is_sent {
                queue.send(json!({"about": {"order": asked.body["intent"]}}).to_string()).unwrap();
            }
            match charged.other {
                true => reply(&stream, 422, "{}"),
                false => reply(&stream, 200, &format!("{{\"receipt\":\"{}\"}}", charged.receipt)),
            }
        });
        true
    })
}

fn write_all(ledger: PathBuf, queued: mpsc::Receiver<String>, mails: Mails) {
    for mail in queued {
        if mails == Mails::Late {
            std::thread::sleep(Duration::from_millis(100));
        }
        let mut file = std::fs::OpenOptions::new().append(true).open(&ledger).unwrap();
        file.write_all(format!("{mail}\n").as_bytes()).unwrap();
    }
}

fn probe(folder: &Path, target: SocketAddr, format: &str, more: &[&str]) -> Ran {
    let target = format!("http://{target}/charges");
    let args = ["probe", "--format", format, "--check", "replay", "--target", &target];
    idem(args).args(more).current_dir(folder).output().expect("idem starts").into()
}

const BOTH: [&str; 8] =
    ["--ledger", "charges.jsonl", "--ledger", "mails.jsonl", "--intent-at", "/intent", "--intent-at", "/about/order"];

fn row(ran: &Ran, check: &str) -> Value {
    ran.json()["checks"].as_array().unwrap().iter().find(|row| row["check"] == check).unwrap().clone()
}

#[test]
fn the_row_names_the_ledger_that_shows_the_finding() {
    let folder = tempfile::tempdir().unwrap();
    let target = serve(folder.path(), Mails::EachTime);
    let ran = probe(folder.path(), target, "json", &BOTH).exits(2);
    let replay = row(&ran, "replay");
    assert_eq!((&replay["verdict"], &row(&ran, "baseline")["verdict"]), (&json!("DUPLICATE"), &json!("OK")));
    let evidence = replay["evidence"].as_str().unwrap();
    assert!(evidence.contains("charges under one key, shown by mails.jsonl; "), "{evidence}");
    let shown = replay["timeline"].as_array().unwrap().iter().find(|step| step["who"] == "ledger").unwrap();
    assert!(shown["saw"].as_str().unwrap().ends_with("item(s) in mails.jsonl"), "{shown}");
    // What the report says is what stands in that ledger.
    let mails = std::fs::read_to_string(folder.path().join("mails.jsonl")).unwrap();
    assert_eq!(replay["measured"]["charges"], mails.matches("-replay-").count());
    assert_eq!(ran.json()["target"]["ledgers"], json!(["charges.jsonl", "mails.jsonl"]));
    assert_eq!(ran.json()["target"]["intent_at"], "/intent, /about/order");
    // By the charges alone nothing is wrong.
    probe(folder.path(), target, "json", &BOTH[..2]).exits(0);
    // The same two by commands.
    let commands = ["--ledger-cmd", "cat charges.jsonl", "--ledger-cmd", "X=s3cr3t cat mails.jsonl"];
    let ran = probe(folder.path(), target, "text", &[&commands[..], &BOTH[4..]].concat()).exits(2);
    assert!(ran.stdout.contains("shown by cat (2)") && !ran.stdout.contains("s3cr3t"), "{}", ran.stdout);
}

#[test]
fn the_fence_holds_for_each_ledger() {
    let folder = tempfile::tempdir().unwrap();
    let target = serve(folder.path(), Mails::Late);
    let ran = probe(folder.path(), target, "json", &BOTH).exits(0);
    assert_eq!(row(&ran, "replay")["verdict"], "OK");

    let target = serve(folder.path(), Mails::Never);
    let ran = probe(folder.path(), target, "json", &BOTH).exits(3);
    let why = row(&ran, "baseline")["evidence"].as_str().unwrap().to_owned();
    assert!(why.contains("looked at /about/order in 0 items of mails.jsonl"), "{why}");
}

#[test]
fn options_of_several_ledgers_go_together() {
    let folder = tempfile::tempdir().unwrap();
    let plan = "probe --plan --target http://127.0.0.1:1/charges";
    for (more, says) in [
        (&["--ledger", "a", "--ledger", "none"][..], "--ledger none: give no other beside it"),
        (&["--ledger", "a", "--intent-at", "/x", "--intent-at", "/y"], "--intent-at is given 2 times for 1 ledger(s)"),
        (&["--ledger-cmd", "a", "--ledger-items", "/x", "--ledger-items", "/y"], "--ledger-items is given 2 times"),
        (&["--ledger", "a", "--ledger-cmd", "b"], "cannot be used with"),
        (&["--ledger", "a", "--ledger", "http://x:y/"], "--ledger"),
    ] {
        within(folder.path(), plan, more).exits(3).says(says);
    }
    within(folder.path(), plan, &["--ledger", "a", "--ledger", "b", "--intent-at", "/x"]).exits(0);
    // A report takes the place of none of them.
    std::fs::write(folder.path().join("b.json"), "").unwrap();
    let report = "probe --target http://127.0.0.1:1/charges --ledger a --ledger b.json --report b.json";
    within(folder.path(), report, &[]).exits(3).says("it is the ledger");
}

/// Both may stand in `idem.toml`, as a list.
#[test]
fn the_file_of_options_takes_a_list_of_ledgers() {
    let folder = tempfile::tempdir().unwrap();
    let target = serve(folder.path(), Mails::EachTime);
    let table = format!(
        "[target.both]\ntarget = 'http://{target}/charges'\nledger = ['charges.jsonl', 'mails.jsonl']\n\
         intent-at = ['/intent', '/about/order']\ncheck = 'replay'\n"
    );
    std::fs::write(folder.path().join("idem.toml"), table).unwrap();
    within(folder.path(), "probe both --config idem.toml --format table", &[]).exits(2).prints("shown by mails.jsonl");
}
