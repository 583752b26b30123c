//! A server that really goes away and comes back, correct but for what a restart does to what it knows.

use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::faults::{Shop, verdict};
use crate::row;
use crate::servers::{Asked, read, reply};
use crate::steps::{last, played};
use crate::support::{Ran, eventually, idem};

/// What the nth restart does.
type Boot = fn(&mut Shop, usize);

/// What a request gets; None where its connection ends without a reply. The last tells whether a restart is asked for.
type Rule = fn(&mut Shop, &Asked, &dyn Fn() -> bool) -> Option<(u16, Value)>;

/// Set by a restart after which the first request is not looked up.
const COLD: &str = "cold";

fn at_once(shop: &mut Shop, asked: &Asked, _: &dyn Fn() -> bool) -> Option<(u16, Value)> {
    let key = asked.key().unwrap_or_default();
    Some(match shop.kept.get(key).cloned() {
        _ if asked.method == "OPTIONS" => (204, json!({})),
        Some((first, status, reply)) if first.is_null() => (status, reply),
        Some(_) if shop.kept.remove(COLD).is_some() => (200, shop.charge(asked)),
        Some(_) | None => shop.serve(asked, key, asked.body.clone()),
    })
}

/// Charges an order of chaos only after a while, once more where a restart was asked for by then, and lets its first
/// request wait for the restart.
fn killed_while_it_waits(shop: &mut Shop, asked: &Asked, restarting: &dyn Fn() -> bool) -> Option<(u16, Value)> {
    let is_first = !shop.kept.contains_key(asked.key().unwrap_or_default());
    if !is_first || !asked.body["intent"].to_string().contains("-chaos-") {
        return at_once(shop, asked, restarting);
    }
    std::thread::sleep(Duration::from_millis(80));
    if restarting() {
        shop.charge(asked);
    }
    at_once(shop, asked, restarting);
    eventually("a restart", restarting);
    None
}

/// Serves until the file `boots` has one more line; then the port is closed for a while, and opened again. The file `up`
/// has the number of the last boot.
fn start(folder: &Path, boot: Boot, rule: Rule) -> SocketAddr {
    let (folder, mut listener) = (folder.to_owned(), TcpListener::bind("127.0.0.1:0").unwrap());
    let address = listener.local_addr().unwrap();
    let mut shop = Shop::new(&folder.join("charges.jsonl"));
    std::thread::spawn(move || {
        let mut boots = 0;
        let asked_for = || std::fs::read_to_string(folder.join("boots")).unwrap_or_default().lines().count();
        loop {
            if asked_for() > boots {
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
            let answer = read(&stream).and_then(|asked| rule(&mut shop, &asked, &|| asked_for() > boots));
            if let Some((status, answer)) = answer {
                reply(&stream, status, &answer.to_string());
            }
        }
    });
    address
}

/// Asks for a restart, and returns when the server is up again.
fn command(folder: &Path) -> String {
    let [boots, up] = ["boots", "up"].map(|name| folder.join(name).display().to_string());
    let count = format!("$(grep -c x {boots})");
    format!("echo x >> {boots}; until [ \"$(cat {up} 2>/dev/null)\" = {count} ]; do sleep 0.01; done")
}

fn restarted(check: &str, boot: Boot) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    let target = format!("http://{}/charges", start(folder.path(), boot, at_once));
    let mut probe = idem(["probe", "--format", "json", "--lease", "200ms", "--check", check, "--target", &target]);
    probe.arg("--ledger").arg(folder.path().join("charges.jsonl")).args(["--restart-cmd", &command(folder.path())]);
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
        // Whether a kill falls into the middle of a request is luck with a server that answers at once.
        scope.spawn(|| assert!(["OK", "UNPROVEN"].contains(&told("restart", |_, _| {}).0.as_str())));
        scope.spawn(|| assert_eq!(told("double_restart", |_, _| {}).0, "OK"));
    });
}

#[test]
fn a_kill_when_the_ledger_shows_the_item_comes_after_the_charge() {
    let folder = tempfile::tempdir().unwrap();
    let address = start(folder.path(), |_, _| {}, killed_while_it_waits);
    let kill = json!({"restart_during": {"order": 0, "after": "item_seen"}});
    let ledger = folder.path().join("charges.jsonl").display().to_string();
    let ran = played(address, &ledger, &["--restart-cmd", &command(folder.path())], &[kill]).exits(0);
    assert_eq!(last(&ran)["verdict"], "OK", "{}", ran.stdout);
}
