//! A client's request as the upstream gets it. Invariant: the bytes are the client's own, but for the two header lines
//! that concern the connection to the proxy alone.

use crate::http::message::Message;

/// The bytes to send, and where in them the body begins.
pub struct Forwarded {
    pub bytes: Vec<u8>,
    pub body_at: usize,
}

impl Forwarded {
    /// Without the `Expect` that the proxy has answered by itself (RFC 9110, 10.1.1), and with `host` as the `Host`.
    pub fn new(request: &Message, host: Option<&str>) -> Forwarded {
        let (head, body) = request.raw.split_at(request.body_at);
        let mut bytes = Vec::with_capacity(request.raw.len());
        let lines = head.split_inclusive(|b| *b == b'\n').skip_while(|line| is_blank(line));
        for line in lines {
            match (header_name(line).as_str(), host) {
                ("expect", _) => {}
                ("host", Some(host)) => bytes.extend_from_slice(format!("Host: {host}\r\n").as_bytes()),
                (_, _) => bytes.extend_from_slice(line),
            }
        }
        let body_at = bytes.len();
        bytes.extend_from_slice(body);
        Forwarded { bytes, body_at }
    }

    /// The first half: of the body, or of the head where there is no body.
    pub fn half(&self) -> &[u8] {
        match self.bytes.len() - self.body_at {
            0 => &self.bytes[..self.bytes.len() / 2],
            body => &self.bytes[..self.body_at + body / 2],
        }
    }
}

fn is_blank(line: &[u8]) -> bool {
    matches!(line, b"\n" | b"\r\n")
}

/// In lower case. A request line yields what is not a header's name, as it has a space before any colon.
fn header_name(line: &[u8]) -> String {
    let name = line.split(|b| *b == b':').next().map_or(line, |name| name);
    String::from_utf8_lossy(name).to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::message::{Limits, Parser};

    fn forwarded(bytes: &[u8], host: Option<&str>) -> Forwarded {
        let mut parser = Parser::request(Limits::default());
        parser.push(bytes).unwrap();
        Forwarded::new(&parser.into_message(), host)
    }

    #[test]
    fn only_host_and_expect_differ() {
        let bytes =
            b"\r\nPOST /expect:x HTTP/1.1\r\nhOst: a\r\nExpect: 100-continue\r\nX: y\r\nContent-Length: 4\r\n\r\nhost";
        let kept = forwarded(bytes, None);
        assert_eq!(kept.bytes, b"POST /expect:x HTTP/1.1\r\nhOst: a\r\nX: y\r\nContent-Length: 4\r\n\r\nhost");
        let named = forwarded(bytes, Some("b:1"));
        assert_eq!(named.bytes, b"POST /expect:x HTTP/1.1\r\nHost: b:1\r\nX: y\r\nContent-Length: 4\r\n\r\nhost");
        assert!(named.half().ends_with(b"\r\n\r\nho"));
        assert_eq!(forwarded(b"GET / HTTP/1.1\r\n\r\n", None).half(), b"GET / HTT");
    }
}
