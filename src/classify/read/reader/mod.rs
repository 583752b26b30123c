//! What a stream of bytes holds: JSON values, one a line, in a list, over many lines or one after another, and lines of
//! words between them, each told apart by its own beginning. Invariant: memory is bounded by the longest value allowed,
//! and nothing that can be read is lost behind something that cannot.

use std::io::{self, Read};

use super::frame::{Frame, Step};
use buffered::{Buffered, CHUNK};

pub use buffered::Position;

mod buffered;

/// The longest value, or line of words, in bytes.
pub const LONGEST: usize = 16 << 20;

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
    /// Takes one line of words, without its end and the blanks around it; those before it are in the place's column.
    fn words(&mut self, at: Position, line: &[u8]);
    /// Takes note of what could not be read.
    fn refused(&mut self, refused: Refused);
    /// Whether nobody wants more.
    fn done(&self) -> bool;
}

/// The input and what is open in it.
pub struct Reader<R> {
    input: Buffered<R>,
    /// Where the open list began. None outside a list.
    list: Option<Position>,
    /// A list was given up, so its closing bracket means nothing.
    orphan: bool,
    /// The last line that JSON was read in, or tried: what else stands in it is not words.
    json_line: u64,
}

impl<R: Read> Reader<R> {
    pub fn new(input: R) -> Reader<R> {
        Reader { input: Buffered::new(input), list: None, orphan: false, json_line: 0 }
    }

    /// Hands every value, and every line of words, to the sink.
    pub fn log(&mut self, sink: &mut impl Sink) -> io::Result<()> {
        self.input.skip_mark()?;
        while !sink.done() && self.skip_between()? {
            let byte = self.input.unread()[0];
            match byte {
                b'[' if self.list.is_none() && self.opens_list()? => {
                    self.list = Some(self.input.at());
                    self.json_line = self.input.at().line;
                    self.input.advance(1);
                }
                b']' if self.list.is_some() || self.orphan => {
                    (self.list, self.orphan) = (None, false);
                    self.json_line = self.input.at().line;
                    self.input.advance(1);
                }
                _ if self.list.is_none() && (self.whole_line(sink)? || self.line_of_words(sink)?) => {}
                _ => self.framed(sink)?,
            }
        }
        match self.list.take() {
            Some(at) if !sink.done() => sink.refused(refused(at, "the list that begins here is not closed")),
            _ => {}
        }
        Ok(())
    }

    /// Hands every line that is not blank to the sink as words.
    pub fn lines(&mut self, sink: &mut impl Sink) -> io::Result<()> {
        self.input.skip_mark()?;
        while !sink.done() && self.skip_between()? {
            self.take_words(sink)?;
        }
        Ok(())
    }

    /// Whether a bracket opens a list of readings, and not a prefix like `[2026-11-02 10:00:00]`.
    fn opens_list(&mut self) -> io::Result<bool> {
        Ok(matches!(self.next_in_line(1)?, None | Some(b'\n' | b'\r' | b'{' | b'"' | b'[' | b']')))
    }

    /// Takes the line as words, unless JSON begins here. False where it does.
    fn line_of_words(&mut self, sink: &mut impl Sink) -> io::Result<bool> {
        if self.input.at().line == self.json_line || self.begins_json()? {
            return Ok(false);
        }
        self.take_words(sink)?;
        Ok(true)
    }

    fn begins_json(&mut self) -> io::Result<bool> {
        match self.input.unread()[0] {
            b'{' => Ok(matches!(self.next_in_line(1)?, None | Some(b'\n' | b'\r' | b'"' | b'}'))),
            b'"' => Ok(self.input.line_length()?.is_none_or(|length| is_text(&self.input.unread()[..length]))),
            _ => Ok(false),
        }
    }

    fn take_words(&mut self, sink: &mut impl Sink) -> io::Result<()> {
        let at = self.input.at();
        let Some(length) = self.input.line_length()? else {
            sink.refused(refused(at, TOO_LONG));
            return self.input.skip_line();
        };
        sink.words(at, trim(&self.input.unread()[..length]));
        self.input.end_line(length);
        Ok(())
    }

    /// The fast way: one value a line. False where the line is not exactly one value.
    fn whole_line(&mut self, sink: &mut impl Sink) -> io::Result<bool> {
        let Some(length) = self.input.line_length()? else { return Ok(false) };
        let line = trim(&self.input.unread()[..length]);
        if !matches!(line, [b'{', .., b'}'] | [b'"', .., b'"']) || sink.value(self.input.at(), line).is_err() {
            return Ok(false);
        }
        self.input.end_line(length);
        Ok(true)
    }

    /// The careful way: finds the end of the value first.
    fn framed(&mut self, sink: &mut impl Sink) -> io::Result<()> {
        let (at, mut frame, mut length) = (self.input.at(), Frame::new(), 0);
        self.json_line = at.line;
        loop {
            let step = frame.feed(&self.input.unread()[length..]);
            match step {
                Step::More if self.input.unread().len() > LONGEST => {
                    sink.refused(refused(at, TOO_LONG));
                    return self.skip_value(frame);
                }
                Step::More => {
                    length = self.input.unread().len();
                    if !self.input.fill()? {
                        break self.cut_off(at, frame, sink)?;
                    }
                }
                Step::Complete(more) if length + more > LONGEST => {
                    sink.refused(refused(at, TOO_LONG));
                    break self.pass_over(length + more)?;
                }
                Step::Complete(more) => break self.take(at, length + more, sink)?,
                Step::Broken(more, why) => {
                    sink.refused(broken(at, self.input.position_of(length + more), why));
                    break self.resume_after_first_line()?;
                }
            }
        }
        Ok(())
    }

    /// Passes over a value that was refused, and over what follows it in its line.
    fn pass_over(&mut self, length: usize) -> io::Result<()> {
        self.input.advance(length);
        if self.list.is_none() { self.input.skip_line() } else { Ok(()) }
    }

    fn take(&mut self, at: Position, length: usize, sink: &mut impl Sink) -> io::Result<()> {
        let text = self.input.unread()[0] == b'"';
        let taken = if text && self.next_in_line(length)? == Some(b':') {
            // What is left of an object that was given up.
            Err(refused(at, "a field outside an object"))
        } else {
            sink.value(at, &self.input.unread()[..length])
        };
        match taken {
            Ok(()) => {
                self.input.advance(length);
                self.json_line = self.input.at().line;
            }
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
            let rest = &self.input.unread()[length..];
            if let Some(byte) = rest.iter().find(|byte| !matches!(byte, b' ' | b'\t')) {
                return Ok(Some(*byte));
            }
            if rest.len() > CHUNK || !self.input.fill()? {
                return Ok(None);
            }
        }
    }

    /// The input ended inside a value.
    fn cut_off(&mut self, at: Position, frame: Frame, sink: &mut impl Sink) -> io::Result<()> {
        if frame.ends_with_input() {
            return self.take(at, self.input.unread().len(), sink);
        }
        sink.refused(refused(at, "the input ends inside the value that begins here"));
        self.resume_after_first_line()
    }

    /// Gives up a value and its list; what stands on the lines below is still read.
    fn resume_after_first_line(&mut self) -> io::Result<()> {
        self.orphan |= self.list.take().is_some();
        self.input.skip_line()
    }

    /// Passes over the rest of a value that is too long, without keeping it.
    fn skip_value(&mut self, mut frame: Frame) -> io::Result<()> {
        self.input.advance(self.input.unread().len());
        if self.list.is_none() {
            return self.input.skip_line();
        }
        while self.input.fill()? {
            match frame.feed(self.input.unread()) {
                Step::More => self.input.advance(self.input.unread().len()),
                Step::Complete(length) => {
                    self.input.advance(length);
                    break;
                }
                Step::Broken(length, _) => {
                    self.input.advance(length);
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
            while let Some(byte) = self.input.unread().first() {
                match byte {
                    b'\n' => self.input.end_line(0),
                    b' ' | b'\t' | b'\r' | b',' | 0 => self.input.advance_in_line(1),
                    _ => return Ok(true),
                }
            }
            if !self.input.fill()? {
                return Ok(false);
            }
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

/// Whether a line that begins with a quote is a JSON text, or a field that is left of an object that was given up.
fn is_text(line: &[u8]) -> bool {
    let Step::Complete(length) = Frame::new().feed(line) else { return false };
    let next = line[length..].iter().find(|byte| !matches!(byte, b' ' | b'\t' | b'\r' | 0));
    matches!(next, None | Some(b',' | b':' | b'{' | b'['))
}

fn trim(line: &[u8]) -> &[u8] {
    let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | 0);
    let from = line.iter().position(|byte| !blank(byte)).unwrap_or(line.len());
    let to = line.iter().rposition(|byte| !blank(byte)).map_or(from, |last| last + 1);
    &line[from..to]
}

#[cfg(test)]
mod tests;
