//! The head of a message: start line and header lines, read by httparse. Invariant: a `Head` exists only for a head that
//! is there whole and valid.

use super::Malformed;

/// Header lines in one head; more are refused.
const MAX_HEADERS: usize = 128;

/// The first line of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// `target` as it stands in the request line (RFC 9112, 3.2).
    Request { method: String, target: String },
    /// `reason` is empty where none was sent or where it is not ASCII.
    Response { status: u16, reason: String },
}

/// Start line and header lines, in the order they came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    pub start: Start,
    /// 0 for HTTP/1.0, 1 for HTTP/1.1.
    pub minor_version: u8,
    /// Names as they were written, values without the white space around them.
    pub headers: Vec<(String, Vec<u8>)>,
}

impl Head {
    /// The first value of a header, whatever its name's letter case. None where there is no such header.
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        self.headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_slice())
    }

    /// All values of a header, in order.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a [u8]> {
        self.headers.iter().filter(move |(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_slice())
    }

    /// The elements of a comma-separated header (RFC 9110, 5.6.1) over all its lines, empty ones left out.
    pub fn list<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a [u8]> {
        self.all(name).flat_map(|line| line.split(|b| *b == b',')).map(<[u8]>::trim_ascii).filter(|e| !e.is_empty())
    }

    /// Whether a comma-separated header names this token, whatever the letter case.
    pub fn has_token(&self, name: &str, token: &str) -> bool {
        self.list(name).any(|element| element.eq_ignore_ascii_case(token.as_bytes()))
    }

    /// The status of a response. None for a request.
    pub fn status(&self) -> Option<u16> {
        match self.start {
            Start::Response { status, .. } => Some(status),
            Start::Request { .. } => None,
        }
    }

    /// What version and `Connection` say about another message on the connection (RFC 9112, 9.3).
    pub(super) fn keeps_alive(&self) -> bool {
        if self.has_token("connection", "close") {
            return false;
        }
        self.minor_version >= 1 || self.has_token("connection", "keep-alive")
    }

    pub(super) fn of_request(bytes: &[u8]) -> Result<Head, Malformed> {
        let mut lines = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut request = httparse::Request::new(&mut lines);
        whole(request.parse(bytes), bytes.len())?;
        let (method, target) = (text(request.method), text(request.path));
        Ok(Head {
            start: Start::Request { method, target },
            minor_version: request.version.unwrap_or(0),
            headers: owned(request.headers),
        })
    }

    pub(super) fn of_response(bytes: &[u8]) -> Result<Head, Malformed> {
        let mut lines = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut response = httparse::Response::new(&mut lines);
        whole(response.parse(bytes), bytes.len())?;
        let status = response.code.unwrap_or(0);
        if status < 100 || status == 101 {
            return Err(Malformed::Status(status));
        }
        Ok(Head {
            start: Start::Response { status, reason: text(response.reason) },
            minor_version: response.version.unwrap_or(0),
            headers: owned(response.headers),
        })
    }

    /// Judges the first line by itself, so that what is not HTTP is known before any blank line.
    pub(super) fn check_start(line: &[u8], request: bool) -> Result<(), Malformed> {
        let result = match request {
            true => httparse::Request::new(&mut []).parse(line),
            false => httparse::Response::new(&mut []).parse(line),
        };
        result.map(drop).map_err(|error| Malformed::StartLine(error.to_string()))
    }
}

fn whole(result: httparse::Result<usize>, len: usize) -> Result<(), Malformed> {
    match result {
        Ok(httparse::Status::Complete(end)) if end == len => Ok(()),
        Ok(_) => Err(Malformed::Header("it does not end at the blank line".into())),
        Err(httparse::Error::TooManyHeaders) => Err(Malformed::TooManyHeaders(MAX_HEADERS)),
        Err(error) => Err(Malformed::Header(error.to_string())),
    }
}

/// httparse leaves out no part of a complete head, so the empty text stands only for an empty reason.
fn text(part: Option<&str>) -> String {
    part.map_or_else(String::new, str::to_owned)
}

fn owned(lines: &[httparse::Header<'_>]) -> Vec<(String, Vec<u8>)> {
    lines.iter().map(|line| (line.name.to_owned(), line.value.to_vec())).collect()
}
