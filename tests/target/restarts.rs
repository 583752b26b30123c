//! A server that really goes away and comes back, correct but for what a restart does to what it knows.

use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::faults::{Shop, verdict};
use crate::row;
use crate::servers::{Asked, read, reply};
use crate::support::{Ran, idem};

/// What the nth restart does.
type Boot = fn(&mut Shop, usize);

/// Set by a restart after which the first request is not looked up.
const COLD: &str = "cold";

fn rule(shop: &mut Shop, asked: &Asked) -> (u16, Value) {
    let key = asked.key().unwrap_or_default();
    match shop.kept.get(key).cloned() {
        _ if asked.method == "OPTIONS" => (204, json!({})),
        Some((first, status, reply)) if first.is_null() => (status, reply),
        Some(_) if shop.kept.remove(COLD).is_some() => (200, shop.charge(asked)),
        Some(_) | None => shop.serve(asked, key, asked.body.clone()),
    }
}

/// Serves until the file `boots` has one more line; then the port is closed for a while, and opened again. The file `up`
/// has the number of the last boot.
fn start(folder: &Path, boot: Boot) -> SocketAddr {
    let (folder, mut listener) = (folder.to_owned(), TcpListener::bind("127.0.0.1:0").unwrap());
    let address = listener.local_addr().unwrap();
    let mut shop = Shop::new(&folder.join("charges.jsonl"));
    std::thread::spawn(move || {
        let mut boots = 0;
        loop {
            if std::fs::read_to_string(folder.join("boots")).unwrap_or_default().lines().count() > boots {
                boots += 1;
                drop(listener);
                std::thread::sleep(Duration::from_millis(40));
                boot(&mut shop, boots);
                listener = TcpListener::bind(address).expect("the port is free again");
                if std::fs::write(folder.join("up"), boots.to_string()).is_err() {
                    // The test is over.
                    return;
                }
            }
            listener.set_nonblocking(true).unwrap();
            let Ok((stream, _)) = listener.accept() else {
                std::thread::sleep(Duration::from_millis(1));
                continue;
            };
            stream.set_nonblocking(false).unwrap();
            if let Some(asked) = read(&stream) {
                let (status, answer) = rule(&mut shop, &asked);
                reply(&stream, status, &answer.to_string());
            }
        }
    });
    address
}

fn restarted(check: &str, boot: Boot) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    let [boots, up] = ["boots", "up"].map(|name| folder.path().join(name).display().to_string());
    let count = format!("$(grep -c x {boots})");
    let command = format!("echo x >> {boots}; until [ \"$(cat {up} 2>/dev/null)\" = {count} ]; do sleep 0.01; done");
    let target = format!("http://{}/charges", start(folder.path(), boot));
    let mut probe = idem(["probe", "--format", "json", "--lease", "200ms", "--check", check, "--target", &target]);
    probe.arg("--ledger").arg(folder.path().join("charges.jsonl")).args(["--restart-cmd", &command]);
    probe.output().unwrap().into()
}

/// The verdict of the check, and where it was seen.
fn told(check: &str, boot: Boot) -> (String, String) {
    let ran = restarted(check, boot);
    (verdict(&ran, check), row(&ran, check)["evidence"].as_str().unwrap().to_owned())
}

fn found(check: &str, boot: Boot, wanted: &str, place: &str) {
    let (verdict, why) = told(check, boot);
    assert_eq!(verdict, wanted, "{check}: {why}");
    assert!(why.contains(place), "{check}: {why}");
}

/// The fingerprints are gone: any payload gets what is kept.
fn forgets_payloads(shop: &mut Shop, _: usize) {
    shop.kept.values_mut().for_each(|(first, _, _)| *first = Value::Null);
}

fn numbers_anew(shop: &mut Shop, _: usize) {
    shop.charges = 0;
}

fn is_cold(shop: &mut Shop, _: usize) {
    shop.kept.insert(COLD.into(), (json!(1), 0, Value::Null));
}

fn is_cold_the_second_time(shop: &mut Shop, nth: usize) {
    if nth == 2 {
        is_cold(shop, nth);
    }
}

#[test]
fn what_a_restart_does_to_payloads_receipts_and_the_first_look_up_is_found() {
    std::thread::scope(|scope| {
        scope.spawn(|| found("restart", forgets_payloads, "SWALLOWED", "another amount, killed after success"));
        scope.spawn(|| found("restart", numbers_anew, "SWALLOWED", "a new order after the restart"));
        scope.spawn(|| found("restart", is_cold, "DUPLICATE", "asked the moment it is back"));
        scope.spawn(|| found("double_restart", numbers_anew, "SWALLOWED", "a new order after two restarts"));
        scope.spawn(|| found("double_restart", is_cold_the_second_time, "DUPLICATE", "asked the moment it is back"));
        scope.spawn(|| assert_eq!(told("restart", |_, _| {}).0, "OK"));
        scope.spawn(|| assert_eq!(told("double_restart", |_, _| {}).0, "OK"));
    });
}
