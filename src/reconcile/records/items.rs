//! The items of an array that is one document, or lies in one, as they stream by. Invariant: memory is that of the
//! longest item, however many there are; what the array holds up to the place where the text breaks is read.

use std::io::{self, BufRead, Cursor, Read};

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// Whether the text begins as an array does, and the whole input again. White space and a byte order mark are passed over.
pub fn is_array<'r>(mut input: impl BufRead + 'r) -> io::Result<(bool, impl BufRead + 'r)> {
    let mut lead = Vec::new();
    let first = loop {
        let buffer = input.fill_buf()?;
        let visible = |byte: &u8| !byte.is_ascii_whitespace() && !"\u{feff}".as_bytes().contains(byte);
        let at = buffer.iter().position(visible);
        let taken = at.map_or(buffer.len(), |at| at + 1);
        let first = at.map(|at| buffer[at]);
        let is_end = buffer.is_empty();
        lead.extend_from_slice(&buffer[..taken]);
        input.consume(taken);
        if first.is_some() || is_end {
            break first;
        }
    };
    Ok((first == Some(b'['), Cursor::new(lead).chain(input)))
}

/// How the reading of a document ended.
pub enum End {
    Whole,
    /// The parser's words.
    Broken(String),
    /// There is no array at the place.
    Missing,
}

/// Gives each item of the array at these steps to `each`, as its JSON text.
pub fn read(mut input: impl BufRead, steps: &[String], mut each: impl FnMut(&[u8])) -> io::Result<End> {
    // Three bytes, however few come at a time.
    let mut start = Vec::new();
    input.by_ref().take(3).read_to_end(&mut start)?;
    if start == "\u{feff}".as_bytes() {
        start.clear();
    }
    let mut text = serde_json::Deserializer::from_reader(Cursor::new(start).chain(input));
    let mut has_begun = false;
    let walk = Walk { steps, each: &mut each, has_begun: &mut has_begun };
    let ended = walk.deserialize(&mut text).and_then(|()| text.end());
    match (ended, has_begun) {
        (Err(error), _) if error.is_io() => Err(error.into()),
        (Err(error), _) if !error.is_data() => Ok(End::Broken(error.to_string())),
        (Err(error), true) => Ok(End::Broken(error.to_string())),
        (Err(_), false) | (Ok(()), false) => Ok(End::Missing),
        (Ok(()), true) => Ok(End::Whole),
    }
}

/// Walks the steps that are left; at their end is the array.
struct Walk<'w> {
    steps: &'w [String],
    each: &'w mut dyn FnMut(&[u8]),
    has_begun: &'w mut bool,
}

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an array of items")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let Some((step, rest)) = self.steps.split_first() else {
            *self.has_begun = true;
            while let Some(item) = seq.next_element::<Box<RawValue>>()? {
                (self.each)(item.get().as_bytes());
            }
            return Ok(());
        };
        let wanted = step.parse::<usize>().ok().filter(|index| index.to_string() == *step);
        for _ in 0..wanted.unwrap_or(0) {
            seq.next_element::<IgnoredAny>()?;
        }
        if wanted.is_some() {
            seq.next_element_seed(Walk { steps: rest, ..self })?;
        }
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Walk { steps, each, has_begun } = self;
        let Some((step, rest)) = steps.split_first() else { return Err(A::Error::custom("an object")) };
        while let Some(key) = map.next_key::<String>()? {
            if key != *step {
                map.next_value::<IgnoredAny>()?;
            } else if *has_begun {
                return Err(A::Error::custom(format!("the key `{key}` on the way to the items is there twice")));
            } else {
                map.next_value_seed(Walk { steps: rest, each, has_begun })?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The items, and how it ended: None as it should, else the words.
    fn items(text: &str, steps: &[&str]) -> (Vec<String>, Option<String>) {
        let steps: Vec<String> = steps.iter().map(|step| step.to_string()).collect();
        let mut items = Vec::new();
        let end = read(text.as_bytes(), &steps, |item| items.push(String::from_utf8_lossy(item).into_owned())).unwrap();
        let words = match end {
            End::Whole => None,
            End::Broken(words) => Some(words),
            End::Missing => Some("missing".to_owned()),
        };
        (items, words)
    }

    fn both(text: &str, steps: &[&str]) {
        assert_eq!(items(text, steps), (vec!["{\"a\":[1]}".to_owned(), "2".to_owned()], None), "{text}");
    }

    #[test]
    fn the_array_is_found_where_it_lies() {
        both("[{\"a\":[1]}, 2]", &[]);
        both("\u{feff} [{\"a\":[1]}\n,2] ", &[]);
        both("{\"x\":[9],\"data\":{\"y\":{\"items\":8},\"items\":[{\"a\":[1]},2]},\"z\":[7]}", &["data", "items"]);
        both("[0,[{\"a\":[1]},2],3]", &["1"]);
    }

    #[test]
    fn what_is_no_array_is_missing() {
        for (text, steps) in [
            ("{}", &["data"][..]),
            ("{\"data\":3}", &["data"]),
            ("{\"data\":{}}", &["data"]),
            ("3", &[]),
            ("[]", &["0"]),
        ] {
            assert_eq!(items(text, steps), (vec![], Some("missing".to_owned())), "{text}");
        }
    }

    #[test]
    fn a_broken_document_gives_what_stands_before() {
        for (text, words) in
            [("[1,2", "EOF while parsing a list"), ("[1,2,}", "expected value"), ("[1,2] [3]", "trailing characters")]
        {
            let (read, end) = items(text, &[]);
            assert_eq!(read, ["1", "2"], "{text}");
            assert!(end.as_ref().is_some_and(|end| end.starts_with(words)), "{text}: {end:?}");
        }
        let (read, end) = items("{\"data\":[1],\"data\":[2]}", &["data"]);
        assert!(read == ["1"] && end.is_some_and(|end| end.contains("`data`")));
    }

    #[test]
    fn an_array_is_seen_behind_blanks_whatever_the_buffer() {
        for (text, is) in
            [("[", true), ("\u{feff}\n [1]", true), ("{", false), ("", false), (" \n", false), ("a[", false)]
        {
            for size in [1, 64] {
                let (seen, mut whole) = is_array(io::BufReader::with_capacity(size, text.as_bytes())).unwrap();
                let mut again = String::new();
                whole.read_to_string(&mut again).unwrap();
                assert_eq!((seen, again.as_str()), (is, text));
            }
        }
    }
}
