//! Lines of a file or stream, one at a time. Invariant: memory is bounded by the longest line that is accepted, however
//! long the input or a line of it is.

use std::io::{self, BufRead, Read};

/// Longest line that is read, bytes.
pub const LONGEST: usize = 16 << 20;

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

pub struct Lines<R> {
    input: R,
    number: u64,
    buffer: Vec<u8>,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// Without its newline. `ended` tells whether there was one: only the last line may lack it.
    Text { bytes: &'a [u8], ended: bool },
    /// Longer than `LONGEST`; passed over.
    TooLong,
}

impl<R: BufRead> Lines<R> {
    pub fn new(input: R) -> Lines<R> {
        Lines { input, number: 0, buffer: Vec::new() }
    }

    /// The next line and its number, counted from 1; None at the end. A byte order mark before the first is dropped.
    pub fn next(&mut self) -> io::Result<Option<(u64, Line<'_>)>> {
        self.buffer.clear();
        let limit = LONGEST as u64 + 1;
        if self.input.by_ref().take(limit).read_until(b'\n', &mut self.buffer)? == 0 {
            return Ok(None);
        }
        self.number += 1;
        let ended = self.buffer.last() == Some(&b'\n');
        if self.buffer.len() > LONGEST && !ended {
            self.input.skip_until(b'\n')?;
            return Ok(Some((self.number, Line::TooLong)));
        }
        let mut bytes = self.buffer.strip_suffix(b"\n").unwrap_or(&self.buffer);
        if self.number == 1 {
            bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
        }
        Ok(Some((self.number, Line::Text { bytes, ended })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8], ended: bool) -> Line<'_> {
        Line::Text { bytes, ended }
    }

    #[test]
    fn the_last_line_may_lack_its_newline() {
        let mut lines = Lines::new("\u{feff}a\n\nb".as_bytes());
        assert_eq!(lines.next().unwrap(), Some((1, text(b"a", true))));
        assert_eq!(lines.next().unwrap(), Some((2, text(b"", true))));
        assert_eq!(lines.next().unwrap(), Some((3, text(b"b", false))));
        assert_eq!(lines.next().unwrap(), None);
    }

    #[test]
    fn a_line_too_long_is_passed_over_and_the_next_is_read() {
        let longest = "x".repeat(LONGEST);
        let input = format!("{longest}\n{longest}y\nz\n");
        let mut lines = Lines::new(input.as_bytes());
        assert_eq!(lines.next().unwrap(), Some((1, text(longest.as_bytes(), true))));
        assert_eq!(lines.next().unwrap(), Some((2, Line::TooLong)));
        assert_eq!(lines.next().unwrap(), Some((3, text(b"z", true))));
        assert_eq!(lines.next().unwrap(), None);
    }
}
