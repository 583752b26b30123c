//! `localstripe` (PyPI), a stand-in for Stripe's API that others wrote: real form bodies and lists. It keeps no keys, so
//! every retry makes one more payment intent, as its own list shows.

use std::net::TcpListener;
use std::process::{Command, Stdio};

use crate::recipes::recipe;
use crate::support::{Running, converse, eventually};
use crate::{row, venv};

const AUTHORIZATION: &str = "Authorization: Bearer sk_test_12345";

#[test]
#[ignore = "installs localstripe from PyPI, some 20 s: cargo test --test target -- --ignored localstripe"]
fn localstripe_is_probed_through_form_bodies() {
    let folder = tempfile::tempdir().unwrap();
    let Some(bin) = venv::with("localstripe", &["localstripe"]) else { return };
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mut command = Command::new(bin.join("localstripe"));
    command.args(["--port", &port.port().to_string(), "--from-scratch"]).current_dir(folder.path());
    let _server = Running(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("localstripe starts"));
    eventually("localstripe listens", || std::net::TcpStream::connect(port).is_ok());

    let checks = "--format json --check replay --check equivalent_body";
    let ran = recipe("A form API", folder.path(), &[("127.0.0.1:8420", &port.to_string())], checks);
    let ran = ran.exits(2);
    let asked = format!(
        "GET /v1/payment_intents?limit=100 HTTP/1.1\r\nHost: {port}\r\n{AUTHORIZATION}\r\nConnection: close\r\n\r\n"
    );
    let said = converse(port, asked.as_bytes());
    let rows = |check: &str| said.matches(&format!("-{check}-")).count();
    for (check, named) in [("replay", "replay"), ("equivalent_body", "equivalent")] {
        assert_eq!(row(&ran, check)["verdict"], "DUPLICATE");
        assert_eq!(row(&ran, check)["measured"]["charges"], rows(named), "{said}");
    }
    assert!(!ran.stdout.contains("sk_test_12345"));
}
