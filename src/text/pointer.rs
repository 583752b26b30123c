//! JSON pointers (RFC 6901), followed through a text without building it. Invariant: a text in which the place is not
//! one place, since a key on the way is repeated, is never read as if it were.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// A place within a JSON text; the empty pointer is the whole text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pointer {
    written: String,
    steps: Vec<String>,
}

/// What lies at a pointer.
#[derive(Debug, PartialEq)]
pub enum Found<'a> {
    /// A string, or an integer of at most 64 bits as its digits.
    Name(Cow<'a, str>),
    Nothing,
    /// A key on the way is there more than once.
    Twice,
    Other(Other),
}

/// A value that is not a name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Other {
    /// A number that is not a 64-bit integer.
    Real(f64),
    Bool(bool),
    Null,
    Array,
    Object,
}

impl Other {
    /// What it is, in words.
    pub fn words(self) -> &'static str {
        match self {
            Other::Real(_) => "a number that is not a 64-bit integer",
            Other::Bool(_) => "a boolean",
            Other::Null => "null",
            Other::Array => "an array",
            Other::Object => "an object",
        }
    }
}

impl Pointer {
    /// Its keys and indices, unescaped.
    pub fn steps(&self) -> &[String] {
        &self.steps
    }

    /// Follows the pointer. The whole text is checked, but for the encoding of what does not lie on the way.
    ///
    /// # Errors
    /// The text is not JSON, or more than one JSON text.
    pub fn find<'de>(&self, json: &'de [u8]) -> Result<Found<'de>, serde_json::Error> {
        let mut text = serde_json::Deserializer::from_slice(json);
        let found = Follow(&self.steps).deserialize(&mut text)?;
        text.end()?;
        Ok(found)
    }
}

impl FromStr for Pointer {
    type Err = String;

    fn from_str(written: &str) -> Result<Pointer, String> {
        if !written.is_empty() && !written.starts_with('/') {
            return Err(format!("a JSON pointer begins with `/`: write `/{written}`"));
        }
        let steps = written.split('/').skip(1).map(unescape).collect::<Result<_, _>>()?;
        Ok(Pointer { written: written.to_owned(), steps })
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.written)
    }
}

fn unescape(step: &str) -> Result<String, String> {
    let plain = step.replace("~0", "").replace("~1", "");
    if plain.contains('~') {
        return Err(format!("`~` in a JSON pointer is written `~0`, and `/` within a key `~1`: mend `{step}`"));
    }
    Ok(step.replace("~1", "/").replace("~0", "~"))
}

/// Walks the steps that are left.
#[derive(Clone, Copy)]
struct Follow<'p>(&'p [String]);

impl Follow<'_> {
    /// What a value without members is here: found if no step is left.
    fn leaf(self, found: Found<'_>) -> Found<'_> {
        if self.0.is_empty() { found } else { Found::Nothing }
    }
}

impl<'de> DeserializeSeed<'de> for Follow<'_> {
    type Value = Found<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Found<'de>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Follow<'_> {
    type Value = Found<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Found<'de>, E> {
        Ok(self.leaf(Found::Name(Cow::Borrowed(text))))
    }

    fn visit_str<E>(self, text: &str) -> Result<Found<'de>, E> {
        Ok(self.leaf(Found::Name(Cow::Owned(text.to_owned()))))
    }

    fn visit_i64<E>(self, integer: i64) -> Result<Found<'de>, E> {
        Ok(self.leaf(Found::Name(Cow::Owned(integer.to_string()))))
    }

    fn visit_u64<E>(self, integer: u64) -> Result<Found<'de>, E> {
        Ok(self.leaf(Found::Name(Cow::Owned(integer.to_string()))))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Found<'de>, E> {
        Ok(self.leaf(Found::Other(Other::Real(number))))
    }

    fn visit_bool<E>(self, is: bool) -> Result<Found<'de>, E> {
        Ok(self.leaf(Found::Other(Other::Bool(is))))
    }

    fn visit_unit<E>(self) -> Result<Found<'de>, E> {
        Ok(self.leaf(Found::Other(Other::Null)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Found<'de>, A::Error> {
        let mut found = self.leaf(Found::Other(Other::Array));
        if let Some((step, rest)) = self.0.split_first() {
            let wanted = step.parse::<usize>().ok().filter(|index| index.to_string() == *step);
            if let Some(wanted) = wanted {
                let before =
                    (0..wanted).try_fold(true, |more, _| Ok(more && seq.next_element::<IgnoredAny>()?.is_some()))?;
                if before {
                    found = seq.next_element_seed(Follow(rest))?.unwrap_or(Found::Nothing);
                }
            }
        }
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(found)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Found<'de>, A::Error> {
        let Some((step, rest)) = self.0.split_first() else {
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            return Ok(Found::Other(Other::Object));
        };
        let mut found = None;
        while let Some(here) = map.next_key_seed(KeyIs(step))? {
            if !here {
                map.next_value::<IgnoredAny>()?;
            } else if found.is_none() {
                found = Some(map.next_value_seed(Follow(rest))?);
            } else {
                map.next_value::<IgnoredAny>()?;
                found = Some(Found::Twice);
            }
        }
        Ok(found.unwrap_or(Found::Nothing))
    }
}

/// Compares a key without keeping it.
struct KeyIs<'p>(&'p str);

impl<'de> DeserializeSeed<'de> for KeyIs<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for KeyIs<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<bool, E> {
        Ok(key == self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find<'a>(pointer: &str, json: &'a str) -> Found<'a> {
        pointer.parse::<Pointer>().unwrap().find(json.as_bytes()).unwrap()
    }

    fn name(text: &str) -> Found<'_> {
        Found::Name(Cow::Borrowed(text))
    }

    /// The document and the pointers of RFC 6901, 5, as far as they lead to names.
    #[test]
    fn follows_the_examples_of_the_rfc() {
        let json = r#"{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8}"#;
        let examples = [
            ("/foo/0", "bar"),
            ("/foo/1", "baz"),
            ("/", "0"),
            ("/a~1b", "1"),
            ("/c%d", "2"),
            ("/e^f", "3"),
            ("/g|h", "4"),
            ("/i\\j", "5"),
            ("/k\"l", "6"),
            ("/ ", "7"),
            ("/m~0n", "8"),
        ];
        for (pointer, value) in examples {
            assert_eq!(find(pointer, json), name(value), "{pointer}");
        }
        assert_eq!(find("", json), Found::Other(Other::Object));
        assert_eq!(find("/foo", json), Found::Other(Other::Array));
        for nowhere in ["/foo/2", "/foo/-", "/foo/01", "/foo/0/x", "/bar", "/foo/bar"] {
            assert_eq!(find(nowhere, json), Found::Nothing, "{nowhere}");
        }
    }

    #[test]
    fn takes_names_as_strings_and_integers_alone() {
        assert_eq!(find("/a", r#"{"\u0061":"x\u0020y"}"#), name("x y"));
        assert_eq!(find("/a", r#"{"a":18446744073709551615}"#), name("18446744073709551615"));
        assert_eq!(find("/a", r#"{"a":-7}"#), name("-7"));
        for (value, what) in [
            ("18446744073709551616", Other::Real(18_446_744_073_709_551_616.0)),
            ("1.0", Other::Real(1.0)),
            ("true", Other::Bool(true)),
            ("null", Other::Null),
            ("{}", Other::Object),
        ] {
            assert_eq!(find("/a", &format!(r#"{{"a":{value},"b":1}}"#)), Found::Other(what), "{value}");
        }
    }

    #[test]
    fn a_repeated_key_on_the_way_is_seen() {
        assert_eq!(find("/a", r#"{"a":"x","a":"x"}"#), Found::Twice);
        assert_eq!(find("/a/b", r#"{"a":{"b":1},"c":2,"a":{}}"#), Found::Twice);
        assert_eq!(find("/a", r#"{"a":"x","b":1,"b":2}"#), name("x"));
    }

    #[test]
    fn text_that_is_not_one_json_text_is_an_error() {
        let pointer: Pointer = "/a".parse().unwrap();
        for json in ["", "{", r#"{"a":"x"} {}"#, r#"{"a":"x"}]"#, "{\"a\":\"\u{1}\"}", r#"{"b":[1,],"a":1}"#] {
            assert!(pointer.find(json.as_bytes()).is_err(), "{json}");
        }
        assert!(pointer.find(b"{\"a\":\"\xff\"}").is_err());
        assert!(pointer.find(&[b'['; 100_000]).is_err());
    }

    #[test]
    fn a_malformed_pointer_is_refused_with_what_to_write() {
        assert_eq!("intent".parse::<Pointer>().unwrap_err(), "a JSON pointer begins with `/`: write `/intent`");
        assert!("/a~2".parse::<Pointer>().unwrap_err().contains("`a~2`"));
        assert!("/a~".parse::<Pointer>().is_err());
        assert!("/~01".parse::<Pointer>().unwrap().steps == ["~1"]);
    }
}
