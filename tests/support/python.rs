//! The charge server of `server.py`, running: a real server of Python's standard library behind each transport.
#![allow(dead_code)]

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use super::support::Running;
use crate::authority::Authority;

const SERVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/server.py");

/// Behind what it listens.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Behind {
    Tls,
    Unix,
    Ipv6,
}

/// Whether it knows its keys.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Keys {
    Kept,
    Ignored,
}

pub struct Charges {
    running: Running,
    pub folder: TempDir,
    /// Its URL without a path.
    pub url: String,
}

impl Charges {
    /// None, said loudly, where there is no python3, or no IPv6 on this machine.
    pub fn start(behind: Behind, keys: Keys) -> Option<Charges> {
        let has_python = Command::new("python3").arg("--version").output().is_ok();
        if !has_python || (behind == Behind::Ipv6 && std::net::TcpListener::bind("[::1]:0").is_err()) {
            eprintln!("SKIPPED: there is no python3, or no IPv6, on this machine");
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let authority = Authority::new();
        authority.file(folder.path());
        authority.identity("localhost").files(folder.path());
        let mut command = Command::new("python3");
        command.current_dir(folder.path()).arg(SERVER).arg("ledger.jsonl").args(listening(behind, "0"));
        if keys == Keys::Ignored {
            command.env("NAIVE", "1");
        }
        let mut running = Running::spawn(&mut command);
        let line = running.first_line();
        let place = line.strip_prefix("listening ").unwrap_or_else(|| panic!("no address in {line:?}")).to_owned();
        let url = match behind {
            Behind::Tls => format!("https://localhost:{place}"),
            Behind::Unix => format!("unix:{}", folder.path().join("socket").display()),
            Behind::Ipv6 => format!("http://[::1]:{place}"),
        };
        let restart = format!(
            "cd {} && {{ kill -9 $(cat pid); python3 {SERVER} ledger.jsonl {} > /dev/null 2>&1 < /dev/null & echo $! > pid; }}",
            folder.path().display(),
            listening(behind, &place).join(" ")
        );
        std::fs::write(folder.path().join("pid"), running.0.id().to_string()).unwrap();
        std::fs::write(folder.path().join("restart.sh"), restart).unwrap();
        Some(Charges { running, folder, url })
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The command that kills it and starts it again.
    pub fn restart(&self) -> String {
        format!("sh {}", self.path("restart.sh").display())
    }

    /// Lines of its ledger.
    pub fn charges(&self) -> usize {
        std::fs::read_to_string(self.path("ledger.jsonl")).unwrap().lines().count()
    }
}

impl Drop for Charges {
    /// Ends the one that a restart may have left.
    fn drop(&mut self) {
        let pid = std::fs::read_to_string(self.path("pid")).unwrap_or_default();
        if pid.trim() != self.running.0.id().to_string() {
            let _ = Command::new("kill").args(["-9", pid.trim()]).status();
        }
    }
}

fn listening(behind: Behind, port: &str) -> Vec<String> {
    let words = match behind {
        Behind::Tls => vec!["tls", "127.0.0.1", port, "server.pem", "server.key"],
        Behind::Unix => vec!["unix", "socket"],
        Behind::Ipv6 => vec!["tcp", "::1", port],
    };
    words.into_iter().map(str::to_owned).collect()
}

/// Standard output of a line that a shell runs.
pub fn shell(line: &str, folder: &Path) -> String {
    let output = Command::new("sh").args(["-c", line]).current_dir(folder).output().expect("sh runs");
    String::from_utf8(output.stdout).expect("UTF-8")
}
