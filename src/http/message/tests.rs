//! The framing against written-out messages, and its invariants against any bytes.

use proptest::prelude::*;

use super::*;

const LIMITS: Limits = Limits { head: 300, body: 64 };

fn response(bytes: &[u8]) -> Result<(usize, Message), String> {
    read(Parser::response(LIMITS, "POST"), bytes, bytes.len().max(1))
}

fn request(bytes: &[u8]) -> Result<(usize, Message), String> {
    read(Parser::request(LIMITS), bytes, bytes.len().max(1))
}

/// Pushes in pieces of `step` bytes, ends the stream, and gives the bytes consumed and the message, or what went wrong.
fn read(mut parser: Parser, bytes: &[u8], step: usize) -> Result<(usize, Message), String> {
    let mut used = 0;
    for piece in bytes.chunks(step) {
        let count = parser.push(piece).map_err(|malformed| malformed.to_string())?;
        used += count;
        if count < piece.len() {
            assert!(parser.is_complete(), "bytes were left though the message goes on");
            break;
        }
    }
    parser.finish().map_err(|cut| format!("{cut:?}"))?;
    Ok((used, parser.into_message()))
}

#[test]
fn reads_each_framing_and_leaves_the_rest() {
    let length = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhelloHTTP/1.1";
    let (used, message) = response(length).unwrap();
    assert_eq!((used, message.body.as_slice(), message.keeps_alive()), (length.len() - 8, &b"hello"[..], true));
    assert_eq!(message.raw, length[..used]);
    assert_eq!(&message.raw[message.body_at..], b"hello");

    let chunked = b"HTTP/1.1 201 Created\r\nTransfer-Encoding: Chunked\r\n\r\n3;a=\"b\"\r\nhel\r\n02 \r\nlo\r\n0\r\nX: y\r\n\r\nZ";
    let (used, message) = response(chunked).unwrap();
    assert_eq!((used, message.body.as_slice()), (chunked.len() - 1, &b"hello"[..]));
    assert_eq!(message.framing, Framing::Chunked);

    let (used, message) = response(b"HTTP/1.1 200 OK\r\n\r\nto the end").unwrap();
    assert_eq!((used, message.body.as_slice(), message.keeps_alive()), (29, &b"to the end"[..], false));

    let (_, message) = request(b"\r\nGET /a?b HTTP/1.0\r\nHost: h\r\n\r\n").unwrap();
    assert_eq!(message.head.start, Start::Request { method: "GET".into(), target: "/a?b".into() });
    assert_eq!((message.framing, message.keeps_alive()), (Framing::Empty, false));
    assert_eq!(message.head.get("HOST"), Some(&b"h"[..]));
}

#[test]
fn no_body_for_head_204_and_304_and_interim_responses_are_kept() {
    let head = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";
    let (_, message) = read(Parser::response(LIMITS, "HEAD"), head, 1).unwrap();
    assert_eq!(message.framing, Framing::Empty);
    for status in ["204 No Content", "304 Not Modified"] {
        let bytes = format!("HTTP/1.1 {status}\r\nContent-Length: 5\r\n\r\n");
        assert_eq!(response(bytes.as_bytes()).unwrap().1.framing, Framing::Empty, "{status}");
    }
    let bytes = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
    let (used, message) = response(bytes).unwrap();
    let statuses: Vec<_> = message.interim.iter().map(Head::status).collect();
    assert_eq!((used, message.head.status(), statuses), (bytes.len(), Some(200), vec![Some(100), Some(103)]));
    assert_eq!(message.raw, bytes);
    assert_eq!(message.body_at, bytes.len());
}

#[test]
fn says_where_the_stream_was_cut() {
    let whole = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
    let body = whole.len() - 5;
    for at in 0..whole.len() {
        let expected = match at {
            0 => "BeforeFirstByte",
            _ if at < body => "InHead",
            _ => "InBody",
        };
        assert_eq!(response(&whole.as_bytes()[..at]).unwrap_err(), expected, "cut at {at}");
    }
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n";
    for at in chunked.len() - 15..chunked.len() {
        assert_eq!(response(&chunked.as_bytes()[..at]).unwrap_err(), "InBody", "cut at {at}");
    }
    assert_eq!(request(b"\r\n").unwrap_err(), "BeforeFirstByte");
}

#[test]
fn refuses_what_is_ambiguous_or_out_of_bounds() {
    let table: &[(&str, &str)] = &[
        ("hello world", "not an HTTP/1 start line (it does not begin with HTTP/)"),
        ("SSH-2.0-OpenSSH\r\n", "not an HTTP/1 start line (it does not begin with HTTP/)"),
        ("HTTP/1.1 abc OK\r\n", "not an HTTP/1 start line (invalid response status)"),
        ("HTTP/2.0 200 OK\r\n", "not an HTTP/1 start line (invalid HTTP version)"),
        ("HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "unreadable header line (invalid header name)"),
        ("HTTP/1.1 101 Switching\r\n\r\n", "status 101 cannot answer the request"),
        ("HTTP/1.1 042 What\r\n\r\n", "status 042 cannot answer the request"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n", "bad or differing content-length `5, 6`"),
        ("HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\n", "bad or differing content-length `+5`"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5,\r\n\r\n", "bad or differing content-length `5, `"),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
            "bad or differing content-length `99999999999999999999`",
        ),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", "unknown transfer coding `gzip, chunked`"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 65\r\n\r\n", "body longer than 64 bytes"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n41\r\n", "body longer than 64 bytes"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n", "body longer than 64 bytes"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n00000000000000001\r\n", "bad chunk size"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\n", "bad chunk size"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0x5\r\n", "bad chunk size"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\nhello", "bad chunk size"),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhello\r\n",
            "chunk data does not end where its size says",
        ),
    ];
    for (bytes, expected) in table {
        assert_eq!(response(bytes.as_bytes()).unwrap_err(), *expected, "{bytes:?}");
    }
    let long = format!("HTTP/1.1 200 OK\r\nX: {}\r\n\r\n", "x".repeat(300));
    assert_eq!(response(long.as_bytes()).unwrap_err(), "head longer than 300 bytes");
    let interim = "HTTP/1.1 100 Continue\r\n\r\n".repeat(20);
    assert_eq!(response(interim.as_bytes()).unwrap_err(), "head longer than 300 bytes");
    let notes = format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0;{}\r\n", "x".repeat(301));
    assert_eq!(response(notes.as_bytes()).unwrap_err(), "chunk extensions and trailers longer than 300 bytes");
    let endless = format!("HTTP/1.1 200 OK\r\n\r\n{}", "x".repeat(65));
    assert_eq!(response(endless.as_bytes()).unwrap_err(), "body longer than 64 bytes");
    let both = "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n";
    let refused = request(format!("POST / HTTP/1.1\r\n{both}").as_bytes()).unwrap_err();
    assert_eq!(refused, "both content-length and transfer-encoding");
    assert_eq!(response(format!("HTTP/1.1 200 OK\r\n{both}").as_bytes()).unwrap().1.body, b"ab");
    assert!(request(b"not http at all\r\n").unwrap_err().starts_with("not an HTTP/1 start line"));
    assert_eq!(response(b"HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nab").unwrap().1.body, b"ab");
}

/// Pieces that make valid, nearly valid and hostile messages when strung together.
fn pieces() -> impl Strategy<Value = Vec<u8>> {
    let known = prop::sample::select(vec![
        "HTTP/1.1 200 OK\r\n",
        "HTTP/1.1 100 Continue\r\n\r\n",
        "HTTP/1.0 204 No Content\r\n",
        "POST /a HTTP/1.1\r\n",
        "Content-Length: 5\r\n",
        "Content-Length: 70\r\n",
        "Transfer-Encoding: chunked\r\n",
        "X: y\r\n",
        "\r\n",
        "\n",
        "5\r\nhello\r\n",
        "3;e=f\r\nabc\r\n",
        "0\r\n",
        "0\r\nT: v\r\n\r\n",
        "hello",
        "\r",
        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    ]);
    let piece = prop_oneof![9 => known.prop_map(|text| text.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..8)];
    prop::collection::vec(piece, 0..14).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn how_the_bytes_are_split_changes_nothing(bytes in pieces(), step in 1usize..40, head in 0usize..200) {
        let limits = Limits { head, body: 64 };
        for parser in [|limits| Parser::response(limits, "POST"), Parser::request] {
            let whole = read(parser(limits), &bytes, bytes.len().max(1));
            prop_assert_eq!(&read(parser(limits), &bytes, 1), &whole);
            prop_assert_eq!(&read(parser(limits), &bytes, step), &whole);
            if let Ok((used, message)) = whole {
                prop_assert_eq!(&bytes[..used], message.raw.as_slice());
                prop_assert!(message.body.len() <= limits.body);
                let again = read(parser(limits), &message.raw, 7);
                prop_assert_eq!(again, Ok((used, message)));
            }
        }
    }

    #[test]
    fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..600), after in any::<u8>()) {
        for mut parser in [Parser::response(LIMITS, "GET"), Parser::request(LIMITS)] {
            let first = parser.push(&bytes);
            if first.is_err() {
                prop_assert_eq!(parser.push(&[after]), first);
            }
            let _ = parser.finish();
        }
    }

    #[test]
    fn any_mixture_of_heads_and_words_is_survived(bytes in crate::text::fragments::bytes(), step in 1usize..20) {
        let whole = read(Parser::response(LIMITS, "POST"), &bytes, bytes.len().max(1));
        let cut = read(Parser::response(LIMITS, "POST"), &bytes, step);
        prop_assert_eq!(format!("{whole:?}"), format!("{cut:?}"));
        let _ = read(Parser::request(LIMITS), &bytes, step);
    }

    #[test]
    fn chunks_of_any_cut_give_the_body_back(body in prop::collection::vec(any::<u8>(), 0..64), size in 1usize..20) {
        let mut bytes = b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
        for chunk in body.chunks(size) {
            bytes.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
            bytes.extend_from_slice(chunk);
            bytes.extend_from_slice(b"\r\n");
        }
        bytes.extend_from_slice(b"0\r\n\r\nnext");
        let (used, message) = request(&bytes).unwrap();
        prop_assert_eq!((used, message.body), (bytes.len() - 4, body));
    }
}
