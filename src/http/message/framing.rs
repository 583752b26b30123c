//! How long a body is (RFC 9112, 6.3). Invariant: in a request, two statements that disagree are malformed, none wins over
//! the other.

use super::{Head, Malformed};

/// How the end of a body is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// There is no body.
    Empty,
    /// `Content-Length`, in bytes.
    Length(u64),
    Chunked,
    /// By the end of the stream; responses alone.
    UntilClose,
}

impl Framing {
    /// A request without a length has no body.
    pub(super) fn of_request(head: &Head) -> Result<Framing, Malformed> {
        Ok(declared(head)?.unwrap_or(Framing::Empty))
    }

    /// Replies to HEAD, and 1xx, 204 and 304, have no body whatever their headers say.
    pub(super) fn of_response(head: &Head, status: u16, request_method: &str) -> Result<Framing, Malformed> {
        if request_method == "HEAD" || matches!(status, 100..=199 | 204 | 304) {
            return Ok(Framing::Empty);
        }
        // A client may go by the transfer coding where both are given (6.3, rule 3): servers that replay stored headers
        // send such replies, and real clients read them.
        if head.get("transfer-encoding").is_some() {
            return coding(head);
        }
        Ok(declared(head)?.unwrap_or(Framing::UntilClose))
    }
}

fn declared(head: &Head) -> Result<Option<Framing>, Malformed> {
    match (head.get("transfer-encoding").is_some(), head.get("content-length").is_some()) {
        (true, true) => Err(Malformed::LengthAndCoding),
        (true, false) => coding(head).map(Some),
        (false, true) => length(head).map(Some),
        (false, false) => Ok(None),
    }
}

fn coding(head: &Head) -> Result<Framing, Malformed> {
    let codings: Vec<&[u8]> = head.list("transfer-encoding").collect();
    match codings.as_slice() {
        [only] if only.eq_ignore_ascii_case(b"chunked") => Ok(Framing::Chunked),
        _ => Err(Malformed::TransferCoding(joined(&codings))),
    }
}

/// The same number several times over is one number (RFC 9110, 8.6); an empty element is not.
fn length(head: &Head) -> Result<Framing, Malformed> {
    let values: Vec<&[u8]> = head.all("content-length").flat_map(|line| line.split(|b| *b == b',')).collect();
    let numbers: Option<Vec<u64>> = values.iter().map(|value| digits(value.trim_ascii())).collect();
    match numbers.as_deref() {
        Some([first, rest @ ..]) if rest.iter().all(|n| n == first) => Ok(Framing::Length(*first)),
        _ => Err(Malformed::ContentLength(joined(&values))),
    }
}

fn digits(value: &[u8]) -> Option<u64> {
    let all_digits = !value.is_empty() && value.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(value).ok().filter(|_| all_digits)?.parse().ok()
}

/// For a message: the elements as they came, shortened.
fn joined(elements: &[&[u8]]) -> String {
    let text: Vec<_> = elements.iter().map(|element| String::from_utf8_lossy(element.trim_ascii())).collect();
    text.join(", ").chars().take(60).collect()
}
