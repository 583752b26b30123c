//! Connections and what their errors mean, for the client and for the proxy's leg to its upstream. Invariant: an error
//! becomes a symptom here alone, and one of our own making says nothing about the other side.

use std::io::{Error, ErrorKind, Result};
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::time::Duration;

use tokio::net::{TcpSocket, TcpStream, UnixStream};

use super::address::Route;
use super::message::{Cut, Parser};
use super::stream::Stream;
use super::trust::told;
use crate::terms::outcome::Symptom;

/// How long a connection may take to come about, the handshake of TLS included, where nobody asks for another limit: who
/// is silent for so long is silent for good, however long the reply itself may take.
pub const CONNECT: Duration = Duration::from_secs(5);
/// Between two tries at a Unix socket whose backlog is full.
const BACKLOG_PAUSE: Duration = Duration::from_millis(1);

/// Why there is no connection. Nothing of a request was sent.
#[derive(Clone, Debug)]
pub struct Unconnected {
    pub symptom: Symptom,
    pub detail: String,
}

impl From<Error> for Unconnected {
    fn from(error: Error) -> Unconnected {
        Unconnected { symptom: connect_symptom(&error), detail: told(&error) }
    }
}

/// Connects, and does the handshake where it is TLS; from `source` where one is given, None leaves the choice to the
/// system. Waits as long as the caller lets it.
pub async fn connect(to: &Route, source: Option<IpAddr>) -> std::result::Result<Stream, Unconnected> {
    match to {
        Route::Tcp(socket) => Ok(Stream::Tcp(tcp(*socket, source).await?)),
        Route::Tls { socket, name, trust } => {
            let stream = tcp(*socket, source).await?;
            let shaken = trust.handshake(name, stream).await;
            // However it failed: the request comes after it.
            let failed = |detail| Unconnected { symptom: Symptom::Tls, detail };
            shaken.map(|stream| Stream::Tls(Box::new(stream))).map_err(failed)
        }
        Route::Unix(path) => Ok(Stream::Unix(unix(path).await?)),
    }
}

/// Whether somebody takes connections there, whatever then comes of them: without a handshake.
pub async fn listens(to: &Route) -> bool {
    match to {
        Route::Tcp(socket) | Route::Tls { socket, .. } => tcp(*socket, None).await.is_ok(),
        Route::Unix(path) => unix(path).await.is_ok(),
    }
}

async fn unix(path: &Path) -> Result<UnixStream> {
    loop {
        match UnixStream::connect(path).await {
            // A full backlog. Under TCP the system itself would try again.
            Err(error) if error.kind() == ErrorKind::WouldBlock => tokio::time::sleep(BACKLOG_PAUSE).await,
            ended => return ended,
        }
    }
}

async fn tcp(to: SocketAddr, source: Option<IpAddr>) -> Result<TcpStream> {
    tcp_from(to, source.map(|source| SocketAddr::new(source, 0))).await
}

async fn tcp_from(to: SocketAddr, source: Option<SocketAddr>) -> Result<TcpStream> {
    let socket = if to.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    if let Some(source) = source {
        socket.bind(source)?;
    }
    let stream = socket.connect(to).await?;
    // Where nobody listens, TCP lets a socket that was given the same port by chance connect to itself (RFC 9293, 3.5).
    if stream.local_addr()? == to {
        // A reset leaves the port to the server at once.
        stream.set_zero_linger()?;
        return Err(Error::new(ErrorKind::ConnectionRefused, "connection refused: nobody listens there"));
    }
    // A delayed segment would blur the moments that are measured.
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// What a connect that failed says. One that failed for a reason of our own (no descriptor, no local port, a firewall
/// here) says nothing about the server, so it is `unknown`: whoever draws a verdict from attempts must not draw one from
/// this.
fn connect_symptom(error: &Error) -> Symptom {
    use ErrorKind::*;
    match error.kind() {
        // A Unix socket's file is there or not as its server is.
        NotFound => Symptom::Refused,
        ConnectionRefused | ConnectionReset | ConnectionAborted => Symptom::Refused,
        TimedOut => Symptom::ConnectTimeout,
        NetworkUnreachable | HostUnreachable | NetworkDown => Symptom::Unreachable,
        _ => Symptom::Unknown,
    }
}

/// What a connection that broke with `error` says, where so much of the reply had come. Once a byte of the reply has come
/// it is a reply that broke off, in its head as in its body, by a reset as by an end: the server had begun to answer.
pub fn broken_symptom(error: &Error, reply: &Parser) -> Symptom {
    match (reply.missing(), error.kind()) {
        (Some(Cut::BeforeFirstByte), ErrorKind::TimedOut) => Symptom::ReadTimeout,
        // Of TLS, without its close_notify: closed all the same.
        (Some(Cut::BeforeFirstByte), ErrorKind::UnexpectedEof) => Symptom::Closed,
        (Some(Cut::BeforeFirstByte), _) => Symptom::Reset,
        (Some(Cut::InHead | Cut::InBody) | None, _) => Symptom::Truncated,
    }
}

/// What an end of the stream within a reply says.
pub fn cut_symptom(cut: Cut) -> Symptom {
    match cut {
        Cut::BeforeFirstByte => Symptom::Closed,
        Cut::InHead | Cut::InBody => Symptom::Truncated,
    }
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, TcpListener};

    use super::*;
    use crate::http::message::Limits;

    #[tokio::test]
    async fn a_connection_to_itself_is_a_refusal() {
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = free.local_addr().unwrap();
        drop(free);
        // TCP itself lets it through: two sockets of one port, and nobody listens.
        let itself = TcpSocket::new_v4().unwrap();
        itself.bind(address).unwrap();
        let joined = itself.connect(address).await.unwrap();
        joined.set_zero_linger().unwrap();
        drop(joined);
        let error = tcp_from(address, Some(address)).await.unwrap_err();
        assert_eq!(connect_symptom(&error), Symptom::Refused);
    }

    #[tokio::test]
    async fn a_full_backlog_of_a_unix_socket_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        let socket = tokio::net::UnixSocket::new_stream().unwrap();
        socket.bind(&path).unwrap();
        let listener = socket.listen(0).unwrap();
        let route = Route::Unix(path);
        let first = connect(&route, None).await.unwrap();
        let mut second = std::pin::pin!(connect(&route, None));
        let waiting = tokio::time::timeout(Duration::from_millis(20), &mut second).await;
        assert!(waiting.is_err(), "the backlog takes everything on this platform");
        listener.accept().await.unwrap();
        assert!(second.await.is_ok());
        drop(first);
    }

    #[test]
    fn a_connect_that_failed_by_our_own_fault_says_nothing() {
        for (kind, symptom) in [
            (ErrorKind::ConnectionRefused, Symptom::Refused),
            (ErrorKind::ConnectionReset, Symptom::Refused),
            (ErrorKind::ConnectionAborted, Symptom::Refused),
            (ErrorKind::NetworkDown, Symptom::Unreachable),
            (ErrorKind::NetworkUnreachable, Symptom::Unreachable),
            (ErrorKind::HostUnreachable, Symptom::Unreachable),
            (ErrorKind::TimedOut, Symptom::ConnectTimeout),
            (ErrorKind::NotFound, Symptom::Refused),
            (ErrorKind::AddrNotAvailable, Symptom::Unknown),
            (ErrorKind::PermissionDenied, Symptom::Unknown),
        ] {
            assert_eq!(connect_symptom(&Error::from(kind)), symptom, "{kind}");
        }
        let too_many_open_files = Error::from_raw_os_error(24);
        assert_eq!(connect_symptom(&too_many_open_files), Symptom::Unknown);
    }

    #[test]
    fn what_breaks_after_the_first_byte_is_truncated() {
        for (came, by_reset, by_timeout, by_end) in [
            ("", Symptom::Reset, Symptom::ReadTimeout, Symptom::Closed),
            ("H", Symptom::Truncated, Symptom::Truncated, Symptom::Truncated),
            ("HTTP/1.1 200 OK\r\nContent-Le", Symptom::Truncated, Symptom::Truncated, Symptom::Truncated),
            (
                "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok",
                Symptom::Truncated,
                Symptom::Truncated,
                Symptom::Truncated,
            ),
        ] {
            let mut reply = Parser::response(Limits::default(), "POST");
            reply.push(came.as_bytes()).unwrap();
            let broken = |kind| broken_symptom(&Error::from(kind), &reply);
            assert_eq!(broken(ErrorKind::ConnectionReset), by_reset, "{came}");
            assert_eq!(broken(ErrorKind::BrokenPipe), by_reset, "{came}");
            assert_eq!(broken(ErrorKind::TimedOut), by_timeout, "{came}");
            assert_eq!(broken(ErrorKind::UnexpectedEof), by_end, "{came}: an end of TLS without its close_notify");
            assert_eq!(cut_symptom(reply.finish().unwrap_err()), by_end, "{came}");
        }
    }

    #[test]
    fn a_body_that_only_the_end_of_the_stream_ends_is_not_ended_by_an_error() {
        let mut reply = Parser::response(Limits::default(), "POST");
        reply.push(b"HTTP/1.1 200 OK\r\n\r\nok").unwrap();
        for kind in [ErrorKind::ConnectionReset, ErrorKind::UnexpectedEof] {
            assert_eq!(broken_symptom(&Error::from(kind), &reply), Symptom::Truncated, "{kind}");
        }
        assert_eq!(reply.finish(), Ok(()));
    }
}
