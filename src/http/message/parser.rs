//! Bytes to one message, however they are split. Invariant: the outcome depends on the bytes alone, not on how they were
//! cut into pushes, and nothing behind the message's end is consumed.

use super::chunked::Chunked;
use super::{Framing, Head, Limits, Malformed, Message};

/// Where the end of the stream cut the message off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// No byte of it had come.
    BeforeFirstByte,
    /// In the head; also between an interim response and the final one.
    InHead,
    InBody,
}

/// What a message is read as.
#[derive(Debug)]
enum Role {
    Request,
    /// To a request with this method.
    Response(String),
}

#[derive(Debug)]
enum State {
    Head,
    /// So many bytes of body are missing.
    Sized(u64),
    Chunked(Chunked),
    UntilClose,
    Complete,
}

/// Reads one message. After an error it stays in error.
#[derive(Debug)]
pub struct Parser {
    role: Role,
    limits: Limits,
    state: State,
    raw: Vec<u8>,
    /// Where in `raw` the head that is being read begins.
    head_start: usize,
    /// Where in `raw` the line that is being read begins.
    line_start: usize,
    interim: Vec<Head>,
    /// Where in `raw` the body begins, once the head is there.
    body_at: usize,
    /// With its framing, once it is there.
    head: Option<(Head, Framing)>,
    body: Vec<u8>,
    failed: Option<Malformed>,
}

impl Parser {
    pub fn request(limits: Limits) -> Parser {
        Parser::new(Role::Request, limits)
    }

    /// `request_method` decides whether the reply has a body (HEAD has none). CONNECT is not served.
    pub fn response(limits: Limits, request_method: &str) -> Parser {
        Parser::new(Role::Response(request_method.to_owned()), limits)
    }

    fn new(role: Role, limits: Limits) -> Parser {
        Parser {
            role,
            limits,
            state: State::Head,
            raw: Vec::new(),
            head_start: 0,
            line_start: 0,
            body_at: 0,
            interim: Vec::new(),
            head: None,
            body: Vec::new(),
            failed: None,
        }
    }

    /// Takes bytes and returns how many it consumed: fewer than it was given only where the message ends among them.
    pub fn push(&mut self, bytes: &[u8]) -> Result<usize, Malformed> {
        if let Some(malformed) = &self.failed {
            return Err(malformed.clone());
        }
        let mut used = 0;
        while used < bytes.len() && !self.is_complete() {
            match self.step(&bytes[used..]) {
                Ok(count) => used += count,
                Err(malformed) => {
                    self.failed = Some(malformed.clone());
                    return Err(malformed);
                }
            }
        }
        Ok(used)
    }

    /// The stream has ended: completes an until-close body, else says where the message was cut off.
    pub fn finish(&mut self) -> Result<(), Cut> {
        if matches!(self.state, State::UntilClose) && self.failed.is_none() {
            self.state = State::Complete;
        }
        self.missing().map_or(Ok(()), Err)
    }

    /// Where the message would be cut off if nothing more came; None where it is complete.
    pub fn missing(&self) -> Option<Cut> {
        match self.state {
            State::Complete => None,
            // A client may end its last request with an empty line too many (RFC 9112, 2.2).
            State::Head if self.raw.iter().all(|b| matches!(b, b'\r' | b'\n')) => Some(Cut::BeforeFirstByte),
            State::Head => Some(Cut::InHead),
            State::Sized(_) | State::Chunked(_) | State::UntilClose => Some(Cut::InBody),
        }
    }

    pub fn is_complete(&self) -> bool {
        matches!(self.state, State::Complete)
    }

    /// The final head, as soon as it is there, before the body is.
    pub fn head(&self) -> Option<&Head> {
        self.head.as_ref().map(|(head, _)| head)
    }

    /// The head and as much of the body as came, of a message that may have broken off; None without a whole head.
    pub fn into_partial(self) -> Option<(Head, Vec<u8>)> {
        self.head.map(|(head, _)| (head, self.body))
    }

    /// The whole message.
    ///
    /// # Panics
    /// Where the message is not complete: ask [`Parser::is_complete`] first.
    pub fn into_message(self) -> Message {
        assert!(self.is_complete(), "the message is not complete");
        let (head, framing) = self.head.expect("a complete message has a head");
        Message { head, body: self.body, raw: self.raw, body_at: self.body_at, interim: self.interim, framing }
    }

    /// Consumes at least one byte of `bytes`, which are not empty, or fails.
    fn step(&mut self, bytes: &[u8]) -> Result<usize, Malformed> {
        let count = match &mut self.state {
            State::Head => return self.take_line(bytes),
            State::Complete => 0,
            State::Sized(left) => {
                let count = usize::try_from(*left).map_or(bytes.len(), |left| left.min(bytes.len()));
                *left -= count as u64;
                self.body.extend_from_slice(&bytes[..count]);
                count
            }
            State::Chunked(chunked) => chunked.take(bytes, &mut self.body, self.limits)?,
            State::UntilClose if self.body.len() + bytes.len() > self.limits.body => {
                return Err(Malformed::BodyTooLong(self.limits.body));
            }
            State::UntilClose => {
                self.body.extend_from_slice(bytes);
                bytes.len()
            }
        };
        self.raw.extend_from_slice(&bytes[..count]);
        let ended = match &self.state {
            State::Sized(left) => *left == 0,
            State::Chunked(chunked) => chunked.is_done(),
            State::Head | State::UntilClose | State::Complete => false,
        };
        if ended {
            self.state = State::Complete;
        }
        Ok(count)
    }

    /// Takes bytes up to the end of the head's present line, and judges the line if it ends.
    fn take_line(&mut self, bytes: &[u8]) -> Result<usize, Malformed> {
        let end = bytes.iter().position(|b| *b == b'\n').map(|at| at + 1);
        let wanted = end.unwrap_or(bytes.len());
        let count = wanted.min(self.limits.head - self.raw.len());
        self.raw.extend_from_slice(&bytes[..count]);
        self.check_protocol()?;
        if count < wanted {
            return Err(Malformed::HeadTooLong(self.limits.head));
        }
        if end.is_some() {
            self.end_line()?;
        }
        Ok(count)
    }

    /// What does not begin with `HTTP/` is not a reply, and that is known before any line ends (HTTP/0.9, a banner).
    fn check_protocol(&self) -> Result<(), Malformed> {
        let begun = &self.raw[self.head_start..];
        let same = begun.iter().zip(b"HTTP/").all(|(byte, expected)| byte == expected);
        match self.role {
            Role::Response(_) if !same => Err(Malformed::StartLine("it does not begin with HTTP/".into())),
            Role::Response(_) | Role::Request => Ok(()),
        }
    }

    fn end_line(&mut self) -> Result<(), Malformed> {
        let line = &self.raw[self.line_start..];
        let is_blank = matches!(line, b"\n" | b"\r\n");
        let is_first = self.line_start == self.head_start;
        if is_first && is_blank {
            // Empty lines before a request are skipped (RFC 9112, 2.2).
            self.head_start = self.raw.len();
        } else if is_first {
            Head::check_start(line, matches!(self.role, Role::Request))?;
        }
        self.line_start = self.raw.len();
        if is_blank && !is_first { self.end_head() } else { Ok(()) }
    }

    fn end_head(&mut self) -> Result<(), Malformed> {
        let bytes = &self.raw[self.head_start..];
        let (head, framing) = match &self.role {
            Role::Request => {
                let head = Head::of_request(bytes)?;
                let framing = Framing::of_request(&head)?;
                (head, framing)
            }
            Role::Response(method) => {
                let head = Head::of_response(bytes)?;
                let status = head.status().unwrap_or(0);
                if status < 200 {
                    self.interim.push(head);
                    self.head_start = self.raw.len();
                    return Ok(());
                }
                let framing = Framing::of_response(&head, status, method)?;
                (head, framing)
            }
        };
        self.state = match framing {
            Framing::Empty | Framing::Length(0) => State::Complete,
            Framing::Length(length) if length > self.limits.body as u64 => {
                return Err(Malformed::BodyTooLong(self.limits.body));
            }
            Framing::Length(length) => State::Sized(length),
            Framing::Chunked => State::Chunked(Chunked::new()),
            Framing::UntilClose => State::UntilClose,
        };
        self.body_at = self.raw.len();
        self.head = Some((head, framing));
        Ok(())
    }
}
