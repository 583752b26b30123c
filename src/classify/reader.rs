//! Values from a stream of bytes: JSON lines, a list, one object over many lines, values one after another. Invariant:
//! memory is bounded by the longest value allowed, and nothing that can be read is lost behind something that cannot.

use std::io::{self, Read};

use super::frame::{Frame, Step};

/// The longest value, or line of words, in bytes.
pub const LONGEST: usize = 16 << 20;
/// Bytes asked for at a time.
const CHUNK: usize = 256 << 10;

/// A place in the input; both count from 1, the column in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    pub line: u64,
    pub column: u64,
}

/// Why a value was refused, and where.
#[derive(Debug, PartialEq, Eq)]
pub struct Refused {
    pub at: Position,
    pub why: String,
}

/// What is made of the values.
pub trait Sink {
    /// Takes one value, whole. An error means that it took nothing.
    fn value(&mut self, at: Position, bytes: &[u8]) -> Result<(), Refused>;
    /// Takes note of what could not be read.
    fn refused(&mut self, refused: Refused);
    /// Whether nobody wants more.
    fn done(&self) -> bool;
}

/// The buffered input and where it stands.
pub struct Reader<R> {
    input: R,
    buffer: Vec<u8>,
    /// The unread part of the buffer.
    start: usize,
    end: usize,
    at: Position,
    /// Where the open list began. None outside a list.
    list: Option<Position>,
    /// A list was given up, so its closing bracket means nothing.
    orphan: bool,
    over: bool,
}

impl<R: Read> Reader<R> {
    pub fn new(input: R) -> Reader<R> {
        let at = Position { line: 1, column: 1 };
        Reader { input, buffer: vec![0; CHUNK], start: 0, end: 0, at, list: None, orphan: false, over: false }
    }

    /// Hands every value to the sink.
    pub fn values(&mut self, sink: &mut impl Sink) -> io::Result<()> {
        self.skip_mark()?;
        while !sink.done() && self.skip_between()? {
            let byte = self.buffer[self.start];
            match byte {
                b'[' if self.list.is_none() => {
                    self.list = Some(self.at);
                    self.advance(1);
                }
                b']' if self.list.is_some() || self.orphan => {
                    (self.list, self.orphan) = (None, false);
                    self.advance(1);
                }
                _ if self.list.is_none() && self.whole_line(sink)? => {}
                _ => self.framed(sink)?,
            }
        }
        match self.list.take() {
            Some(at) if !sink.done() => sink.refused(refused(at, "the list that begins here is not closed")),
            _ => {}
        }
        Ok(())
    }

    /// Hands every line that is not blank to the sink, without its end.
    pub fn lines(&mut self, sink: &mut impl Sink) -> io::Result<()> {
        self.skip_mark()?;
        while !sink.done() && (self.start < self.end || self.fill()?) {
            let at = self.at;
            let Some(length) = self.line_length()? else {
                sink.refused(refused(at, TOO_LONG));
                self.skip_line()?;
                continue;
            };
            let line = trim(&self.buffer[self.start..self.start + length]);
            if !line.is_empty() {
                sink.value(at, line).unwrap_or_else(|refused| sink.refused(refused));
            }
            self.end_line(length);
        }
        Ok(())
    }

    /// The fast way: one value a line. False where the line is not exactly one value.
    fn whole_line(&mut self, sink: &mut impl Sink) -> io::Result<bool> {
        let Some(length) = self.line_length()? else { return Ok(false) };
        let line = trim(&self.buffer[self.start..self.start + length]);
        if !matches!(line, [b'{', .., b'}'] | [b'"', .., b'"']) || sink.value(self.at, line).is_err() {
            return Ok(false);
        }
        self.end_line(length);
        Ok(true)
    }

    /// The careful way: finds the end of the value first.
    fn framed(&mut self, sink: &mut impl Sink) -> io::Result<()> {
        let (at, mut frame, mut length) = (self.at, Frame::new(), 0);
        loop {
            let step = frame.feed(&self.buffer[self.start + length..self.end]);
            match step {
                Step::More if self.end - self.start > LONGEST => {
                    sink.refused(refused(at, TOO_LONG));
                    return self.skip_value(frame);
                }
                Step::More => {
                    length = self.end - self.start;
                    if !self.fill()? {
                        break self.cut_off(at, frame, sink)?;
                    }
                }
                Step::Complete(more) if length + more > LONGEST => {
                    sink.refused(refused(at, TOO_LONG));
                    break self.pass_over(length + more)?;
                }
                Step::Complete(more) => break self.take(at, length + more, sink)?,
                Step::Broken(more, why) => {
                    sink.refused(broken(at, self.position_of(length + more), why));
                    break self.resume_after_first_line()?;
                }
            }
        }
        Ok(())
    }

    /// Passes over a value that was refused, and over what follows it in its line.
    fn pass_over(&mut self, length: usize) -> io::Result<()> {
        self.advance(length);
        if self.list.is_none() { self.skip_line() } else { Ok(()) }
    }

    fn take(&mut self, at: Position, length: usize, sink: &mut impl Sink) -> io::Result<()> {
        let text = self.buffer[self.start] == b'"';
        let taken = if text && self.next_in_line(length)? == Some(b':') {
            // What is left of an object that was given up.
            Err(refused(at, "a field outside an object"))
        } else {
            sink.value(at, &self.buffer[self.start..self.start + length])
        };
        match taken {
            Ok(()) => self.advance(length),
            Err(refused) => {
                sink.refused(refused);
                self.pass_over(length)?;
            }
        }
        Ok(())
    }

    /// The next byte behind a value that is no blank. None if there is none, or it is too far.
    fn next_in_line(&mut self, length: usize) -> io::Result<Option<u8>> {
        loop {
            let rest = &self.buffer[self.start + length..self.end];
            if let Some(byte) = rest.iter().find(|byte| !matches!(byte, b' ' | b'\t')) {
                return Ok(Some(*byte));
            }
            if rest.len() > CHUNK || !self.fill()? {
                return Ok(None);
            }
        }
    }

    /// The input ended inside a value.
    fn cut_off(&mut self, at: Position, frame: Frame, sink: &mut impl Sink) -> io::Result<()> {
        if frame.ends_with_input() {
            return self.take(at, self.end - self.start, sink);
        }
        sink.refused(refused(at, "the input ends inside the value that begins here"));
        self.resume_after_first_line()
    }

    /// Gives up a value and its list; what stands on the lines below is still read.
    fn resume_after_first_line(&mut self) -> io::Result<()> {
        self.orphan |= self.list.take().is_some();
        self.skip_line()
    }

    /// Passes over the rest of a value that is too long, without keeping it.
    fn skip_value(&mut self, mut frame: Frame) -> io::Result<()> {
        self.advance(self.end - self.start);
        if self.list.is_none() {
            return self.skip_line();
        }
        while self.fill()? {
            match frame.feed(&self.buffer[self.start..self.end]) {
                Step::More => self.advance(self.end - self.start),
                Step::Complete(length) => {
                    self.advance(length);
                    break;
                }
                Step::Broken(length, _) => {
                    self.advance(length);
                    return self.resume_after_first_line();
                }
            }
        }
        Ok(())
    }

    /// Passes over what may stand between values: space, commas, and the NULs of a log that was truncated while it was
    /// written to. False at the end of the input.
    fn skip_between(&mut self) -> io::Result<bool> {
        loop {
            while self.start < self.end {
                match self.buffer[self.start] {
                    b'\n' => self.end_line(0),
                    b' ' | b'\t' | b'\r' | b',' | 0 => self.advance_in_line(1),
                    _ => return Ok(true),
                }
            }
            if !self.fill()? {
                return Ok(false);
            }
        }
    }

    /// Passes over a byte order mark.
    fn skip_mark(&mut self) -> io::Result<()> {
        while self.end < 3 && self.fill()? {}
        match &self.buffer[..self.end.min(3)] {
            [0xEF, 0xBB, 0xBF] => self.start = 3,
            [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "the input is UTF-16; convert it to UTF-8"));
            }
            _ => {}
        }
        Ok(())
    }

    /// Passes over everything up to and with the next line end.
    fn skip_line(&mut self) -> io::Result<()> {
        loop {
            if let Some(length) = memchr::memchr(b'\n', &self.buffer[self.start..self.end]) {
                self.end_line(length);
                return Ok(());
            }
            self.advance_in_line(self.end - self.start);
            if !self.fill()? {
                return Ok(());
            }
        }
    }

    /// The length of the line that begins here, without its end. None if it is too long.
    fn line_length(&mut self) -> io::Result<Option<usize>> {
        let mut seen = 0;
        loop {
            if let Some(more) = memchr::memchr(b'\n', &self.buffer[self.start + seen..self.end]) {
                return Ok(Some(seen + more).filter(|length| *length <= LONGEST));
            }
            seen = self.end - self.start;
            if seen > LONGEST {
                return Ok(None);
            }
            if !self.fill()? {
                return Ok(Some(seen));
            }
        }
    }

    /// Reads more behind what is unread. False at the end of the input.
    fn fill(&mut self) -> io::Result<bool> {
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
    fn advance(&mut self, length: usize) {
        self.at = self.position_of(length);
        self.start += length;
    }

    fn advance_in_line(&mut self, length: usize) {
        self.at.column += length as u64;
        self.start += length;
    }

    /// Passes over the rest of a line, of this length, and its end.
    fn end_line(&mut self, length: usize) {
        self.start = (self.start + length + 1).min(self.end);
        self.at = Position { line: self.at.line + 1, column: 1 };
    }

    /// Where the byte so far behind the start stands.
    fn position_of(&self, length: usize) -> Position {
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

const TOO_LONG: &str = "longer than 16 MiB; left out";

fn refused(at: Position, why: &str) -> Refused {
    Refused { at, why: why.to_owned() }
}

/// A value that breaks off on a line below is named by its beginning: most likely that line was cut.
fn broken(at: Position, end: Position, why: &str) -> Refused {
    if end.line == at.line {
        return refused(end, why);
    }
    let Position { line, column } = end;
    refused(at, &format!("the value that begins here breaks off at line {line}, column {column}: {why}"))
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

fn trim(line: &[u8]) -> &[u8] {
    let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | 0);
    let from = line.iter().position(|byte| !blank(byte)).unwrap_or(line.len());
    let to = line.iter().rposition(|byte| !blank(byte)).map_or(from, |last| last + 1);
    &line[from..to]
}

#[cfg(test)]
mod tests;
