//! HTTP/1.1 message framing (RFC 9112) without I/O: bytes are pushed in, one whole message comes out. Invariant: where
//! the framing is ambiguous the message is refused, never guessed, so that "complete" is always evidence.

mod chunked;
mod content;
mod framing;
mod head;
mod malformed;
mod parser;
#[cfg(test)]
mod tests;

pub use framing::Framing;
pub use head::{Head, Start};
pub use malformed::Malformed;
pub use parser::{Cut, Parser};

/// How much of one message is accepted before it is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of all heads of the message (interim ones too), and again of all chunk extensions and trailers.
    pub head: usize,
    /// Bytes of the decoded body.
    pub body: usize,
}

impl Default for Limits {
    /// 64 KiB of head and 16 MiB of body.
    fn default() -> Limits {
        Limits { head: 64 << 10, body: 16 << 20 }
    }
}

/// One whole message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    pub head: Head,
    /// Decoded: without chunk sizes, extensions and trailers.
    pub body: Vec<u8>,
    /// The exact bytes of the message as they came, interim responses included.
    pub raw: Vec<u8>,
    /// Where in `raw` the body begins, behind all heads, in bytes.
    pub body_at: usize,
    /// The 1xx responses that came before the final one, in order.
    pub interim: Vec<Head>,
    /// How the end of the body was told.
    pub framing: Framing,
}

impl Message {
    /// Whether the connection may carry another message after this one (RFC 9112, 9.3). Always false where only the
    /// end of the stream ended the body, and for an HTTP/1.0 message with a transfer coding (6.1).
    pub fn keeps_alive(&self) -> bool {
        match self.framing {
            Framing::UntilClose => false,
            Framing::Chunked if self.head.minor_version == 0 => false,
            Framing::Chunked | Framing::Empty | Framing::Length(_) => self.head.keeps_alive(),
        }
    }
}
