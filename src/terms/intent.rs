//! An intent, its idempotency key, and the ways in which a client may send it. Invariant: a stable key depends on what
//! the user wants done and on nothing else.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::canonical::{NotCanonical, canonical};
use super::named::named_enum;

/// One business operation that the user wants done once.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Intent {
    /// The order's name, `intent` in JSON.
    #[serde(rename = "intent")]
    pub name: String,
    /// Minor units of the currency.
    pub amount: i64,
}

impl Intent {
    /// The body of a request for it: `{"intent":"ord-001","amount":1000}`.
    pub fn body(&self) -> String {
        serde_json::to_string(self).expect("a string and an integer have a JSON form")
    }
}

named_enum! {
    /// The idempotency key that a client sends with an attempt.
    pub enum KeyMode {
        None = "none",
        /// One key for all attempts of an intent.
        Stable = "stable",
        /// A new key for each attempt: the wrong way, kept to show that it equals no key.
        PerAttempt = "per_attempt",
    }
}

impl KeyMode {
    /// The key of this attempt (counted from 1); None where no key is sent.
    pub fn key(self, intent: &Intent, attempt: u32) -> Option<String> {
        let key = match self {
            KeyMode::None => return None,
            KeyMode::Stable => intent_key(&intent.body()),
            KeyMode::PerAttempt => attempt_key(&intent.body(), attempt),
        };
        Some(key.expect("an intent's body has two keys and an integer"))
    }
}

/// The key of an intent given as JSON: the first 16 hex digits of SHA-256 over its canonical form.
///
/// # Errors
/// The text has no canonical form.
pub fn intent_key(json: &str) -> Result<String, NotCanonical> {
    Ok(key_of_canonical(&canonical(json)?))
}

/// The key of an intent whose canonical form is known already.
pub fn key_of_canonical(canonical: &str) -> String {
    digest(canonical)
}

/// The JSON text of an intent as a user hands it over: itself, or a JSON string that holds its text as it was written.
///
/// # Errors
/// It begins as a string and is not one.
pub fn as_written(json: &str) -> serde_json::Result<Cow<'_, str>> {
    if json.starts_with('"') { serde_json::from_str(json).map(Cow::Owned) } else { Ok(Cow::Borrowed(json)) }
}

/// A key that also depends on the attempt. This is the wrong way: the server cannot know the second attempt for a
/// repeat of the first.
///
/// # Errors
/// The text has no canonical form.
pub fn attempt_key(json: &str, attempt: u32) -> Result<String, NotCanonical> {
    Ok(digest(&format!("{}#{attempt}", canonical(json)?)))
}

fn digest(text: &str) -> String {
    hex::encode(&Sha256::digest(text)[..8])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_the_published_vectors() {
        assert_eq!(intent_key(r#"{"intent":" ord-001 ","amount":1000}"#).unwrap(), "cabfa4ea11ff07d1");
        let intent = Intent { name: "ord-001".into(), amount: 1000 };
        assert_eq!(intent.body(), r#"{"intent":"ord-001","amount":1000}"#);
        assert_eq!(KeyMode::Stable.key(&intent, 1).unwrap(), "cabfa4ea11ff07d1");
        assert_eq!(KeyMode::Stable.key(&intent, 2).unwrap(), "cabfa4ea11ff07d1");
        assert_eq!(KeyMode::None.key(&intent, 1), None);
    }

    #[test]
    fn a_key_per_attempt_is_another_each_time() {
        let intent = Intent { name: "ord-001".into(), amount: 1000 };
        let keys: Vec<_> = (1..=2).map(|attempt| KeyMode::PerAttempt.key(&intent, attempt).unwrap()).collect();
        assert_eq!(keys, ["8b33074128cfb6e9", "df9bffa4d9d34499"]);
    }
}
