//! Servers by the official SDKs of three languages, of both their generations: what others wrote, over both transports, judged
//! by rows that the test counts.

use std::ffi::OsStr;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::support::{Ran, Running, eventually};
use crate::{Scene, tool, verdict};

const SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mcp");

/// A server, installed.
struct Server {
    name: &'static str,
    folder: TempDir,
    /// Goes before its mode and its ledger.
    command: Vec<String>,
    revision: &'static str,
    /// Whether it can tell what a line was, when it handles what the line asks for.
    sees_lines: bool,
}

/// Mode of the server, options, exit code and verdict of the tool.
const MODES: [(&str, &str, i32, &str); 7] = [
    ("none", "--check post_drop", 2, "DUPLICATE"),
    ("plain", "--check post_drop", 0, "UNSAFE TO RETRY"),
    ("request", "--check post_drop --strict", 2, "UNSAFE TO RETRY"),
    ("body", "--check post_drop --strict", 2, "UNSAFE TO RETRY"),
    ("key", "--key-arg /key --check post_drop --check key_reuse --check sent_twice", 0, "OK"),
    ("before", "--cancel --check cancel", 0, "UNSAFE TO RETRY"),
    ("after", "--cancel --check cancel --strict", 2, "UNSAFE TO RETRY"),
];

/// Options of a probe of what only HTTP does, or does otherwise.
const OF_HTTP: &str = "--key-arg /key --cancel --check half_request --check half_reply --check race_8 --check late_arrival \
                       --check double_delivery --check crowd --check cancel";

impl Server {
    fn is_judged_by_its_ledger(&self) {
        for (mode, options, exit, says) in MODES {
            if mode != "body" || self.sees_lines {
                let held = |scene: &Scene| scene.probe_command(&self.words(mode, &scene.ledger), &charge(options));
                self.hold(mode, held, exit, says, "stdio");
            }
            self.hold(mode, |scene| self.probe_over_http(scene, mode, options), exit, says, "http");
        }
        // Its keys outlive what goes wrong between HTTP's clients and servers.
        self.hold("key", |scene| self.probe_over_http(scene, "key", OF_HTTP), 0, "OK", "http");
    }

    #[track_caller]
    fn hold(&self, mode: &str, probe: impl Fn(&Scene) -> Ran, exit: i32, says: &str, transport: &str) {
        let scene = Scene::start();
        let ran = probe(&scene).exits(exit);
        let charges = counted(&scene, &ran);
        eprintln!("{} {transport} {mode}: {says}, {charges} charges", self.name);
        assert_eq!(
            ["verdict", "revision", "transport"].map(|field| tool(&ran, field)),
            [says, self.revision, transport]
        );
        assert_eq!(verdict(&ran, "baseline"), "OK");
    }

    fn words<'a>(&'a self, mode: &'a str, ledger: &'a Path) -> Vec<&'a str> {
        let own = self.command.iter().map(String::as_str);
        own.chain([mode, ledger.to_str().expect("a folder of ours")]).collect()
    }

    fn probe_over_http(&self, scene: &Scene, mode: &str, options: &str) -> Ran {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let words = self.words(mode, &scene.ledger);
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).arg(port.to_string()).stdin(Stdio::null());
        // Nobody reads what it says of each request.
        let server = Running(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
        eventually("the server listens", || listens(port));
        let ran = scene.probe_url(&format!("http://127.0.0.1:{port}/mcp"), &charge(options));
        drop(server);
        ran
    }
}

/// Somebody else does: while nobody listens on a port, a connection to it may be given that port and reach itself.
fn listens(port: u16) -> bool {
    let connected = TcpStream::connect(("127.0.0.1", port));
    connected.is_ok_and(|stream| stream.local_addr().ok() != stream.peer_addr().ok())
}

fn charge(options: &str) -> String {
    format!("--tool charge {options}")
}

/// The rows' charges, which the ledger has and no others; beside them are those by which the probe sees that the ledger and the
/// server are there.
#[track_caller]
fn counted(scene: &Scene, ran: &Ran) -> u64 {
    let document = ran.json();
    let charges = document["checks"].as_array().unwrap().iter().map(|row| row["measured"]["charges"].as_u64().unwrap());
    let charges: u64 = charges.sum();
    let ledger = std::fs::read_to_string(&scene.ledger).unwrap();
    let counted = ledger.lines().filter(|line| !line.contains("-fence-") && !line.contains("-health-")).count();
    assert_eq!(counted as u64, charges, "{document:#}");
    charges
}

fn runs(program: impl AsRef<OsStr>, args: &[&str], within: &Path) -> bool {
    let ran = Command::new(program).args(args).current_dir(within).stdin(Stdio::null()).status();
    ran.is_ok_and(|status| status.success())
}

/// None, said loudly, where it cannot be installed.
fn installed(name: &'static str, install: impl Fn(&Path) -> bool) -> Option<TempDir> {
    let folder = tempfile::tempdir().unwrap();
    let is_there = install(folder.path());
    if !is_there {
        eprintln!("SKIPPED: {name} cannot be installed");
    }
    is_there.then_some(folder)
}

fn python(package: &'static str, revision: &'static str) -> Option<Server> {
    let folder = installed(package, |folder| {
        let install = ["-m", "pip", "install", "-q", package];
        runs("python3", &["-m", "venv", "."], folder) && runs(folder.join("bin/python"), &install, folder)
    })?;
    let python = folder.path().join("bin/python").display().to_string();
    let command = vec![python, format!("{SOURCES}/server.py")];
    Some(Server { name: package, folder, command, revision, sees_lines: false })
}

fn typescript(package: &'static str, more: &[&str], revision: &'static str) -> Option<Server> {
    let folder = installed(package, |folder| {
        // Packages are looked for where the file is.
        std::fs::copy(format!("{SOURCES}/server.mjs"), folder.join("server.mjs")).unwrap();
        let install = ["install", "--silent", "--prefix", ".", package];
        runs("npm", &[&install, more].concat(), folder) && runs("node", &["--version"], folder)
    })?;
    let command = vec!["node".to_owned(), folder.path().join("server.mjs").display().to_string()];
    Some(Server { name: package, folder, command, revision, sees_lines: true })
}

fn rust(package: &'static str, revision: &'static str) -> Option<Server> {
    let folder = installed(package, |folder| {
        for file in ["Cargo.toml", "main.rs"] {
            std::fs::copy(format!("{SOURCES}/rmcp/{file}"), folder.join(file)).unwrap();
        }
        runs(env!("CARGO"), &["build", "--quiet", "--target-dir", "target"], folder)
    })?;
    let command = vec![folder.path().join("target/debug/rmcp-server").display().to_string()];
    Some(Server { name: package, folder, command, revision, sees_lines: false })
}

fn are_judged_by_their_ledger(servers: impl IntoIterator<Item = Option<Server>>) {
    for server in servers.into_iter().flatten() {
        server.is_judged_by_its_ledger();
        server.folder.close().unwrap();
    }
}

#[test]
#[ignore = "installs mcp from PyPI, some two minutes: cargo test --test mcp -- --ignored sdk"]
fn servers_of_the_python_sdk_are_judged_by_their_ledger() {
    are_judged_by_their_ledger([python("mcp>=2", "2026-07-28"), python("mcp<2", "2025-11-25")]);
}

#[test]
#[ignore = "installs @modelcontextprotocol/server and /sdk from npm, some two minutes: cargo test --test mcp -- --ignored sdk"]
fn servers_of_the_typescript_sdk_are_judged_by_their_ledger() {
    are_judged_by_their_ledger([
        typescript("@modelcontextprotocol/server@2", &["@modelcontextprotocol/node@2", "zod@4"], "2026-07-28"),
        typescript("@modelcontextprotocol/sdk@1", &["zod@4"], "2025-11-25"),
    ]);
}

#[test]
#[ignore = "builds rmcp from crates.io, some three minutes: cargo test --test mcp -- --ignored sdk"]
fn a_server_of_the_rust_sdk_is_judged_by_its_ledger() {
    are_judged_by_their_ledger([rust("rmcp", "2026-07-28")]);
}
