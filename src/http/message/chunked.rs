//! The chunked transfer coding (RFC 9112, 7.1), decoded byte by byte and in slices. Invariant: lines end in CR LF and
//! nothing else; extensions and trailers are bounded and dropped.

use super::{Limits, Malformed};

/// Digits of a chunk size: 64 bits.
const MAX_DIGITS: u8 = 16;

#[derive(Clone, Copy, Debug)]
enum Part {
    Size {
        value: u64,
        digits: u8,
    },
    /// White space after the size, before `;` or CR.
    AfterSize {
        size: u64,
    },
    Extension {
        size: u64,
    },
    SizeLf {
        size: u64,
    },
    Data {
        left: u64,
    },
    DataCr,
    DataLf,
    Trailer {
        line_is_empty: bool,
    },
    TrailerLf {
        line_is_empty: bool,
    },
    Done,
}

#[derive(Debug)]
pub(super) struct Chunked {
    part: Part,
    /// Bytes of extensions and trailers so far.
    notes: usize,
}

impl Chunked {
    pub(super) fn new() -> Chunked {
        Chunked { part: Part::Size { value: 0, digits: 0 }, notes: 0 }
    }

    pub(super) fn is_done(&self) -> bool {
        matches!(self.part, Part::Done)
    }

    /// Takes what it can at once from `bytes`, which are not empty, and returns how many it took: at least one, unless
    /// the body is done.
    pub(super) fn take(&mut self, bytes: &[u8], body: &mut Vec<u8>, limits: Limits) -> Result<usize, Malformed> {
        if let Part::Data { left } = self.part {
            return Ok(self.take_data(bytes, body, left));
        }
        let Some(&byte) = bytes.first() else { return Ok(0) };
        if matches!(self.part, Part::Done) {
            return Ok(0);
        }
        self.part = self.next(byte, limits)?;
        if let Part::Data { left } = self.part {
            let room = limits.body.saturating_sub(body.len());
            if u64::try_from(room).is_ok_and(|room| left > room) {
                return Err(Malformed::BodyTooLong(limits.body));
            }
        }
        Ok(1)
    }

    fn take_data(&mut self, bytes: &[u8], body: &mut Vec<u8>, left: u64) -> usize {
        let count = usize::try_from(left).map_or(bytes.len(), |left| left.min(bytes.len()));
        body.extend_from_slice(&bytes[..count]);
        let left = left - count as u64;
        self.part = if left == 0 { Part::DataCr } else { Part::Data { left } };
        count
    }

    fn next(&mut self, byte: u8, limits: Limits) -> Result<Part, Malformed> {
        Ok(match (self.part, byte) {
            (Part::Size { value, digits }, b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F') => size(value, digits, byte)?,
            (Part::Size { value, digits: 1.. } | Part::AfterSize { size: value }, _) => after_size(value, byte)?,
            (Part::Size { .. }, _) => return Err(Malformed::ChunkSize),
            (Part::Extension { size }, b'\r') => Part::SizeLf { size },
            (Part::Extension { .. }, b'\n') => return Err(Malformed::ChunkSize),
            (Part::Extension { .. }, _) => self.note(limits)?,
            (Part::SizeLf { size: 0 }, b'\n') => Part::Trailer { line_is_empty: true },
            (Part::SizeLf { size }, b'\n') => Part::Data { left: size },
            (Part::SizeLf { .. }, _) => return Err(Malformed::ChunkSize),
            (Part::DataCr, b'\r') => Part::DataLf,
            (Part::DataLf, b'\n') => Part::Size { value: 0, digits: 0 },
            (Part::DataCr | Part::DataLf, _) => return Err(Malformed::ChunkEnd),
            (Part::Trailer { line_is_empty }, b'\r') => Part::TrailerLf { line_is_empty },
            (Part::Trailer { .. }, b'\n') => return Err(Malformed::Trailer),
            (Part::Trailer { .. }, _) => {
                self.part = Part::Trailer { line_is_empty: false };
                self.note(limits)?
            }
            (Part::TrailerLf { line_is_empty: true }, b'\n') => Part::Done,
            (Part::TrailerLf { line_is_empty: false }, b'\n') => Part::Trailer { line_is_empty: true },
            (Part::TrailerLf { .. }, _) => return Err(Malformed::Trailer),
            (part @ (Part::Data { .. } | Part::Done), _) => part,
        })
    }

    /// Counts one byte of an extension or trailer; the part stays.
    fn note(&mut self, limits: Limits) -> Result<Part, Malformed> {
        self.notes += 1;
        if self.notes > limits.head { Err(Malformed::ChunkNotesTooLong(limits.head)) } else { Ok(self.part) }
    }
}

fn size(value: u64, digits: u8, byte: u8) -> Result<Part, Malformed> {
    if digits == MAX_DIGITS {
        return Err(Malformed::ChunkSize);
    }
    let digit = char::from(byte).to_digit(16).ok_or(Malformed::ChunkSize)?;
    Ok(Part::Size { value: (value << 4) | u64::from(digit), digits: digits + 1 })
}

fn after_size(size: u64, byte: u8) -> Result<Part, Malformed> {
    match byte {
        b'\r' => Ok(Part::SizeLf { size }),
        b';' => Ok(Part::Extension { size }),
        b' ' | b'\t' => Ok(Part::AfterSize { size }),
        _ => Err(Malformed::ChunkSize),
    }
}
