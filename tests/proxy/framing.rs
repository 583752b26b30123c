//! Messages of every framing pass unharmed, and upstreams that break them are shown as what they are.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;

use crate::common::eventually;
use crate::support::{CREATED, Proxy, Upstream, charge, to_end};

#[test]
fn replies_of_every_framing_come_through_byte_for_byte() {
    for reply in [
        CREATED,
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n1\r\nd\r\n0\r\nT: v\r\n\r\n",
        "HTTP/1.0 200 OK\r\n\r\nuntil the end",
        "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi",
        "HTTP/1.1 204 No Content\r\n\r\n",
    ] {
        let proxy = Proxy::start(Upstream::start(reply).address, "none", &[]);
        assert_eq!(proxy.exchange(&charge("a", None)), reply);
    }
}

#[test]
fn a_head_reply_has_no_body() {
    let reply = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";
    let proxy = Proxy::start(Upstream::start(reply).address, "none", &[]);
    assert_eq!(proxy.exchange("HEAD / HTTP/1.1\r\nConnection: close\r\n\r\n"), reply);
}

#[test]
fn pipelined_requests_are_answered_in_order_on_one_connection() {
    let upstream = Upstream::start(CREATED);
    let proxy = Proxy::start(upstream.address, "none", &[]);
    let mut client = proxy.connect();
    let keep = charge("a", None).replace("Connection: close\r\n", "");
    client.write_all((keep.clone() + &keep + &charge("b", None)).as_bytes()).unwrap();
    assert_eq!(to_end(&mut client), CREATED.repeat(3));
    assert!(upstream.seen()[2].contains("\"b\""));
    assert_eq!(proxy.readings().len(), 3);
}

#[test]
fn a_chunked_upload_keeps_its_bytes_and_its_intent() {
    let upstream = Upstream::start(CREATED);
    let proxy = Proxy::start(upstream.address, "none", &[]);
    let body = "8\r\n{\"intent\r\n6\r\n\":\"c\"}\r\n0\r\n\r\n";
    let request = format!("POST / HTTP/1.1\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n{body}");
    assert_eq!(proxy.exchange(&request), CREATED);
    assert_eq!(upstream.seen(), [request]);
    assert_eq!(proxy.readings()[0]["intent"], "c");
}

#[test]
fn expect_continue_is_answered_before_the_body_comes() {
    let upstream = Upstream::start(CREATED);
    let proxy = Proxy::start(upstream.address, "none", &[]);
    let mut client = proxy.connect();
    let request = charge("a", None);
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    client.write_all(format!("{head}\r\nExpect: 100-continue\r\n\r\n").as_bytes()).unwrap();
    let mut lines = BufReader::new(client.try_clone().unwrap());
    let mut line = String::new();
    lines.read_line(&mut line).unwrap();
    assert_eq!(line, "HTTP/1.1 100 Continue\r\n");
    client.write_all(body.as_bytes()).unwrap();
    let mut rest = String::new();
    lines.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, format!("\r\n{CREATED}"));
    assert!(!upstream.seen()[0].contains("Expect"));
}

#[test]
fn the_host_is_the_upstreams() {
    let upstream = Upstream::start(CREATED);
    let proxy = Proxy::start(upstream.address, "none", &[]);
    proxy.exchange(&charge("a", None));
    assert!(upstream.seen()[0].contains(&format!("\r\nHost: {}\r\n", upstream.address)));
}

#[test]
fn an_upstream_that_breaks_http_is_a_gateway_error_that_says_why() {
    for (reply, note) in [
        ("hello, I am no http server", "upstream: bad-reply: not an HTTP/1 start line (it does not begin with HTTP/)"),
        ("HTTP/1.1 20", "upstream: truncated: closed within the reply's head"),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
            "upstream: bad-reply: bad or differing content-length `5, 6`",
        ),
    ] {
        for fault in ["none", "post_drop"] {
            let proxy = Proxy::start(Upstream::start(reply).address, fault, &[]);
            let answer = proxy.exchange(&charge("a", None));
            assert!(answer.starts_with("HTTP/1.1 502 Bad Gateway\r\n"), "{answer}");
            let readings = proxy.readings();
            assert_eq!((&readings[0]["status"], &readings[0]["note"]), (&502.into(), &note.into()));
        }
    }
}

#[test]
fn an_upstream_that_dies_in_its_body_cuts_the_client_off_too() {
    let reply = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab";
    let proxy = Proxy::start(Upstream::start(reply).address, "none", &[]);
    assert_eq!(proxy.exchange(&charge("a", None)), reply);
    let reading = &proxy.readings()[0];
    assert_eq!((&reading["status"], &reading["symptom"]), (&200.into(), &"truncated".into()));
}

#[test]
fn a_silent_or_absent_upstream_is_not_waited_for_for_ever() {
    let proxy = Proxy::start(Upstream::start("").address, "none", &["--timeout", "50ms"]);
    assert!(proxy.exchange(&charge("a", None)).starts_with("HTTP/1.1 504 "));
    assert_eq!(proxy.readings()[0]["note"], "upstream: read-timeout: no whole reply within 50ms");

    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let proxy = Proxy::start(free, "none", &[]);
    assert!(proxy.exchange(&charge("a", None)).starts_with("HTTP/1.1 502 "));
    let note = format!("upstream: refused: {free}: connection refused");
    let readings = proxy.readings();
    assert!(readings[0]["note"].as_str().unwrap().starts_with(&note), "{readings:?}");
}

/// Idle clients take all descriptors; the one that is served then needs one more for its upstream connection.
#[test]
fn our_own_lack_of_descriptors_says_nothing_about_the_upstream() {
    let limit = 32;
    let proxy = Proxy::start_limited(limit, Upstream::start(CREATED).address);
    let mut clients: Vec<_> = (0..limit).map(|_| proxy.connect()).collect();
    eventually("no descriptor is left", || proxy.descriptors_below(limit) == limit);
    clients[0].write_all(charge("a", None).as_bytes()).unwrap();
    assert!(to_end(&mut clients[0]).starts_with("HTTP/1.1 502 "));
    let readings = proxy.readings();
    assert!(readings[0]["note"].as_str().unwrap().starts_with("upstream: unknown: "), "{readings:?}");
}

#[test]
fn what_is_no_request_is_refused_and_the_proxy_goes_on() {
    let proxy = Proxy::start(Upstream::start(CREATED).address, "none", &[]);
    for (request, status) in [
        ("\x16\x03\x01 a tls hello\r\n", "400"),
        ("POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", "400"),
        ("POST / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n", "413"),
        (&format!("GET / HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(70_000)), "431"),
    ] {
        let answer = proxy.exchange(request);
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{answer}");
    }
    let endless = format!("POST / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n{}", "x".repeat(3_000_000));
    assert!(proxy.exchange(&endless).starts_with("HTTP/1.1 413 "), "not overtaken by a reset");
    assert_eq!(proxy.exchange(&charge("a", None)), CREATED);
}
