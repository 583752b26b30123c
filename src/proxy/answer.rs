//! Replies that the proxy makes by itself. Invariant: each says that it comes from the proxy, as a JSON problem (RFC 9457).

use hyper::StatusCode;
use serde_json::json;

/// The bytes of a reply with a problem body; to HEAD without the body (RFC 9110, 9.3.2). `retry_after` is in seconds.
pub fn problem(status: u16, detail: &str, retry_after: Option<u64>, method: &str, close: bool) -> Vec<u8> {
    let body =
        json!({ "status": status, "title": reason(status), "detail": format!("idem proxy: {detail}") }).to_string();
    let retry = retry_after.map(|seconds| format!("retry-after: {seconds}\r\n")).into_iter().collect::<String>();
    let connection = if close { "connection: close\r\n" } else { "" };
    let head = format!(
        "HTTP/1.1 {status} {}\r\ncontent-type: application/problem+json\r\ncontent-length: {}\r\n{retry}{connection}\r\n",
        reason(status),
        body.len(),
    );
    if method == "HEAD" { head.into_bytes() } else { (head + &body).into_bytes() }
}

/// The phrase of the registry (RFC 9110, 16.2.1).
fn reason(status: u16) -> &'static str {
    let phrase = StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason());
    phrase.unwrap_or("Unassigned")
}
