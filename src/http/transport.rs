//! TCP connections and what their errors mean, for the client and for the proxy's leg to its upstream. Invariant: an
//! error becomes a symptom here alone, and one of our own making says nothing about the other side.

use std::io::{Error, ErrorKind, Result};
use std::net::{IpAddr, SocketAddr};

use tokio::net::{TcpSocket, TcpStream};

use super::message::{Cut, Parser};
use crate::terms::outcome::Symptom;

/// Connects, from `source` where one is given; None leaves the choice to the system.
pub async fn connect(to: SocketAddr, source: Option<IpAddr>) -> Result<TcpStream> {
    connect_from(to, source.map(|source| SocketAddr::new(source, 0))).await
}

async fn connect_from(to: SocketAddr, source: Option<SocketAddr>) -> Result<TcpStream> {
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
pub fn connect_symptom(error: &Error) -> Symptom {
    use ErrorKind::*;
    match error.kind() {
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
        let error = connect_from(address, Some(address)).await.unwrap_err();
        assert_eq!(connect_symptom(&error), Symptom::Refused);
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
            assert_eq!(cut_symptom(reply.finish().unwrap_err()), by_end, "{came}");
        }
    }

    #[test]
    fn a_body_that_only_the_end_of_the_stream_ends_is_not_ended_by_a_reset() {
        let mut reply = Parser::response(Limits::default(), "POST");
        reply.push(b"HTTP/1.1 200 OK\r\n\r\nok").unwrap();
        assert_eq!(broken_symptom(&Error::from(ErrorKind::ConnectionReset), &reply), Symptom::Truncated);
        assert_eq!(reply.finish(), Ok(()));
    }
}
