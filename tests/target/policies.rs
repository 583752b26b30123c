//! Every policy of `idem serve` is found by the check that is named for it, and the good one by none.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};

use crate::support::{eventually, serve};
use crate::{probe, verdicts};

/// A server that a script kills and starts again.
struct Restartable {
    folder: tempfile::TempDir,
    address: SocketAddr,
}

impl Restartable {
    fn start(policy: &str) -> Restartable {
        let folder = tempfile::tempdir().unwrap();
        let address = lasting();
        let here = folder.path().display();
        let idem = env!("CARGO_BIN_EXE_idem");
        let script = format!(
            "if [ -f {here}/pid ]; then p=$(cat {here}/pid); kill -9 $p\n\
             while [ -d /proc/$p ] && ! grep -q '^State:.Z' /proc/$p/status; do sleep 0.01; done; fi\n\
             {idem} serve --policy {policy} --listen {address} --ledger {here}/charges.jsonl \
             >{here}/out 2>&1 </dev/null &\necho $! >{here}/pid\n"
        );
        std::fs::write(folder.path().join("start.sh"), script).unwrap();
        let server = Restartable { folder, address };
        assert!(Command::new("sh").arg(server.script()).stdin(Stdio::null()).status().unwrap().success());
        eventually("the server listens", || std::net::TcpStream::connect(address).is_ok());
        server
    }

    fn script(&self) -> PathBuf {
        self.folder.path().join("start.sh")
    }

    fn ledger(&self) -> PathBuf {
        self.folder.path().join("charges.jsonl")
    }
}

impl Drop for Restartable {
    fn drop(&mut self) {
        let pid = std::fs::read_to_string(self.folder.path().join("pid")).unwrap_or_default();
        let _ = Command::new("kill").args(["-9", pid.trim()]).status();
    }
}

/// An address that stays free while its server is down: its port is below those that systems give out by themselves.
fn lasting() -> SocketAddr {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let first = 10_000 + (std::process::id() % 2_000) as u16 * 8;
    let mut addresses =
        (0..2_000).map(|_| SocketAddr::from(([127, 0, 0, 1], first + NEXT.fetch_add(1, Ordering::Relaxed))));
    addresses.find(|address| std::net::TcpListener::bind(address).is_ok()).expect("a free port")
}

fn found(policy: &str, checks: &str) -> Vec<(String, String)> {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("charges.jsonl");
    let (_server, address) = serve(policy, &ledger, &[]);
    let ran = probe(address, &ledger, checks).exits(2);
    verdicts(&ran).into_iter().filter(|(_, verdict)| verdict != "OK").collect()
}

fn pairs(wanted: &[(&str, &str)]) -> Vec<(String, String)> {
    wanted.iter().map(|(check, verdict)| (check.to_string(), verdict.to_string())).collect()
}

#[test]
fn naive_is_found_by_replay() {
    assert_eq!(found("naive", "--check replay"), pairs(&[("replay", "DUPLICATE")]));
}

#[test]
fn key_racy_is_found_by_the_races() {
    let races = pairs(&[("race_2", "DUPLICATE"), ("race_8", "DUPLICATE")]);
    assert_eq!(found("key_racy", "--check race_2 --check race_8 --check replay"), races);
}

#[test]
fn key_ttl_is_found_by_the_window() {
    assert_eq!(found("key_ttl", "--check window --window 1s"), pairs(&[("window", "DUPLICATE")]));
}

#[test]
fn content_hash_is_found_by_the_baseline() {
    assert_eq!(found("content_hash", "--check baseline"), pairs(&[("baseline", "LOST")]));
}

fn all_checks(server: &Restartable, code: i32) -> Vec<(String, String)> {
    let restart = format!("sh {}", server.script().display());
    let ran: crate::support::Ran = crate::support::idem(["probe", "--format", "json", "--window", "1s", "--ledger"])
        .arg(server.ledger())
        .args(["--target", &format!("http://{}/charges", server.address), "--restart-cmd", &restart])
        .output()
        .unwrap()
        .into();
    let skipped = [
        "bad_credential_first",
        "disruption",
        "principals",
        "refreshed_credential",
        "replicas",
        "server_error_after",
        "server_error_first",
    ];
    let ran = ran.exits(code);
    let verdicts = verdicts(&ran).into_iter();
    let rest: Vec<_> = verdicts.filter(|(_, verdict)| verdict != "OK").collect();
    let (without_need, found): (Vec<_>, Vec<_>) = rest.into_iter().partition(|(_, verdict)| verdict == "SKIPPED");
    assert_eq!(without_need.into_iter().map(|(check, _)| check).collect::<Vec<_>>(), skipped);
    found
}

#[test]
fn key_atomic_is_found_by_the_restarts_alone() {
    let server = Restartable::start("key_atomic");
    let restarts = pairs(&[("double_restart", "DUPLICATE"), ("restart", "DUPLICATE")]);
    assert_eq!(all_checks(&server, 2), restarts);
}

#[test]
fn key_durable_passes_all() {
    let server = Restartable::start("key_durable");
    assert_eq!(all_checks(&server, 0), pairs(&[]));
}

/// As one that finds its port still taken: it is gone at once.
#[test]
fn a_server_that_does_not_come_up_is_started_again() {
    let server = Restartable::start("key_durable");
    let (here, script) = (server.folder.path().display(), server.script());
    let flaky = format!(
        "if [ -f {here}/tried ]; then sh {}; else touch {here}/tried; kill -9 $(cat {here}/pid); fi",
        script.display()
    );
    let ran: crate::support::Ran =
        crate::support::idem(["probe", "--format", "json", "--check", "restart", "--ledger"])
            .arg(server.ledger())
            .args(["--target", &format!("http://{}/charges", server.address), "--restart-cmd", &flaky])
            .output()
            .unwrap()
            .into();
    assert_eq!(verdicts(&ran.exits(0))["restart"], "OK");
    assert!(server.folder.path().join("tried").exists());
}

#[test]
fn replicas_with_stores_of_their_own_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let ledger: &Path = &folder.path().join("charges.jsonl");
    let other = folder.path().join("other.jsonl");
    let (_a, first) = serve("key_atomic", ledger, &[]);
    let (_b, second) = serve("key_atomic", &other, &[]);
    let cat = format!("cat {} {}", ledger.display(), other.display());
    let ran: crate::support::Ran = crate::support::idem(["probe", "--format", "json", "--check", "replicas"])
        .args(["--target", &format!("http://{first}/charges"), "--target", &format!("http://{second}/charges")])
        .args(["--ledger-cmd", &cat])
        .output()
        .unwrap()
        .into();
    assert_eq!(verdicts(&ran.exits(2))["replicas"], "DUPLICATE");
}
