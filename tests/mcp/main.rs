//! Tools of the Model Context Protocol through the built binary: `idem serve --mcp` as the server, `idem probe --mcp` as
//! the client.

mod probe;
mod proxy;
mod sdk;
mod serve;
mod several;
mod stdio;
#[path = "../support/mod.rs"]
mod support;

use std::path::{Path, PathBuf};
use std::process::Command;

use support::{Ran, Running, idem, output};

/// `idem serve --mcp` over HTTP, and its URL; `more` is separated by single spaces.
pub fn serve_mcp(policy: &str, ledger: &Path, more: &str) -> (Running, String) {
    let mut command = idem(["serve", "--mcp", "--policy", policy, "--listen", "127.0.0.1:0", "--ledger"]);
    let mut server = Running::spawn(command.arg(ledger).args(words(more)));
    let line = server.first_line();
    let url = line.strip_prefix("listening on ").unwrap_or_else(|| panic!("no address in {line:?}"));
    (server, url.to_owned())
}

pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(' ').filter(|word| !word.is_empty())
}

/// A ledger of its own, and a probe of a tool against it.
pub struct Scene {
    _folder: tempfile::TempDir,
    pub ledger: PathBuf,
}

impl Scene {
    pub fn start() -> Scene {
        let folder = tempfile::tempdir().unwrap();
        let ledger = folder.path().join("charges.jsonl");
        Scene { _folder: folder, ledger }
    }

    pub fn lines(&self) -> usize {
        std::fs::read_to_string(&self.ledger).unwrap_or_default().lines().count()
    }

    fn command(&self, options: &str) -> Command {
        let mut command = idem(["probe", "--format", "json", "--ledger"]);
        command.arg(&self.ledger).args(words(options)).arg("--mcp");
        command
    }

    /// Probes a server over HTTP.
    #[track_caller]
    pub fn probe_url(&self, url: &str, options: &str) -> Ran {
        output(self.command(options).arg(url)).into()
    }

    /// Probes a server over its standard streams.
    #[track_caller]
    pub fn probe_command(&self, server: &[&str], options: &str) -> Ran {
        output(self.command(options).arg("--").args(server)).into()
    }

    /// Probes `idem serve --mcp --stdio`.
    #[track_caller]
    pub fn probe_stdio(&self, policy: &str, serve: &str, options: &str) -> Ran {
        let own = [env!("CARGO_BIN_EXE_idem"), "serve", "--mcp", "--stdio", "--policy", policy, "--ledger"];
        let ledger = self.ledger.display().to_string();
        let server: Vec<_> = own.into_iter().chain([ledger.as_str()]).chain(words(serve)).collect();
        self.probe_command(&server, options)
    }
}

/// The verdict of a row.
#[track_caller]
pub fn verdict(ran: &Ran, check: &str) -> String {
    let document = ran.json();
    let mut rows = document["checks"].as_array().expect("checks").iter();
    let row = rows.find(|row| row["check"] == check).unwrap_or_else(|| panic!("no row {check} in {document:#}"));
    row["verdict"].as_str().expect("text").to_owned()
}

/// What the document says of the tool.
pub fn tool(ran: &Ran, field: &str) -> String {
    ran.json()["mcp"][field].as_str().unwrap_or_default().to_owned()
}
