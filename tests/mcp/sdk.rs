//! Servers by the official Python SDK, of both its generations: what others wrote, judged by rows that the test counts.

use std::process::Command;

use crate::{Scene, tool, verdict};

const SERVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mcp/server.py");

/// Package, and the revision that it speaks.
const GENERATIONS: [(&str, &str); 2] = [("mcp>=2", "2026-07-28"), ("mcp<2", "2025-11-25")];
/// Mode of the server, options, exit code and verdict of the tool.
const MODES: [(&str, &str, i32, &str); 6] = [
    ("none", "--check post_drop", 2, "DUPLICATE"),
    ("plain", "--check post_drop", 0, "UNSAFE TO RETRY"),
    ("request", "--check post_drop --strict", 2, "UNSAFE TO RETRY"),
    ("key", "--key-arg /key --check post_drop --check key_reuse --check sent_twice", 0, "OK"),
    ("before", "--cancel --check cancel", 0, "UNSAFE TO RETRY"),
    ("after", "--cancel --check cancel --strict", 2, "UNSAFE TO RETRY"),
];

#[test]
#[ignore = "installs mcp from PyPI, some 30 s: cargo test --test mcp -- --ignored sdk"]
fn the_sdks_own_servers_are_judged_by_their_ledger() {
    for (package, revision) in GENERATIONS {
        let folder = tempfile::tempdir().unwrap();
        let venv = folder.path().display().to_string();
        let runs = |program: &str, args: &[&str]| Command::new(program).args(args).status().is_ok_and(|s| s.success());
        let python = format!("{venv}/bin/python");
        if !runs("python3", &["-m", "venv", &venv]) || !runs(&python, &["-m", "pip", "install", "-q", package]) {
            eprintln!("SKIPPED: {package} cannot be installed from PyPI");
            continue;
        }
        for (mode, options, exit, says) in MODES {
            let scene = Scene::start();
            let ledger = scene.ledger.display().to_string();
            let server = [python.as_str(), SERVER, mode, ledger.as_str()];
            let ran = scene.probe_command(&server, &format!("--tool charge {options}")).exits(exit);
            assert_eq!((tool(&ran, "verdict"), tool(&ran, "revision")), (says.into(), revision.into()), "{mode}");
            assert_eq!(verdict(&ran, "baseline"), "OK");
            counted(&scene, &ran);
        }
    }
}

/// The rows' charges, the fences' and no others are in the ledger, each once.
fn counted(scene: &Scene, ran: &crate::support::Ran) {
    let document = ran.json();
    let rows = document["checks"].as_array().unwrap().iter();
    let charges: u64 = rows.clone().map(|row| row["measured"]["charges"].as_u64().unwrap()).sum();
    assert_eq!(scene.lines() as u64, charges + rows.count() as u64, "{document:#}");
}
