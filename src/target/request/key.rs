//! The key: how it is written, and where it goes. Invariant: a key is the same for the same seed, and no other's.

use std::fmt;

use sha2::{Digest, Sha256};

use crate::terms::named::named_enum;

/// Where the key goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyPlace {
    Header(String),
    /// A JSON pointer into the body; the field need not be in the template.
    Body(String),
    /// A field of a form body, which need not be in the template.
    Form(String),
    /// A field of the URL's query, which need not be in the template.
    Query(String),
    /// Where the template has `{{key}}`.
    Template,
    /// Nowhere: the URL names the intent, and that is the key (`PUT /charges/{{intent}}`).
    Url,
    /// Nowhere: a tool's arguments name the intent, and the same arguments again are the same call.
    Arguments,
}

impl KeyPlace {
    /// Whether a request can go without it.
    pub fn can_be_left_out(&self) -> bool {
        !matches!(self, KeyPlace::Template | KeyPlace::Url | KeyPlace::Arguments)
    }

    pub fn is_header(&self, name: &str) -> bool {
        matches!(self, KeyPlace::Header(key) if key.eq_ignore_ascii_case(name))
    }
}

impl fmt::Display for KeyPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeyPlace::Header(name) => write!(f, "header {name}"),
            KeyPlace::Body(at) => write!(f, "body {at}"),
            KeyPlace::Form(name) => write!(f, "form {name}"),
            KeyPlace::Query(name) => write!(f, "query {name}"),
            KeyPlace::Template => f.write_str("template {{key}}"),
            KeyPlace::Url => f.write_str("url {{intent}}"),
            KeyPlace::Arguments => f.write_str("none"),
        }
    }
}

named_enum! {
    /// How a key is written.
    pub enum KeyFormat {
        /// 32 hex digits.
        Hex = "hex",
        /// RFC 9562, version 8: the bits are ours.
        Uuid = "uuid",
        /// A string of RFC 8941, section 3.3.3, as the IETF draft asks.
        Quoted = "quoted",
    }
}

impl KeyFormat {
    /// A key that is the same for the same seed, and no other's.
    pub fn key(self, seed: &str) -> String {
        let mut digest: [u8; 32] = Sha256::digest(seed.as_bytes()).into();
        // The version and variant bits of a random UUID: some servers check them.
        digest[6] = digest[6] & 0x0f | 0x40;
        digest[8] = digest[8] & 0x3f | 0x80;
        let digits = |bytes: std::ops::Range<usize>| hex::encode(&digest[bytes]);
        match self {
            KeyFormat::Hex => digits(0..16),
            KeyFormat::Uuid => [0..4, 4..6, 6..8, 8..10, 10..16].map(digits).join("-"),
            KeyFormat::Quoted => format!("\"{}\"", digits(0..16)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_formats() {
        assert_eq!(KeyFormat::Hex.key("a").len(), 32);
        let uuid = KeyFormat::Uuid.key("a");
        assert_eq!((uuid.len(), uuid.get(14..15).unwrap(), uuid.matches('-').count()), (36, "4", 4));
        assert!(KeyFormat::Quoted.key("a").starts_with('"'));
        assert_ne!(KeyFormat::Hex.key("a"), KeyFormat::Hex.key("b"));
    }
}
