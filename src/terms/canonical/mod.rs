//! The canonical form of an intent, so that one intent has one key however it was written down. Invariant: pure; two
//! texts that mean the same intent give the same bytes, and what would lose something on the way is an error.
//!
//! The form is JSON with these rules, fixed for good (a changed rule changes every key):
//! - object keys and string values are trimmed of Unicode `White_Space` at both ends; letter case and full-width forms
//!   are kept. Python's `strip()` also takes U+001C to U+001F, JavaScript's `trim()` takes U+FEFF and leaves U+0085;
//! - object keys are sorted by their UTF-8 bytes, after trimming; two keys that are equal then are an error;
//! - no white space between tokens;
//! - non-ASCII is written as it is. Escaped are only `"`, `\` and the controls below U+0020: `\b` `\t` `\n` `\f` `\r`
//!   where the short form exists, else `\u00xx` in lower case. `/` and U+007F are not escaped;
//! - numbers are integer literals in the range of i64. `1000.0`, `1e3` and `-0` are refused: amounts are minor units.
//!
//! Against RFC 8785 (JCS): the escapes and the missing white space are the same. JCS sorts keys by UTF-16 code units,
//! which differs where a character above U+FFFF meets one from U+E000 to U+FFFF; it trims nothing; and its numbers are
//! IEEE doubles, so it knows no integers above 2^53. For trimmed text with ASCII keys and integers below 2^53 the two
//! give the same bytes.

use std::collections::BTreeMap;
use std::fmt;

use crate::text::ordered_json::OrderedJson;

/// Nesting above this is refused; below it the recursion is far from the end of any stack.
pub const MAX_DEPTH: usize = 64;

/// Why a text has no canonical form, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotCanonical {
    /// JSON pointer (RFC 6901) to the place; empty for the whole text.
    pub pointer: String,
    pub defect: Defect,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Defect {
    /// Not one JSON text (RFC 8259); the parser's own words, with line and column.
    Syntax(String),
    /// A number that is not an integer literal in the range of i64.
    NotAnInteger,
    /// Two keys of one object are equal once trimmed.
    SameKey(String),
    /// Nested deeper than `MAX_DEPTH`.
    TooDeep,
}

/// The canonical form of one JSON text.
///
/// # Errors
/// Text that is not JSON, a number that is not an integer in the range of i64, two keys that are equal once trimmed
/// (literal duplicates included), nesting above `MAX_DEPTH`.
pub fn canonical(json: &str) -> Result<String, NotCanonical> {
    let node: OrderedJson = serde_json::from_str(json)
        .map_err(|error| NotCanonical { pointer: String::new(), defect: Defect::Syntax(error.to_string()) })?;
    let mut writer = Writer { out: String::with_capacity(json.len()), pointer: String::new(), depth: 0 };
    writer.node(&node)?;
    Ok(writer.out)
}

struct Writer {
    out: String,
    /// Where we are.
    pointer: String,
    depth: usize,
}

impl Writer {
    fn node(&mut self, node: &OrderedJson) -> Result<(), NotCanonical> {
        match node {
            OrderedJson::Null => self.out.push_str("null"),
            OrderedJson::Bool(bool) => self.out.push_str(if *bool { "true" } else { "false" }),
            OrderedJson::Number(number) => match number.as_i64() {
                Some(integer) => self.out.push_str(&integer.to_string()),
                None => return self.refuse(Defect::NotAnInteger),
            },
            OrderedJson::Text(text) => self.text(text.trim()),
            OrderedJson::Array(items) => return self.array(items),
            OrderedJson::Object(members) => return self.object(members),
        }
        Ok(())
    }

    fn array(&mut self, items: &[OrderedJson]) -> Result<(), NotCanonical> {
        self.out.push('[');
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.out.push(',');
            }
            self.inside(&index.to_string(), item)?;
        }
        self.out.push(']');
        Ok(())
    }

    fn object(&mut self, members: &[(String, OrderedJson)]) -> Result<(), NotCanonical> {
        let mut sorted = BTreeMap::new();
        for (key, value) in members {
            if sorted.insert(key.trim(), value).is_some() {
                return self.refuse(Defect::SameKey(key.trim().to_owned()));
            }
        }
        self.out.push('{');
        for (index, (key, value)) in sorted.into_iter().enumerate() {
            if index > 0 {
                self.out.push(',');
            }
            self.text(key);
            self.out.push(':');
            self.inside(key, value)?;
        }
        self.out.push('}');
        Ok(())
    }

    /// Writes `node`, which lies at `step` within the present place.
    fn inside(&mut self, step: &str, node: &OrderedJson) -> Result<(), NotCanonical> {
        let outer = self.pointer.len();
        self.pointer.push('/');
        self.pointer.push_str(&step.replace('~', "~0").replace('/', "~1"));
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.refuse(Defect::TooDeep);
        }
        self.node(node)?;
        self.depth -= 1;
        self.pointer.truncate(outer);
        Ok(())
    }

    fn text(&mut self, text: &str) {
        self.out.push('"');
        for c in text.chars() {
            match c {
                '"' => self.out.push_str("\\\""),
                '\\' => self.out.push_str("\\\\"),
                '\u{8}' => self.out.push_str("\\b"),
                '\t' => self.out.push_str("\\t"),
                '\n' => self.out.push_str("\\n"),
                '\u{c}' => self.out.push_str("\\f"),
                '\r' => self.out.push_str("\\r"),
                c if c < ' ' => self.out.push_str(&format!("\\u{:04x}", u32::from(c))),
                c => self.out.push(c),
            }
        }
        self.out.push('"');
    }

    fn refuse(&self, defect: Defect) -> Result<(), NotCanonical> {
        Err(NotCanonical { pointer: self.pointer.clone(), defect })
    }
}

impl fmt::Display for NotCanonical {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.pointer.is_empty() {
            write!(f, "at {}: ", self.pointer)?;
        }
        match &self.defect {
            Defect::Syntax(error) => write!(f, "not JSON: {error}"),
            Defect::NotAnInteger => {
                write!(f, "a number must be an integer within i64, written without `.`, `e` or `-0`")
            }
            Defect::SameKey(key) => write!(f, "two keys are both `{}` once trimmed; rename one", key.escape_debug()),
            Defect::TooDeep => write!(f, "nested deeper than {MAX_DEPTH} levels"),
        }
    }
}

impl std::error::Error for NotCanonical {}

#[cfg(test)]
mod tests;
