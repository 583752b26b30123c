//! Each way to fail keeps its own symptom, on real sockets.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use tokio::net::TcpSocket;

use super::*;

const PATIENCE: Duration = Duration::from_secs(20);

fn post() -> Request {
    Request {
        method: "POST".into(),
        host: "t".into(),
        target: "/charges".into(),
        headers: vec![("Idempotency-Key".into(), b"k".to_vec())],
        body: b"{}".to_vec(),
    }
}

/// An address where one connection is served by `serve`, with the whole request read before.
fn server(serve: impl FnOnce(TcpStream) + Send + 'static) -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = vec![0; post().to_bytes().len()];
        stream.read_exact(&mut request).unwrap();
        serve(stream);
    });
    address
}

fn attempt_at(address: SocketAddr, patience: Duration) -> Outcome {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(attempt(&address.into(), &post(), patience))
}

/// What the client makes of these bytes, followed by the end of the stream.
fn reading(bytes: &'static [u8]) -> Outcome {
    attempt_at(server(move |mut stream| stream.write_all(bytes).unwrap()), PATIENCE)
}

#[test]
fn a_request_is_written_as_it_stands() {
    let expected =
        "POST /charges HTTP/1.1\r\nHost: t\r\nIdempotency-Key: k\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}";
    assert_eq!(String::from_utf8(post().to_bytes()).unwrap(), expected);
}

#[test]
fn complete_replies_are_read_in_every_framing() {
    let framings: [&[u8]; 4] = [
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\no\r\n1;x=y\r\nk\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n\r\nok",
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
    ];
    for bytes in framings {
        let outcome = reading(bytes);
        assert_eq!(outcome.symptom, Symptom::Ok, "{outcome:?}");
        assert_eq!(outcome.reply.unwrap().body, b"ok");
        assert_eq!(outcome.detail, None);
    }
}

#[test]
fn a_reply_that_breaks_off_is_truncated_whatever_its_status() {
    let cut: [&[u8]; 5] = [
        b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nok",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Le",
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP",
    ];
    for bytes in cut {
        assert_eq!(reading(bytes).symptom, Symptom::Truncated, "{}", String::from_utf8_lossy(bytes));
    }
    assert_eq!(reading(cut[0]).reply.unwrap().status, 200, "what is known of the reply is kept");
}

#[test]
fn a_reply_that_is_none_is_a_bad_reply() {
    let bad: [&[u8]; 4] = [
        b"charged!\r\n",
        b"HTTP/1.1 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
    ];
    for bytes in bad {
        assert_eq!(reading(bytes).symptom, Symptom::BadReply, "{}", String::from_utf8_lossy(bytes));
    }
}

#[test]
fn a_head_without_bound_is_a_bad_reply() {
    let address = server(|mut stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n");
        while stream.write_all(b"X: 0123456789012345678901234567890123456789\r\n").is_ok() {}
    });
    let outcome = attempt_at(address, PATIENCE);
    assert_eq!(outcome.symptom, Symptom::BadReply);
    assert!(outcome.detail.unwrap().contains("longer than 65536 bytes"));
}

#[test]
fn closed_reset_and_silent_are_told_apart() {
    let closed = server(|stream| stream.shutdown(Shutdown::Both).unwrap());
    assert_eq!(attempt_at(closed, PATIENCE).symptom, Symptom::Closed);
    let reset = server(|stream| drop(reset_on_close(stream)));
    assert_eq!(attempt_at(reset, PATIENCE).symptom, Symptom::Reset);
    let (release, held) = std::sync::mpsc::channel::<()>();
    let silent = server(move |stream| {
        let _ = held.recv();
        drop(stream);
    });
    let outcome = attempt_at(silent, Duration::from_millis(100));
    assert_eq!((outcome.symptom, outcome.reply), (Symptom::ReadTimeout, None));
    drop(release);
}

#[test]
fn a_connection_that_never_was_is_a_refusal() {
    let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap();
    assert_eq!(attempt_at(free, PATIENCE).symptom, Symptom::Refused);
}

#[test]
fn a_full_backlog_is_a_connect_timeout() {
    let full = socket_with_backlog_of_one();
    let address = full.local_addr().unwrap();
    let queued: Vec<_> = (0..8).map(|_| TcpStream::connect_timeout(&address, Duration::from_millis(100))).collect();
    assert!(queued.iter().any(Result::is_err), "the backlog takes everything on this platform");
    assert_eq!(attempt_at(address, Duration::from_millis(300)).symptom, Symptom::ConnectTimeout);
}

fn socket_with_backlog_of_one() -> TcpListener {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let _inside = runtime.enter();
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
    socket.listen(1).unwrap().into_std().unwrap()
}

/// Closing it sends a reset instead of an orderly end.
fn reset_on_close(stream: TcpStream) -> tokio::net::TcpStream {
    stream.set_nonblocking(true).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let _inside = runtime.enter();
    let stream = tokio::net::TcpStream::from_std(stream).unwrap();
    stream.set_zero_linger().unwrap();
    stream
}
