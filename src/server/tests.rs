//! The server's waits, each shown by a hand-shake: what must not happen yet is looked for after everything that could
//! have caused it is done.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::fault::{FaultPhase, PhaseCounter};
use super::ledger::{Ledger, ReceiptNames};
use super::policy::Policy;
use super::service::*;

const SOON: Duration = Duration::from_millis(50);

struct Scene {
    folder: tempfile::TempDir,
    address: SocketAddr,
    _server: Server,
}

impl Scene {
    fn start(policy: Policy, phase: FaultPhase, rivals: usize, patience: Patience) -> Scene {
        let folder = tempfile::tempdir().unwrap();
        let names = ReceiptNames { scope: "unit".into(), digits: 8 };
        let ledger = Ledger::begin(&folder.path().join("ledger"), names).unwrap();
        let faults = Arc::new(PhaseCounter::new(phase));
        let mut service = ChargeService::new(policy, Arc::new(ledger), &[], faults, rivals);
        service.patience = patience;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        Scene { folder, address, _server: Server::start(listener, service).unwrap() }
    }

    async fn send(&self, bytes: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(bytes.as_bytes()).await.unwrap();
        stream
    }

    fn charges(&self) -> usize {
        super::ledger::read(&self.folder.path().join("ledger")).unwrap().charges.len()
    }
}

fn charge() -> String {
    let body = r#"{"intent":"a","amount":1}"#;
    let head = "POST /charges HTTP/1.1\r\nHost: t\r\nContent-Type: application/json\r\nIdempotency-Key: k\r\n";
    format!("{head}Connection: close\r\nContent-Length: {}\r\n\r\n{body}", body.len())
}

async fn reply(mut stream: TcpStream) -> String {
    let mut reply = String::new();
    stream.read_to_string(&mut reply).await.unwrap();
    reply
}

fn block_on(test: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(test);
}

/// Long enough for a server that does not wait to have answered on this thread many times over.
async fn settle() {
    for _ in 0..50 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[test]
fn no_rival_commits_before_all_have_arrived() {
    block_on(async {
        for policy in [Policy::KeyAtomic, Policy::KeyRacy { window: SOON }] {
            let scene = Scene::start(policy, FaultPhase::None, 2, Patience::default());
            let first = scene.send(&charge()).await;
            settle().await;
            assert_eq!(scene.charges(), 0, "{policy:?}");
            let second = scene.send(&charge()).await;
            let replies = [reply(first).await, reply(second).await];
            let fresh = replies.iter().filter(|reply| reply.contains("\"replay\":false")).count();
            assert_eq!((fresh, scene.charges()), if policy == Policy::KeyAtomic { (1, 1) } else { (2, 2) });
        }
    });
}

#[test]
fn a_held_reply_is_not_sent_while_the_client_waits() {
    block_on(async {
        let patience = Patience { hold: Duration::from_secs(60), ..Patience::default() };
        let scene = Scene::start(Policy::KeyAtomic, FaultPhase::PostCommitSlow, 1, patience);
        let mut held = scene.send(&charge()).await;
        // Well past the least time of the hold, which alone would let the reply go.
        let waited = tokio::time::timeout(super::fault::SLOW_REPLY + SOON * 4, held.read_u8()).await;
        assert!(waited.is_err(), "{waited:?}");
        assert_eq!(scene.charges(), 1);
        drop(held);
        assert!(reply(scene.send(&charge()).await).await.contains("\"replay\":true"));
    });
}

#[test]
fn a_held_reply_goes_out_when_patience_ends() {
    block_on(async {
        let scene = Scene::start(
            Policy::KeyAtomic,
            FaultPhase::PostCommitSlow,
            1,
            Patience { hold: Duration::ZERO, ..Patience::default() },
        );
        assert!(reply(scene.send(&charge()).await).await.contains("\"replay\":false"));
    });
}

#[test]
fn a_stuck_request_is_given_up() {
    block_on(async {
        let patience = Patience { head: SOON, body: SOON, ..Patience::default() };
        let scene = Scene::start(Policy::Naive, FaultPhase::None, 1, patience);
        let whole = charge();
        let in_the_head = scene.send(whole.split_at(20).0).await;
        let in_the_body = scene.send(whole.split_at(whole.len() - 1).0).await;
        assert!(!reply(in_the_head).await.starts_with("HTTP/1.1 200"));
        assert!(reply(in_the_body).await.starts_with("HTTP/1.1 408"));
        assert_eq!(scene.charges(), 0);
    });
}
