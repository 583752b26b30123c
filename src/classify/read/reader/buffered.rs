//! A stream of bytes with a window on what is unread. Invariant: the window grows no further than the longest value
//! allowed, and the place of its start is known.

use std::io::{self, Read};

use super::LONGEST;

/// Bytes asked for at a time.
pub const CHUNK: usize = 256 << 10;

/// A place in the input; both count from 1, the column in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    pub line: u64,
    pub column: u64,
}

/// The buffered input and where it stands.
pub struct Buffered<R> {
    input: R,
    buffer: Vec<u8>,
    /// The unread part of the buffer.
    start: usize,
    end: usize,
    at: Position,
    over: bool,
}

impl<R: Read> Buffered<R> {
    pub fn new(input: R) -> Buffered<R> {
        let at = Position { line: 1, column: 1 };
        Buffered { input, buffer: vec![0; CHUNK], start: 0, end: 0, at, over: false }
    }

    /// Where the unread part begins.
    #[inline]
    pub fn at(&self) -> Position {
        self.at
    }

    #[inline]
    pub fn unread(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Passes over a byte order mark.
    pub fn skip_mark(&mut self) -> io::Result<()> {
        while self.end < 3 && self.fill()? {}
        if self.buffer[..self.end].starts_with(&[0xEF, 0xBB, 0xBF]) {
            self.start = 3;
        }
        Ok(())
    }

    /// Passes over everything up to and with the next line end.
    pub fn skip_line(&mut self) -> io::Result<()> {
        loop {
            if let Some(length) = memchr::memchr(b'\n', self.unread()) {
                self.end_line(length);
                return Ok(());
            }
            self.advance_in_line(self.unread().len());
            if !self.fill()? {
                return Ok(());
            }
        }
    }

    /// The length of the line that begins here, without its end. None if it is too long.
    #[inline]
    pub fn line_length(&mut self) -> io::Result<Option<usize>> {
        let mut seen = 0;
        loop {
            if let Some(more) = memchr::memchr(b'\n', &self.buffer[self.start + seen..self.end]) {
                return Ok(Some(seen + more).filter(|length| *length <= LONGEST));
            }
            seen = self.unread().len();
            if seen > LONGEST {
                return Ok(None);
            }
            if !self.fill()? {
                return Ok(Some(seen));
            }
        }
    }

    /// Reads more behind what is unread. False at the end of the input.
    pub fn fill(&mut self) -> io::Result<bool> {
        if self.over {
            return Ok(false);
        }
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.buffer.len() > 4 * CHUNK && self.end < CHUNK {
            self.buffer.truncate(2 * CHUNK);
            self.buffer.shrink_to_fit();
        }
        if self.end == self.buffer.len() {
            let length = (2 * self.buffer.len()).min(LONGEST + 2 * CHUNK);
            self.buffer.resize(length, 0);
        }
        let read = retried(&mut self.input, &mut self.buffer[self.end..])?;
        self.end += read;
        self.over = read == 0;
        Ok(read > 0)
    }

    /// Passes over bytes that may hold line ends.
    pub fn advance(&mut self, length: usize) {
        self.at = self.position_of(length);
        self.start += length;
    }

    pub fn advance_in_line(&mut self, length: usize) {
        self.at.column += length as u64;
        self.start += length;
    }

    /// Passes over the rest of a line, of this length, and its end.
    #[inline]
    pub fn end_line(&mut self, length: usize) {
        self.start = (self.start + length + 1).min(self.end);
        self.at = Position { line: self.at.line + 1, column: 1 };
    }

    /// Where the byte so far behind the start stands.
    pub fn position_of(&self, length: usize) -> Position {
        let passed = &self.buffer[self.start..self.start + length];
        match memchr::memrchr(b'\n', passed) {
            None => Position { column: self.at.column + length as u64, ..self.at },
            Some(last) => Position {
                line: self.at.line + memchr::memchr_iter(b'\n', passed).count() as u64,
                column: (length - last) as u64,
            },
        }
    }
}

/// A signal that was handled is no end of the input.
fn retried(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match input.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}
