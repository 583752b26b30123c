//! Two replicas behind a real nginx that passes a request on to the other one where the first closes on it (`proxy_next_upstream`
//! with `non_idempotent`): keys in each replica's own memory, and keys in a store that both share.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::recipes::recipe;
use crate::support::{Ran, Running, eventually};
use crate::{row, verdicts};

const CONFIG: &str = "daemon off; master_process off; pid nginx.pid;
events {}
http {
    access_log off;
    client_body_temp_path tmp; proxy_temp_path tmp; fastcgi_temp_path tmp; uwsgi_temp_path tmp; scgi_temp_path tmp;
    upstream shop { server REPLICA max_fails=0; server REPLICA max_fails=0; }
    server {
        listen LISTEN;
        location / { proxy_pass http://shop; proxy_next_upstream error timeout non_idempotent; }
    }
}";

/// The front and its replicas; they end with the test.
struct Front {
    folder: tempfile::TempDir,
    address: SocketAddr,
    _running: Vec<Running>,
}

impl Front {
    /// None, said loudly, where there is no nginx or no python3.
    fn start(is_shared: bool) -> Option<Front> {
        let is_there = |program| Command::new(program).arg("-V").output().is_ok();
        if !is_there("nginx") || !is_there("python3") {
            eprintln!("SKIPPED: there is no nginx (Debian: nginx-light), or no python3, on this machine");
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let replicas = [replica(folder.path(), is_shared), replica(folder.path(), is_shared)];
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let config = CONFIG.replace("LISTEN", &address.to_string());
        let config = replicas.iter().fold(config, |config, (_, replica)| config.replacen("REPLICA", replica, 1));
        std::fs::write(folder.path().join("nginx.conf"), config).unwrap();
        let mut nginx = Command::new("nginx");
        nginx.arg("-p").arg(folder.path()).args(["-c", "nginx.conf", "-e", "error.log"]);
        let nginx = Running(nginx.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
        eventually("nginx listens", || TcpStream::connect(address).is_ok());
        let running = replicas.into_iter().map(|(running, _)| running).chain([nginx]).collect();
        Some(Front { folder, address, _running: running })
    }

    fn probe(&self, more: &str) -> Ran {
        let places = [("127.0.0.1:8080", &*self.address.to_string()), ("charges.jsonl", "ledger.jsonl")];
        recipe("Replicas", self.folder.path(), &places, &format!("--format json {more}"))
    }

    /// Charges of a check's intents.
    fn charges(&self, check: &str) -> usize {
        self.ledger_text().lines().filter(|line| line.contains(&format!("-{check}-"))).count()
    }

    /// Charges of the intents that a replica was made to close on.
    fn closed_on(&self) -> usize {
        let files = std::fs::read_dir(self.folder.path()).unwrap().map(|file| file.unwrap().file_name());
        let intents = files.filter_map(|file| Some(file.to_str()?.strip_prefix("closed-")?.to_owned()));
        intents.map(|intent| self.ledger_text().matches(&format!("\"{intent}\"")).count()).sum()
    }

    fn ledger_text(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("ledger.jsonl")).unwrap()
    }

    /// How often nginx heard nothing of a replica that had the request.
    fn unanswered(&self) -> usize {
        let log = std::fs::read_to_string(self.folder.path().join("error.log")).unwrap();
        log.matches("upstream prematurely closed connection").count()
    }
}

fn replica(folder: &Path, is_shared: bool) -> (Running, String) {
    let mut command = Command::new("python3");
    command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/server.py"));
    command.args(["ledger.jsonl", "tcp", "127.0.0.1", "0"]).current_dir(folder);
    if is_shared {
        command.env("SHARED", "keys.db");
    }
    let mut running = Running::spawn(&mut command);
    let port = running.first_line().replace("listening ", "");
    (running, format!("127.0.0.1:{port}"))
}

const CHECKS: &str = "--check replay --check post_drop --check race_2 --check server_error_after";

#[test]
fn keys_in_the_memory_of_one_replica_do_not_hold_at_the_other() {
    let Some(front) = Front::start(false) else { return };
    let ran = front.probe(CHECKS).exits(2);
    for check in ["replay", "post_drop", "race_2"] {
        let row = row(&ran, check);
        assert_eq!(row["verdict"], "DUPLICATE", "{row}");
        assert_eq!(row["measured"]["charges"], front.charges(check), "{row}");
    }
    // nginx asked the other replica by itself: each intent is charged twice before the client asks again.
    let row = row(&ran, "server_error_after");
    assert_eq!((&row["verdict"], front.unanswered()), (&"DUPLICATE".into(), 3), "{row}");
    assert_eq!((&row["measured"]["charges"], front.closed_on()), (&6.into(), 6), "{row}");
    assert!(row["timeline"][0]["saw"].as_str().unwrap().starts_with("201"), "{row}");
}

#[test]
fn keys_that_the_replicas_share_hold_and_what_nginx_hides_is_unproven() {
    let Some(front) = Front::start(true) else { return };
    let ran = front.probe(CHECKS).exits(3);
    let found = verdicts(&ran);
    assert!(["replay", "post_drop", "race_2"].iter().all(|check| found[*check] == "OK"), "{found:?}");
    assert_eq!(row(&ran, "race_2")["measured"]["charges"], front.charges("race_2"));
    // The other replica answered with the stored reply: nothing tells from outside that the first one failed.
    let row = row(&ran, "server_error_after");
    assert_eq!((&row["verdict"], front.unanswered(), front.closed_on()), (&"UNPROVEN".into(), 3, 3), "{row}");
    assert!(row["evidence"].as_str().unwrap().contains("or a proxy before it asked again"), "{row}");
}
