//! What has to stand in a reply. Invariant: a value that is there must be the one that was named; nothing is taken for true
//! that only looks like it.

use std::fmt;

use anyhow::ensure;
use serde_json::Value;

/// A place in a JSON reply, and what has to stand there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// JSON pointer.
    at: String,
    value: Wanted,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Wanted {
    /// The word `true` of JSON.
    True,
    /// Anything but null.
    Something,
    /// This text, or the number or word that is written so.
    Text(String),
}

impl Expected {
    /// `POINTER`, `POINTER=VALUE`, or `POINTER=*` for anything but null.
    ///
    /// # Errors
    /// Where it begins with no pointer.
    pub fn parse(text: &str) -> anyhow::Result<Expected> {
        ensure!(text.starts_with('/'), "{text}: a JSON pointer begins with /, as in /{text}");
        let (at, value) = match text.split_once('=') {
            None => (text, Wanted::True),
            Some((at, "*")) => (at, Wanted::Something),
            Some((at, value)) => (at, Wanted::Text(value.to_string())),
        };
        Ok(Expected { at: at.to_string(), value })
    }

    /// Whether the reply's document has it; None is a reply that is no JSON.
    pub fn is_met(&self, document: Option<&Value>) -> bool {
        let Some(found) = document.and_then(|document| document.pointer(&self.at)) else { return false };
        match (&self.value, found) {
            (Wanted::True, found) => *found == Value::Bool(true),
            (Wanted::Something, found) => !found.is_null(),
            (Wanted::Text(wanted), Value::String(text)) => text == wanted,
            (Wanted::Text(wanted), Value::Number(_) | Value::Bool(_) | Value::Null) => {
                let written = found.to_string();
                written == *wanted
            }
            (Wanted::Text(_), Value::Array(_) | Value::Object(_)) => false,
        }
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.value {
            Wanted::True => f.write_str(&self.at),
            Wanted::Something => write!(f, "{}=*", self.at),
            Wanted::Text(text) => write!(f, "{}={text}", self.at),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_there_must_be_what_was_named() {
        let document =
            serde_json::json!({"ok": true, "said": "true", "n": 7, "none": null, "status": "done", "list": [1]});
        for (expected, is_met) in [
            ("/ok", true),
            ("/said", false),
            ("/n", false),
            ("/nowhere", false),
            ("/status=done", true),
            ("/status=don", false),
            ("/n=7", true),
            ("/ok=true", true),
            ("/said=true", true),
            ("/list=*", true),
            ("/none=*", false),
            ("/nowhere=*", false),
            ("/list=[1]", false),
        ] {
            assert_eq!(Expected::parse(expected).unwrap().is_met(Some(&document)), is_met, "{expected}");
            assert!(!Expected::parse(expected).unwrap().is_met(None));
            assert_eq!(Expected::parse(expected).unwrap().to_string(), expected);
        }
        assert!(Expected::parse("ok").is_err());
    }
}
