//! A web server's access log, and which method a line of words is about. Invariant: a status counts only behind the request
//! line that it answers; a line that names a method that moves money is never taken for one that does not.

/// A request line and the status that answered it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access<'a> {
    pub method: &'a str,
    pub status: u16,
}

/// The request and the status of `"POST /pay HTTP/1.1" 503 `; None for any other line.
pub fn access(line: &str) -> Option<Access<'_>> {
    // Most lines quote nothing, and one byte is found sooner than six.
    memchr::memchr(b'"', line.as_bytes())?;
    let protocol = line.contains(" HTTP/").then(|| line.find(" HTTP/"))??;
    let (before, behind) = line.split_at_checked(protocol)?;
    let (_, request) = before.rsplit_once('"')?;
    let method = request.split(' ').next().filter(|method| is_method(method))?;
    let (_, behind) = behind.split_once('"')?;
    let digits = behind.strip_prefix(' ').and_then(|behind| behind.get(..3))?;
    let ends = behind.as_bytes().get(4).is_none_or(|next| *next == b' ');
    let status = digits.parse().ok().filter(|status| ends && (100..1000).contains(status))?;
    Some(Access { method, status })
}

/// Whether a method only reads (RFC 9110, 9.2.1).
pub fn only_reads(method: &str) -> bool {
    ["GET", "HEAD", "OPTIONS", "TRACE"].iter().any(|safe| method.eq_ignore_ascii_case(safe))
}

/// Whether a line of words tells of requests, and all of them only read: `GET /health`, Go's `Get "http://…`.
pub fn tells_of_reads_alone(line: &str) -> bool {
    let bytes = line.as_bytes();
    let begins = |at: usize, words: &[&str]| words.iter().any(|word| bytes[at..].starts_with(word.as_bytes()));
    // Most lines name no method at all, and are not looked at word by word.
    let mut capitals = memchr::memchr3_iter(b'G', b'H', b'O', bytes);
    if !capitals.any(|at| begins(at, &["GET", "HEAD", "OPTIONS", "Get \"http"])) {
        return false;
    }
    let mut reads = line.contains("Get \"http");
    for word in bytes.split(|b| !b.is_ascii_alphabetic()) {
        match word {
            b"POST" | b"PUT" | b"PATCH" | b"DELETE" | b"Post" | b"Put" | b"Patch" | b"Delete" => return false,
            b"GET" | b"HEAD" | b"OPTIONS" => reads = true,
            _another => {}
        }
    }
    reads
}

fn is_method(method: &str) -> bool {
    (3..=10).contains(&method.len()) && method.bytes().all(|b| b.is_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_is_the_one_behind_the_request() {
        let line = r#"10.0.0.1 - - [02/Nov/2026:10:00:00 +0000] "POST /pay HTTP/1.1" 503 190 "-" "curl""#;
        assert_eq!(access(line), Some(Access { method: "POST", status: 503 }));
        assert_eq!(access(r#"x "GET / HTTP/2.0" 200"#), Some(Access { method: "GET", status: 200 }));
        for line in [
            r#"[error] 1#1: *2 x, request: "POST /pay HTTP/1.1", upstream: "u""#,
            r#""POST /pay HTTP/1.1" 5031"#,
            r#""POST /pay HTTP/1.1" é03"#,
            r#""POST /pay HTTP/1.1" -"#,
            "POST /pay HTTP/1.1 503",
            "",
        ] {
            assert_eq!(access(line), None, "{line}");
        }
    }

    #[test]
    fn a_line_about_reads_names_no_other_method() {
        assert!(tells_of_reads_alone("GET /health failed: timeout"));
        assert!(tells_of_reads_alone("Get \"http://x/health\": dial tcp: i/o timeout"));
        assert!(!tells_of_reads_alone("GET /health and POST /pay failed"));
        assert!(!tells_of_reads_alone("read timed out"));
    }
}
