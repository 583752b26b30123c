//! Why bytes are not an acceptable HTTP/1.1 message. Invariant: each reason names the part and, for a bound, the bound.

use std::fmt;

/// The bytes cannot be framed; nothing after them on the connection can be either.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// The heads of one message together exceed so many bytes.
    HeadTooLong(usize),
    /// The decoded body exceeds so many bytes.
    BodyTooLong(usize),
    /// Chunk extensions and trailers together exceed so many bytes.
    ChunkNotesTooLong(usize),
    /// More header lines than this.
    TooManyHeaders(usize),
    /// Not an HTTP/1.x status line or request line; the parser's reason.
    StartLine(String),
    /// A header line that cannot be read; the parser's reason.
    Header(String),
    /// 101, which we never ask for, or a status below 100.
    Status(u16),
    /// `Content-Length` is not a number, or its values differ; the values as they came.
    ContentLength(String),
    /// Both `Content-Length` and `Transfer-Encoding` (RFC 9112, 6.3: a smuggling vector).
    LengthAndCoding,
    /// A transfer coding other than `chunked` alone.
    TransferCoding(String),
    /// A chunk size line that is not a hexadecimal number of at most 64 bits, or has a stray byte.
    ChunkSize,
    /// A chunk's data does not end in CR LF at the length that was announced.
    ChunkEnd,
    /// A trailer line that does not end in CR LF.
    Trailer,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Malformed::HeadTooLong(limit) => write!(f, "head longer than {limit} bytes"),
            Malformed::BodyTooLong(limit) => write!(f, "body longer than {limit} bytes"),
            Malformed::ChunkNotesTooLong(limit) => {
                write!(f, "chunk extensions and trailers longer than {limit} bytes")
            }
            Malformed::TooManyHeaders(limit) => write!(f, "more than {limit} header lines"),
            Malformed::StartLine(reason) => write!(f, "not an HTTP/1 start line ({reason})"),
            Malformed::Header(reason) => write!(f, "unreadable header line ({reason})"),
            Malformed::Status(status) => write!(f, "status {status:03} cannot answer the request"),
            Malformed::ContentLength(values) => write!(f, "bad or differing content-length `{values}`"),
            Malformed::LengthAndCoding => f.write_str("both content-length and transfer-encoding"),
            Malformed::TransferCoding(codings) => write!(f, "unknown transfer coding `{codings}`"),
            Malformed::ChunkSize => f.write_str("bad chunk size"),
            Malformed::ChunkEnd => f.write_str("chunk data does not end where its size says"),
            Malformed::Trailer => f.write_str("bad trailer line"),
        }
    }
}

impl std::error::Error for Malformed {}
