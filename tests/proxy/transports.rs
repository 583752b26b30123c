//! Upstreams behind TLS and a Unix socket: the client's side stays plain, and so do the faults.

use crate::common::eventually;
use crate::python::{Behind, Charges, Keys};
use crate::support::{Proxy, charge};

#[test]
fn an_upstream_behind_tls_or_a_unix_socket_is_reached_and_faulted_as_any_other() {
    for (behind, options) in [(Behind::Tls, &["--cacert", "ca.pem"][..]), (Behind::Unix, &[])] {
        let Some(server) = Charges::start(behind, Keys::Kept) else { return };
        let proxy = Proxy::start_at(&server.url, server.folder.path(), "post_drop", options);
        assert_eq!(proxy.exchange(&charge("a", Some("k1"))), "<reset>");
        let reply = proxy.exchange(&charge("a", Some("k1")));
        assert!(reply.starts_with("HTTP/1.1 201 ") && reply.ends_with("{\"receipt\": \"r0\"}"), "{reply}");
        assert_eq!(server.charges(), 1);
        let readings = proxy.readings();
        let told: Vec<_> = readings.iter().map(|line| (&line["status"], &line["upstream_status"])).collect();
        assert_eq!(told, [(&serde_json::Value::Null, &201.into()), (&201.into(), &201.into())]);
    }
}

/// The halves, and the ends of a connection: what the server got of a request that was cut off is nothing to charge for.
#[test]
fn a_cut_ends_the_connection_of_tls_too() {
    let Some(server) = Charges::start(Behind::Tls, Keys::Kept) else { return };
    for fault in ["half_request", "cut"] {
        let proxy = Proxy::start_at(&server.url, server.folder.path(), fault, &["--cacert", "ca.pem"]);
        let cut_off = proxy.exchange(&charge(fault, Some(fault)));
        assert!(matches!(cut_off.as_str(), "" | "<reset>"), "{fault}: {cut_off}");
        assert!(proxy.exchange(&charge(fault, Some(fault))).starts_with("HTTP/1.1 201 "), "{fault}");
    }
    eventually("each is charged once", || server.charges() == 2);
}

#[test]
fn an_upstream_that_was_not_verified_gets_nothing() {
    let Some(server) = Charges::start(Behind::Tls, Keys::Kept) else { return };
    let proxy = Proxy::start_at(&server.url, server.folder.path(), "none", &[]);
    let reply = proxy.exchange(&charge("a", None));
    assert!(reply.starts_with("HTTP/1.1 502 ") && reply.contains("give the certificate of its authority"), "{reply}");
    let readings = proxy.readings();
    let note = readings[0]["note"].as_str().unwrap();
    assert!(note.starts_with("upstream: tls: ") && note.contains("UnknownIssuer"), "{note}");
    assert_eq!(server.charges(), 0);
    let proxy = Proxy::start_at(&server.url, server.folder.path(), "none", &["--insecure"]);
    assert!(proxy.exchange(&charge("a", None)).starts_with("HTTP/1.1 201 "));
}
