//! Where a JSON value ends, byte by byte, before it is parsed. Invariant: constant memory whatever the input; only what
//! is needed to find the end is checked, the parser judges the rest.

/// Nesting that is refused rather than followed; the parser has the same bound.
pub const DEEPEST: u32 = 127;

/// What the bytes so far amount to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The value goes on.
    More,
    /// The value ends before the byte at this offset of the slice.
    Complete(usize),
    /// No value can go on like this; the offset of the byte that shows it, and why.
    Broken(usize, &'static str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expect {
    Value,
    /// The first value of a list, or its end.
    ValueOrEnd,
    Key,
    /// The first key of an object, or its end.
    KeyOrEnd,
    Colon,
    CommaOrEnd,
    /// Inside a text; the flag tells a key from a value.
    Text(bool),
    Escape(bool),
    /// Inside a number or a literal.
    Word,
}

/// The state between two slices of one value.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    expect: Expect,
    /// One bit a level, the innermost lowest: 1 for an object, 0 for a list.
    levels: u128,
    depth: u32,
}

impl Frame {
    pub fn new() -> Frame {
        Frame { expect: Expect::Value, levels: 0, depth: 0 }
    }

    /// Reads on. The slice continues where the last one ended.
    pub fn feed(&mut self, bytes: &[u8]) -> Step {
        let mut at = 0;
        while at < bytes.len() {
            if let Expect::Text(key) = self.expect {
                match memchr::memchr3(b'"', b'\\', b'\n', &bytes[at..]) {
                    None => return Step::More,
                    Some(skip) => at += skip,
                }
                match bytes[at] {
                    b'\\' => self.expect = Expect::Escape(key),
                    b'\n' => return Step::Broken(at, "a text runs over the end of its line"),
                    _ if key => self.expect = Expect::Colon,
                    _ if self.end_value() => return Step::Complete(at + 1),
                    _ => {}
                }
                at += 1;
                continue;
            }
            match self.byte(bytes[at]) {
                Ok(Next::On) => at += 1,
                Ok(Next::Ended) => return Step::Complete(at + 1),
                Ok(Next::EndedBefore) => return Step::Complete(at),
                Ok(Next::Again) => {}
                Err(why) => return Step::Broken(at, why),
            }
        }
        Step::More
    }

    /// Whether the end of the input ends the value: only a number or a literal outside everything.
    pub fn ends_with_input(&self) -> bool {
        self.depth == 0 && self.expect == Expect::Word
    }

    fn byte(&mut self, byte: u8) -> Result<Next, &'static str> {
        use Expect::*;
        match (self.expect, byte) {
            (Escape(key), _) => self.expect = Text(key),
            (Word, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'+' | b'-' | b'.') => {}
            (Word, _) if self.end_value() => return Ok(Next::EndedBefore),
            (Word, _) => return Ok(Next::Again),
            (_, b' ' | b'\t' | b'\r' | b'\n') => {}
            (Value | ValueOrEnd, b'{') => self.open(1, KeyOrEnd)?,
            (Value | ValueOrEnd, b'[') => self.open(0, ValueOrEnd)?,
            (Value | ValueOrEnd, b'"') => self.expect = Text(false),
            (Value | ValueOrEnd, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-') => self.expect = Word,
            (Key | KeyOrEnd, b'"') => self.expect = Text(true),
            (Colon, b':') => self.expect = Value,
            (CommaOrEnd, b',') => self.expect = if self.in_object() { Key } else { Value },
            (KeyOrEnd, b'}') => return Ok(self.close()),
            (CommaOrEnd, b'}') if self.in_object() => return Ok(self.close()),
            (ValueOrEnd, b']') => return Ok(self.close()),
            (CommaOrEnd, b']') if !self.in_object() => return Ok(self.close()),
            (Value | ValueOrEnd, _) => return Err("expected a value"),
            (Key | KeyOrEnd, _) => return Err("expected a field name or `}`"),
            (Colon, _) => return Err("expected `:`"),
            (CommaOrEnd, _) => return Err("expected `,` or the end"),
            (Text(_), _) => return Err("a text is read elsewhere"),
        }
        Ok(Next::On)
    }

    fn in_object(&self) -> bool {
        self.levels & 1 == 1
    }

    fn open(&mut self, level: u128, expect: Expect) -> Result<(), &'static str> {
        if self.depth == DEEPEST {
            return Err("nested deeper than 127 levels");
        }
        self.depth += 1;
        self.levels = self.levels << 1 | level;
        self.expect = expect;
        Ok(())
    }

    fn close(&mut self) -> Next {
        self.depth -= 1;
        self.levels >>= 1;
        if self.end_value() { Next::Ended } else { Next::On }
    }

    /// A value inside has ended. True where it was the outermost one.
    fn end_value(&mut self) -> bool {
        self.expect = Expect::CommaOrEnd;
        self.depth == 0
    }
}

enum Next {
    On,
    /// With this byte.
    Ended,
    /// Before this byte.
    EndedBefore,
    /// The byte is to be read again in the new state.
    Again,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_end_however_the_bytes_are_cut() {
        let value = br#"{"a":[1,"x\"}\\",{"b":null}],"c":{}}"#;
        for cut in 0..value.len() {
            let mut frame = Frame::new();
            assert_eq!(frame.feed(&value[..cut]), Step::More, "{cut}");
            let mut rest = value[cut..].to_vec();
            rest.extend_from_slice(b" 17");
            assert_eq!(frame.feed(&rest), Step::Complete(value.len() - cut), "{cut}");
        }
    }

    #[test]
    fn a_bare_word_ends_before_the_next_byte_or_with_the_input() {
        let mut frame = Frame::new();
        assert_eq!(frame.feed(b"12 "), Step::Complete(2));
        let mut frame = Frame::new();
        assert_eq!(frame.feed(b"true"), Step::More);
        assert!(frame.ends_with_input());
    }

    #[test]
    fn a_value_that_was_cut_is_noticed_at_the_next_one() {
        let broken = |bytes: &[u8]| matches!(Frame::new().feed(bytes), Step::Broken(..));
        assert!(broken(b"{\"a\":1\n{\"b\":2}"));
        assert!(broken(b"{\"a\":1,\n{\"b\":2}"));
        assert!(broken(b"{\"a\n{\"b\":2}"));
        assert!(broken(b"]"));
        assert!(broken("[".repeat(200).as_bytes()));
    }
}
