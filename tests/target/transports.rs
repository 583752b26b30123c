//! Targets behind TLS, a Unix socket and IPv6: a server of another's library there is judged as it would be by plain
//! HTTP, and nothing is sent to one that was not verified.

use crate::python::{Behind, Charges, Keys, shell};
use crate::recipes::recipe;
use crate::support::{Ran, idem};
use crate::{row, verdicts};

/// All that opens connections in a way of its own.
const CHECKS: [&str; 6] =
    ["half_request", "race_2", "double_delivery", "replay_elsewhere", "double_restart", "replicas"];

/// A probe with the ledger behind the same transport, and the server given twice, as its own replica.
fn probe(server: &Charges, format: &str, more: &[&str]) -> Ran {
    let is_unix = server.url.starts_with("unix:");
    let (path, ledger) = if is_unix { ("", ":/ledger") } else { ("/charges", "/ledger") };
    let (target, ledger) = (format!("{}{path}", server.url), format!("{}{ledger}", server.url));
    let mut command =
        idem(["probe", "--format", format, "--ledger", &ledger, "--target", &target, "--target", &target]);
    command.args(if is_unix { &["--path", "/charges"][..] } else { &[] });
    command.args(more).current_dir(server.folder.path()).output().expect("idem starts").into()
}

/// A server that keeps its keys, by checks that rest on how it is reached.
fn clean(server: &Charges, checks: &[&str], more: &[&str]) -> Ran {
    let restart = server.restart();
    let mut options = vec!["--restart-cmd", &restart];
    options.extend(checks.iter().flat_map(|check| ["--check", check]));
    options.extend(more);
    let ran = probe(server, "json", &options).exits(0);
    assert_eq!(verdicts(&ran).len(), checks.len() + 1, "with the baseline");
    assert!(verdicts(&ran).values().all(|verdict| verdict == "OK"), "{:?}", verdicts(&ran));
    ran
}

/// A server that ignores its keys, and the line that repeats by hand what was found.
fn naive(server: &Charges, more: &[&str]) -> Ran {
    let ran = probe(server, "json", &[&["--check", "replay"], more].concat()).exits(2);
    assert_eq!(row(&ran, "replay")["verdict"], "DUPLICATE");
    let by_hand = ran.json()["run"]["checks"]["replay"]["curl"][0].as_str().unwrap().to_owned();
    let charges = server.charges();
    let said = shell(&by_hand, server.folder.path());
    assert!(said.contains("receipt") && server.charges() == charges + 1, "{by_hand}: {said}");
    ran
}

#[test]
fn a_target_behind_tls_is_judged_as_any_other() {
    let Some(server) = Charges::start(Behind::Tls, Keys::Kept) else { return };
    let ran = clean(&server, &CHECKS, &["--cacert", "ca.pem"]);
    let transport = &ran.json()["target"]["transport"];
    assert_eq!(transport["kind"], "https");
    assert_eq!(transport["trusting"], "the built-in authorities and ca.pem");
    assert!(transport["faults"].as_str().unwrap().contains("plain side of the proxy"), "{transport}");
    assert!(ran.stderr.contains(&format!("{}/charges", server.url)), "{}", ran.stderr);
    let at = server.url.strip_prefix("https://").unwrap();
    let more = "--format text --check replay";
    let text = recipe("https", server.folder.path(), &[("localhost:8443", at)], more).exits(0);
    let lines: Vec<_> = text.stdout.lines().filter(|line| line.starts_with("transport: ")).collect();
    assert!(
        matches!(lines[..], [line] if line.contains("https (trusting") && line.contains("plain side")),
        "{lines:?}"
    );
    let Some(server) = Charges::start(Behind::Tls, Keys::Ignored) else { return };
    naive(&server, &["--cacert", "ca.pem"]);
}

#[test]
fn nothing_is_sent_to_a_server_that_was_not_verified() {
    let Some(mut server) = Charges::start(Behind::Tls, Keys::Kept) else { return };
    let ran = probe(&server, "json", &["--check", "replay"]).exits(3);
    let why = row(&ran, "baseline")["evidence"].as_str().unwrap().to_owned();
    assert!(
        why.contains("UnknownIssuer") && why.contains("give the certificate of its authority as --cacert FILE"),
        "{why}"
    );
    // The certificate is for the name alone.
    server.url = server.url.replace("localhost", "127.0.0.1");
    let ran = probe(&server, "json", &["--check", "replay", "--cacert", "ca.pem"]).exits(3);
    let why = row(&ran, "baseline")["evidence"].as_str().unwrap().to_owned();
    assert!(why.contains("not valid for name \"127.0.0.1\"") && why.contains("with a name that"), "{why}");
    assert_eq!(server.charges(), 0);
    let warns = format!("idem: warning: --insecure: the certificate of {} is not verified", server.url);
    let ran = probe(&server, "json", &["--check", "replay", "--insecure"]).exits(0).says(&warns);
    assert_eq!(ran.json()["target"]["transport"]["trusting"], "any certificate, by --insecure");
}

#[test]
fn a_ledger_is_not_read_from_a_server_that_was_not_verified() {
    let Some(server) = Charges::start(Behind::Tls, Keys::Kept) else { return };
    let (_serving, address) = crate::support::serve("key_atomic", &server.path("own.jsonl"), &[]);
    let target = format!("http://{address}/charges");
    let ledger = format!("{}/ledger", server.url);
    let args = ["probe", "--format", "json", "--check", "replay", "--target", &target, "--ledger", &ledger];
    let ran = Ran::from(idem(args).output().expect("idem starts")).exits(3);
    let why = row(&ran, "baseline")["evidence"].as_str().unwrap().to_owned();
    assert!(why.contains(&format!("GET {ledger}: tls: TLS handshake with localhost: ")), "{why}");
}

#[test]
fn a_target_behind_a_unix_socket_is_judged_as_any_other() {
    let Some(server) = Charges::start(Behind::Unix, Keys::Kept) else { return };
    let ran = clean(&server, &CHECKS, &[]);
    let document = ran.json();
    assert_eq!(document["target"]["transport"]["kind"], "unix");
    assert!(document["target"]["transport"]["faults"].as_str().unwrap().contains("no reset"));
    assert_eq!(document["run"]["addresses"][0], server.url);
    let text = probe(&server, "table", &["--check", "replay_elsewhere", "--check", "replay_rewritten"]).exits(0);
    for left_out in ["from 127.0.0.2: left out, a Unix socket has no addresses", "Host spelled otherwise: left out"] {
        assert!(text.stdout.contains(left_out), "{}", text.stdout);
    }
    let Some(server) = Charges::start(Behind::Unix, Keys::Ignored) else { return };
    naive(&server, &[]);
}

#[test]
fn a_target_behind_ipv6_is_judged_as_any_other() {
    let Some(server) = Charges::start(Behind::Ipv6, Keys::Kept) else { return };
    let ran = clean(&server, &["replay_rewritten", "replicas"], &[]);
    assert_eq!(ran.json()["target"].get("transport"), None);
    let authority = server.url.strip_prefix("http://").unwrap();
    assert_eq!(ran.json()["run"]["addresses"][0], authority);
    // With its brackets, in every request that was not meant to say otherwise.
    probe(&server, "json", &["--check", "replay"]).exits(0);
    let hosts = crate::support::converse(authority.parse().unwrap(), b"GET /hosts HTTP/1.0\r\n\r\n");
    assert!(hosts.contains(&format!("\"{authority}\"")) && !hosts.contains("\"::1"), "{hosts}");
    let Some(server) = Charges::start(Behind::Ipv6, Keys::Ignored) else { return };
    naive(&server, &[]);
}
