//! A body without its content coding (RFC 9110, 8.4). Invariant: what is given is whole and bounded; a coding that is not
//! known, or that breaks off, gives nothing, and the message itself stays as it came.

use std::borrow::Cow;
use std::io::Read;

use flate2::read::{MultiGzDecoder, ZlibDecoder};

use super::{Limits, Message};

impl Message {
    /// The body as it was before it was compressed. None where that cannot be known, or is longer than a body may be.
    pub fn content(&self) -> Option<Cow<'_, [u8]>> {
        let mut codings = self.head.list("content-encoding").map(<[u8]>::to_ascii_lowercase);
        match (codings.next().as_deref(), codings.next()) {
            (None | Some(b"identity"), None) => Some(Cow::Borrowed(&self.body)),
            (Some(b"gzip" | b"x-gzip"), None) => unpacked(MultiGzDecoder::new(&self.body[..])),
            (Some(b"deflate"), None) => unpacked(ZlibDecoder::new(&self.body[..])),
            (_, _) => None,
        }
    }
}

fn unpacked(packed: impl Read) -> Option<Cow<'static, [u8]>> {
    let most = Limits::default().body;
    let mut content = Vec::new();
    packed.take(most as u64 + 1).read_to_end(&mut content).ok()?;
    (content.len() <= most).then_some(Cow::Owned(content))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::{GzEncoder, ZlibEncoder};

    use super::*;
    use crate::http::message::Parser;

    fn message(coding: &str, body: &[u8]) -> Message {
        let mut parser = Parser::request(Limits::default());
        let head = format!("POST / HTTP/1.1\r\nContent-Encoding: {coding}\r\nContent-Length: {}\r\n\r\n", body.len());
        parser.push(&[head.as_bytes(), body].concat()).unwrap();
        parser.into_message()
    }

    fn gzip(content: &[u8]) -> Vec<u8> {
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(content).unwrap();
        packed.finish().unwrap()
    }

    #[test]
    fn each_coding_is_taken_off_and_an_unknown_one_is_not_guessed() {
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::fast());
        zlib.write_all(b"{}").unwrap();
        let zlib = zlib.finish().unwrap();
        for (coding, body, content) in [
            ("identity", b"{}".to_vec(), Some(&b"{}"[..])),
            ("gzip", gzip(b"{}"), Some(b"{}")),
            ("X-GZip", gzip(b"{}"), Some(b"{}")),
            ("deflate", zlib, Some(b"{}")),
            ("br", b"{}".to_vec(), None),
            ("gzip, gzip", gzip(b"{}"), None),
            ("gzip", b"{}".to_vec(), None),
            ("gzip", gzip(b"{}")[..15].to_vec(), None),
        ] {
            assert_eq!(message(coding, &body).content().as_deref(), content, "{coding} {body:?}");
        }
    }

    #[test]
    fn a_bomb_is_not_unpacked_beyond_what_a_body_may_be() {
        let most = Limits::default().body;
        assert_eq!(message("gzip", &gzip(&vec![0; most])).content().map(|content| content.len()), Some(most));
        assert_eq!(message("gzip", &gzip(&vec![0; most + 1])).content(), None);
    }
}
