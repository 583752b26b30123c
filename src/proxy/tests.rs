//! Each fault as both ends see it, over real sockets. What happens first is decided by hand-shakes and events.

use std::io::ErrorKind;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

use super::event::EventKind;
use super::fault::{CutAt, End, Fault, SecondCopy, Until};
use super::gate::Gate;
use super::listener::Proxy;
use super::settings::Settings;
use crate::http::message::{Limits, Parser};

const REQUEST: &[u8] = b"POST /charges HTTP/1.1\r\nHost: h\r\nContent-Length: 8\r\n\r\n12345678";
const HEAD: usize = REQUEST.len() - 8;
const REPLY: &[u8] = b"HTTP/1.1 201 Created\r\nContent-Length: 10\r\n\r\n0123456789";

/// What the upstream saw on one connection, from its beginning to its end.
#[derive(Debug)]
struct Seen {
    bytes: Vec<u8>,
    is_whole: bool,
    end: End,
}

/// An upstream that answers each whole request with `reply` when `may_reply` is open; an empty reply is none at all.
async fn upstream(reply: &'static [u8], may_reply: Gate) -> (SocketAddr, mpsc::UnboundedReceiver<Seen>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (sender, seen) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (sender, may_reply) = (sender.clone(), may_reply.clone());
            tokio::spawn(async move { drop(sender.send(converse(stream, reply, may_reply).await)) });
        }
    });
    (address, seen)
}

async fn converse(mut stream: TcpStream, reply: &[u8], may_reply: Gate) -> Seen {
    let mut parser = Parser::request(Limits::default());
    let (mut is_whole, mut bytes) = (false, Vec::new());
    loop {
        let mut piece = [0; 1024];
        let end = match stream.read(&mut piece).await {
            Ok(0) => End::Fin,
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::ConnectionReset);
                End::Rst
            }
            Ok(count) => {
                let used = parser.push(&piece[..count]).unwrap();
                bytes.extend_from_slice(&piece[..used]);
                if parser.is_complete() && !is_whole {
                    is_whole = true;
                    may_reply.opened().await;
                    let _ = stream.write_all(reply).await;
                }
                continue;
            }
        };
        return Seen { bytes, is_whole, end };
    }
}

fn open() -> Gate {
    let gate = Gate::new();
    gate.open();
    gate
}

async fn proxy(upstream: SocketAddr, fault: Fault) -> Proxy {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let settings = Settings { hold: Duration::from_secs(20), ..Settings::default() };
    Proxy::start(listener, upstream, settings, move |_| fault.clone()).unwrap()
}

async fn send(proxy: &Proxy, request: &[u8]) -> TcpStream {
    let mut client = TcpStream::connect(proxy.address()).await.unwrap();
    client.write_all(request).await.unwrap();
    client
}

/// All that the client gets to the end of the stream, and how that came.
async fn rest(mut client: TcpStream) -> (Vec<u8>, End) {
    let mut bytes = Vec::new();
    match client.read_to_end(&mut bytes).await {
        Ok(_) => (bytes, End::Fin),
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::ConnectionReset);
            (bytes, End::Rst)
        }
    }
}

/// The names of the events up to the exchange's end.
async fn story(proxy: &mut Proxy) -> Vec<String> {
    let events = proxy.events().until(|event| matches!(event.what, EventKind::Ended)).await;
    events.iter().map(|event| name(&event.what)).collect()
}

/// How long after the last byte the upstream connection was ended.
async fn cut_at(proxy: &mut Proxy) -> Duration {
    let events = proxy.events().until(|event| matches!(event.what, EventKind::Ended)).await;
    let cut = events.iter().find_map(|event| match event.what {
        EventKind::UpstreamCut { after, .. } => Some(after),
        _ => None,
    });
    cut.expect("it was ended")
}

fn name(what: &EventKind) -> String {
    let text = format!("{what:?}");
    text.split([' ', '{']).next().unwrap().to_owned()
}

#[tokio::test]
async fn a_cut_ends_both_legs_the_same_way_and_not_too_early() {
    for (by, after) in [(End::Fin, 0), (End::Rst, 0), (End::Fin, 5), (End::Rst, 5)] {
        let after = Duration::from_millis(after);
        let (address, mut seen) = upstream(b"", open()).await;
        let mut proxy = proxy(address, Fault::CutUpstream { after, by }).await;
        let client = send(&proxy, REQUEST).await;
        assert_eq!(rest(client).await, (Vec::new(), by));
        let upstream = seen.recv().await.unwrap();
        assert_eq!((upstream.bytes.as_slice(), upstream.end), (REQUEST, by));
        assert!(cut_at(&mut proxy).await >= after);
    }
}

#[tokio::test]
async fn a_reply_before_the_cut_is_given() {
    let (address, _seen) = upstream(REPLY, open()).await;
    let fault = Fault::CutUpstream { after: Duration::from_secs(20), by: End::Rst };
    let mut proxy = proxy(address, fault).await;
    let mut client = send(&proxy, REQUEST).await;
    let mut reply = vec![0; REPLY.len()];
    client.read_exact(&mut reply).await.unwrap();
    assert_eq!(reply, REPLY);
    let expected = ["RequestRead", "ForwardStarted", "RequestForwarded", "UpstreamReplied", "ReplySent", "Ended"];
    assert_eq!(story(&mut proxy).await, expected);
}

#[tokio::test]
async fn half_a_request_reaches_the_upstream_and_no_more() {
    for (by, after) in [(End::Fin, 0), (End::Rst, 0), (End::Fin, 5), (End::Rst, 5)] {
        let after = Duration::from_millis(after);
        let (address, mut seen) = upstream(REPLY, open()).await;
        let mut proxy = proxy(address, Fault::HalfRequest { after, by }).await;
        let client = send(&proxy, REQUEST).await;
        assert_eq!(rest(client).await, (Vec::new(), by));
        let upstream = seen.recv().await.unwrap();
        assert_eq!((upstream.is_whole, upstream.end), (false, by));
        // A reset may overtake what was sent before it.
        match by {
            End::Fin => assert_eq!(upstream.bytes, REQUEST[..HEAD + 4]),
            End::Rst => assert!(REQUEST[..HEAD + 4].starts_with(&upstream.bytes)),
        }
        assert!(cut_at(&mut proxy).await >= after);
    }
}

#[tokio::test]
async fn a_dropped_reply_was_whole_at_the_upstream() {
    for by in [End::Fin, End::Rst] {
        let (address, mut seen) = upstream(REPLY, open()).await;
        let mut proxy = proxy(address, Fault::DropAfterReply { by }).await;
        let client = send(&proxy, REQUEST).await;
        assert_eq!(rest(client).await, (Vec::new(), by));
        let expected =
            ["RequestRead", "ForwardStarted", "RequestForwarded", "UpstreamReplied", "ClientDropped", "Ended"];
        assert_eq!(story(&mut proxy).await, expected);
        assert!(seen.recv().await.unwrap().is_whole);
    }
}

#[tokio::test]
async fn a_cut_reply_ends_within_its_head_or_body() {
    let until_close: &[u8] = b"HTTP/1.1 200 OK\r\n\r\nabcd";
    let bodiless: &[u8] = b"HTTP/1.1 204 No Content\r\n\r\n";
    for (reply, at, length, end) in [
        (REPLY, CutAt::Body, REPLY.len() - 5, End::Fin),
        (REPLY, CutAt::Head, (REPLY.len() - 10) / 2, End::Fin),
        (bodiless, CutAt::Body, bodiless.len() / 2, End::Fin),
    ] {
        let (address, _seen) = upstream(reply, open()).await;
        let proxy = proxy(address, Fault::CutReply { at }).await;
        let client = send(&proxy, REQUEST).await;
        assert_eq!(rest(client).await, (reply[..length].to_vec(), end));
    }
    let address = one_reply_then_close(until_close).await;
    let proxy = proxy(address, Fault::CutReply { at: CutAt::Body }).await;
    assert_eq!(rest(send(&proxy, REQUEST).await).await, (until_close[..until_close.len() - 2].to_vec(), End::Rst));
}

async fn one_reply_then_close(reply: &'static [u8]) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = vec![0; REQUEST.len()];
        stream.read_exact(&mut request).await.unwrap();
        stream.write_all(reply).await.unwrap();
    });
    address
}

#[tokio::test]
async fn a_held_reply_waits_for_its_gate() {
    let (address, _seen) = upstream(REPLY, open()).await;
    let gate = Gate::new();
    let mut proxy = proxy(address, Fault::HoldReply { until: Until::Opened(gate.clone()) }).await;
    let mut client = send(&proxy, REQUEST).await;
    let before = proxy.events().until(|event| matches!(event.what, EventKind::Held)).await;
    assert!(before.iter().any(|event| matches!(event.what, EventKind::UpstreamReplied { .. })));
    assert!(client.try_read(&mut [0]).is_err_and(|error| error.kind() == ErrorKind::WouldBlock));
    gate.open();
    let mut reply = vec![0; REPLY.len()];
    client.read_exact(&mut reply).await.unwrap();
    assert_eq!((reply.as_slice(), story(&mut proxy).await), (REPLY, names(&["Released", "ReplySent", "Ended"])));
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[tokio::test]
async fn a_held_reply_outlasts_the_client_and_is_given_to_nobody() {
    let (address, _seen) = upstream(REPLY, open()).await;
    let mut proxy = proxy(address, Fault::HoldReply { until: Until::ClientGone }).await;
    let client = send(&proxy, REQUEST).await;
    proxy.events().until(|event| matches!(event.what, EventKind::Held)).await;
    drop(client);
    assert_eq!(story(&mut proxy).await, names(&["ClientGone", "Released", "Ended"]));
}

#[tokio::test]
async fn a_client_that_leaves_does_not_stop_the_upstream() {
    let may_reply = Gate::new();
    let (address, mut seen) = upstream(REPLY, may_reply.clone()).await;
    let mut proxy = proxy(address, Fault::Pass).await;
    let client = send(&proxy, REQUEST).await;
    proxy.events().until(|event| matches!(event.what, EventKind::RequestForwarded { .. })).await;
    drop(client);
    proxy.events().until(|event| matches!(event.what, EventKind::ClientGone)).await;
    may_reply.open();
    assert_eq!(story(&mut proxy).await, names(&["UpstreamReplied", "Ended"]));
    assert!(seen.recv().await.unwrap().is_whole);
}

#[tokio::test]
async fn a_held_request_arrives_late_though_the_client_has_gone() {
    let (address, mut seen) = upstream(REPLY, open()).await;
    let gate = Gate::new();
    let mut proxy = proxy(address, Fault::HoldRequest { until: Until::Opened(gate.clone()) }).await;
    let client = send(&proxy, REQUEST).await;
    proxy.events().until(|event| matches!(event.what, EventKind::Held)).await;
    drop(client);
    proxy.events().until(|event| matches!(event.what, EventKind::ClientGone)).await;
    assert!(seen.try_recv().is_err(), "nothing was forwarded before the gate opened");
    gate.open();
    let expected = names(&["Released", "ForwardStarted", "RequestForwarded", "UpstreamReplied", "Ended"]);
    assert_eq!(story(&mut proxy).await, expected);
    assert_eq!(seen.recv().await.unwrap().bytes, REQUEST);
}

#[tokio::test]
async fn two_copies_are_the_same_bytes_and_the_client_gets_one_reply() {
    for second in [SecondCopy::Together, SecondCopy::AfterFirstReply] {
        let (address, mut seen) = upstream(REPLY, open()).await;
        let mut proxy = proxy(address, Fault::DeliverTwice { second }).await;
        let mut client = send(&proxy, REQUEST).await;
        let mut reply = vec![0; REPLY.len()];
        client.read_exact(&mut reply).await.unwrap();
        assert_eq!(reply, REPLY);
        let told = story(&mut proxy).await;
        let place = |what: &str, nth: usize| told.iter().enumerate().filter(|(_, t)| *t == what).nth(nth).unwrap().0;
        let apart = place("UpstreamReplied", 0) < place("ForwardStarted", 1);
        assert_eq!(apart, second == SecondCopy::AfterFirstReply, "{told:?}");
        assert!(place("UpstreamReplied", 1) < place("ReplySent", 0));
        for _ in 0..2 {
            assert_eq!(seen.recv().await.unwrap().bytes, REQUEST);
        }
    }
}

#[tokio::test]
async fn an_upstream_without_a_reply_is_a_gateway_error_whatever_the_fault() {
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let faults = [
        Fault::Pass,
        Fault::DropAfterReply { by: End::Rst },
        Fault::HoldReply { until: Until::ClientGone },
        Fault::ReplaceReply { status: 500, retry_after: None },
        Fault::CutReply { at: CutAt::Head },
        Fault::HalfRequest { after: Duration::ZERO, by: End::Fin },
        Fault::CutUpstream { after: Duration::ZERO, by: End::Fin },
        Fault::DeliverTwice { second: SecondCopy::Together },
        Fault::DeliverTwice { second: SecondCopy::AfterFirstReply },
    ];
    for fault in faults {
        let mut proxy = proxy(free, fault).await;
        let mut client = send(&proxy, REQUEST).await;
        let mut status = [0; 12];
        client.read_exact(&mut status).await.unwrap();
        assert_eq!(&status, b"HTTP/1.1 502");
        assert!(story(&mut proxy).await.contains(&"UpstreamFailed".to_owned()));
    }
}

#[tokio::test]
async fn stopping_closes_the_listener_and_what_is_held() {
    let (address, _seen) = upstream(REPLY, open()).await;
    let mut proxy = proxy(address, Fault::HoldReply { until: Until::Opened(Gate::new()) }).await;
    let client = send(&proxy, REQUEST).await;
    proxy.events().until(|event| matches!(event.what, EventKind::Held)).await;
    let address = proxy.address();
    proxy.stop().await;
    assert!(rest(client).await.0.is_empty());
    assert!(TcpStream::connect(address).await.is_err());
}
