//! Bytes to try every reader with: wordings, JSON and log prefixes in pieces, letters of several bytes, anything at all.
//! Invariant: for tests alone.

use proptest::prelude::*;

use crate::classify::judge::vocabulary::rows;

const PIECES: &[&str] = &[
    "{\"",
    "\":",
    "{",
    "}",
    "[",
    "]",
    ",",
    "\"",
    "\\",
    "\\u00",
    "\n",
    "\r\n",
    "\n    ",
    "\t",
    "\0",
    "\u{1b}[31m",
    "\u{1b}]8;;",
    "\u{feff}",
    "ü",
    "日本",
    "🦀",
    "e\u{301}",
    "\u{202e}",
    "503",
    "é03",
    "2026-11-02T10:00:00Z ",
    "[2026-11-02 10:00:00] ",
    "Nov  2 10:00:00 host pay[12]: ",
    "web-1  | ",
    "[pod/a/b] ",
    "E1102 10:00:00.1 1 a.go:1] ",
    "E, [2026-11-02T10:00:00 #1] -- : ",
    "\"POST /pay HTTP/1.1\" 503 ",
    "GET ",
    "Traceback (most recent call last):",
    "  File \"a.py\", line 1",
    "\tat a.B(c)",
    "Caused by:",
    "#0 x",
    "goroutine 1",
    "[cause]: {",
    "\"intent\":\"a\"",
    "\"key\":",
    "\"status\":503",
    "\"log\":\"",
    "\"events\":[",
    "intent=",
    "=\"",
    "attempt=1 kind=x",
    "intent,status,error",
    "null",
    "-1",
    "1e9",
    "key",
    "{\"intent\":{},\"key\":\"k\"}",
    "HTTP/1.1 200 OK\r\n",
    "Content-Length: 5\r\n",
    "Transfer-Encoding: chunked\r\n",
    "\r\n\r\n",
    ", message=",
    "\u{1f}\u{8b}\u{8}",
];

/// Any mixture of them.
pub fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let wordings: Vec<&str> = rows().map(|row| row.pattern.trim_matches(['|', '^', '$', '#'])).collect();
    let wording = prop::sample::select(wordings).prop_map(str::to_owned);
    let piece = prop_oneof![
        4 => prop::sample::select(PIECES).prop_map(|piece| piece.as_bytes().to_vec()),
        2 => wording.prop_map(|words: String| words.into_bytes()),
        1 => ".{0,8}".prop_map(String::into_bytes),
        1 => prop::collection::vec(any::<u8>(), 0..8),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}
