//! Each language's traces, and what must not be joined.

use super::super::prefix;
use super::*;

/// The blocks of a text, each with the words that were kept.
fn blocks(text: &str) -> Vec<String> {
    let (mut block, mut all) = (Block::default(), Vec::new());
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let stripped = prefix::strip(line);
        if !block.takes(&stripped, false) {
            if block.at.is_some() {
                all.push(block.text.clone());
            }
            block.begin(Position { line: number as u64 + 1, column: 1 }, &stripped);
        }
    }
    all.push(block.text);
    all
}

#[test]
fn a_trace_is_one_block_without_its_frames() {
    for (trace, kept) in [
        (
            "2026-11-02 10:00:00,1 ERROR charge failed\nTraceback (most recent call last):\n  File \"a.py\", line 1, in f\n    \
             raise ReadTimeout(e)\nhttpx.ConnectTimeout: timed out\n\nDuring handling of the above exception, another exception \
             occurred:\n\nTraceback (most recent call last):\n  File \"b.py\", line 2, in g\n    g()\nPayError: gave up",
            vec![
                "ERROR charge failed",
                "Traceback (most recent call last):",
                "httpx.ConnectTimeout: timed out",
                "During handling of the above exception, another exception occurred:",
                "Traceback (most recent call last):",
                "PayError: gave up",
            ],
        ),
        (
            "2026-11-02 10:00:00 ERROR [main] Pay - charge failed\njava.net.ConnectException: Connection refused\n\tat a.B.c(B.java:1)\n\t\
             Suppressed: java.io.IOException: x\n\t\tat a.B.d(B.java:2)\nCaused by: java.io.IOException: y\n\t... 3 more",
            vec![
                "ERROR [main] Pay - charge failed",
                "java.net.ConnectException: Connection refused",
                "Suppressed: java.io.IOException: x",
                "Caused by: java.io.IOException: y",
            ],
        ),
        (
            "TypeError: fetch failed\n    at node:internal/deps/undici:1:1 {\n  [cause]: Error: connect ECONNREFUSED 127.0.0.1:80\n      \
             at TCPConnectWrap (net.js:1) {\n    code: 'ECONNREFUSED',\n    config: {\n      timeout: 5000\n    },\n    port: 80\n  }\n}",
            vec![
                "TypeError: fetch failed",
                "[cause]: Error: connect ECONNREFUSED 127.0.0.1:80",
                "code: 'ECONNREFUSED',",
                "config: {",
                "port: 80",
                "}",
                "}",
            ],
        ),
        (
            "panic: Post \"http://x\": EOF\n\ngoroutine 1 [running]:\nmain.main()\n\t/tmp/x.go:12 +0x1d\nexit status 2",
            vec!["panic: Post \"http://x\": EOF", "goroutine 1 [running]:"],
        ),
        (
            "Error: charge failed\n\nCaused by:\n    0: error sending request\n    1: connection refused",
            vec!["Error: charge failed", "Caused by:", "0: error sending request", "1: connection refused"],
        ),
        (
            "x.HttpRequestException: refused\n ---> y.SocketException (111): Connection refused\n   at y.Z()\n   --- End of inner exception stack trace ---",
            vec!["x.HttpRequestException: refused", "---> y.SocketException (111): Connection refused"],
        ),
        (
            "PHP Fatal error:  Uncaught A\\ConnectException: cURL error 7 in /a.php:1\nStack trace:\n#0 /a.php(1): f()\n#1 {main}\n  thrown in /a.php on line 1",
            vec!["PHP Fatal error:  Uncaught A\\ConnectException: cURL error 7 in /a.php:1", "Stack trace:"],
        ),
        (
            "/net/http.rb:9:in `initialize': Failed to open TCP connection (Errno::ECONNREFUSED)\n\tfrom /net/http.rb:9:in `open'\n\tfrom a.rb:1:in `<main>'",
            vec!["/net/http.rb:9:in `initialize': Failed to open TCP connection (Errno::ECONNREFUSED)"],
        ),
        (
            "thread 'main' panicked at src/main.rs:1:2:\ncalled `Result::unwrap()` on an `Err` value: refused\nstack backtrace:\n   0: rust_begin_unwind\n   \
             1: core::panicking",
            vec![
                "thread 'main' panicked at src/main.rs:1:2:",
                "called `Result::unwrap()` on an `Err` value: refused",
                "stack backtrace:",
            ],
        ),
    ] {
        assert_eq!(blocks(trace), [kept.join("\n")], "{trace}");
    }
}

#[test]
fn lines_that_may_tell_of_calls_of_their_own_stay_apart() {
    for text in [
        "read timed out\nConnection refused",
        "2026-11-02 10:00:00 read timed out\n2026-11-02 10:00:01 Connection refused",
        "2026-11-02 10:00:00 read timed out\ncharge two: Connection refused",
        "a read timed out\n  charge two: Connection refused",
    ] {
        assert_eq!(blocks(text).len(), 2, "{text}");
    }
    let two = "Traceback (most recent call last):\n  File \"a.py\", line 1\nReadTimeout: x\n";
    assert_eq!(blocks(&format!("{two}{two}")).len(), 2);
}

#[test]
fn a_trace_under_a_collectors_time_is_joined_as_well() {
    let text = "2026-11-02T10:00:00.1Z Traceback (most recent call last):\n2026-11-02T10:00:00.1Z   File \"a.py\", line 1\n\
                2026-11-02T10:00:00.1Z ReadTimeout: x\n2026-11-02T10:00:00.2Z other";
    assert_eq!(blocks(text), ["Traceback (most recent call last):\nReadTimeout: x", "other"]);
}
