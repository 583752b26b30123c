//! The holes of a template: `{{intent}}` and others, in a body, a URL or a header. Invariant: what is filled in is escaped
//! as the place asks, and what is no hole stays as it is.

use std::borrow::Cow;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::bail;

use super::key::KeyFormat;
use crate::terms::named::named_enum;
use crate::text::time::rfc3339;

named_enum! {
    /// What can be filled in.
    pub enum Hole {
        /// the name of the side effect, new in each run
        Intent = "intent",
        /// a number that is another one for each intent
        Amount = "amount",
        /// the idempotency key; where it stands, no header carries one unless --key-header names it
        Key = "key",
        /// a UUID: the same in all requests of an intent, but in a header another one in each request
        Uuid = "uuid",
        /// RFC 3339, when the intent was made up; in a header the moment of the request
        Now = "now",
        /// the same moment in seconds since 1970
        NowEpoch = "now_epoch",
    }
}

/// What fills the holes of one request.
#[derive(Clone, Debug)]
pub struct Values<'a> {
    pub intent: &'a str,
    pub amount: u64,
    /// Empty where none is sent.
    pub key: Cow<'a, str>,
    pub uuid: String,
    /// Since 1970.
    pub now: Duration,
}

impl<'a> Values<'a> {
    /// The same in each request of the intent.
    pub fn new(intent: &'a str, amount: u64, key: Cow<'a, str>, now: Duration) -> Values<'a> {
        Values { intent, amount, key, uuid: KeyFormat::Uuid.key(&format!("uuid {intent}")), now }
    }

    /// With a moment and a UUID of this request alone.
    pub fn fresh(self) -> Values<'a> {
        let chance = RandomState::new().build_hasher().finish();
        let now = now();
        Values { uuid: KeyFormat::Uuid.key(&format!("{chance} {now:?}")), now, ..self }
    }

    fn of(&self, hole: Hole) -> Cow<'_, str> {
        match hole {
            Hole::Intent => self.intent.into(),
            Hole::Amount => self.amount.to_string().into(),
            Hole::Key => self.key.as_ref().into(),
            Hole::Uuid => self.uuid.as_str().into(),
            Hole::Now => rfc3339(UNIX_EPOCH + self.now).into(),
            Hole::NowEpoch => self.now.as_secs().to_string().into(),
        }
    }
}

/// Since 1970; a clock set before gives zero.
pub fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// Fills all holes.
pub fn fill(text: &str, values: &Values, escape: impl Fn(&str) -> String) -> String {
    let parts = parts(text).map(|part| match part {
        Part::Text(text) => text.to_string(),
        Part::Hole(hole) => escape(&values.of(hole)),
    });
    parts.collect()
}

/// What stands between the holes.
pub fn fixed(text: &str) -> impl Iterator<Item = &str> {
    parts(text).filter_map(|part| match part {
        Part::Text(text) => Some(text),
        Part::Hole(_) => None,
    })
}

/// Whether a text has this hole.
pub fn has(text: &str, hole: Hole) -> bool {
    parts(text).any(|part| matches!(part, Part::Hole(found) if found == hole))
}

/// # Errors
/// Names a word in double braces that is no hole, and those there are: it is most likely misspelt.
pub fn check(text: &str) -> anyhow::Result<()> {
    for (name, _) in text.split("{{").skip(1).filter_map(|rest| rest.split_once("}}")) {
        let is_word = name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_:- ".contains(&b)) && !name.is_empty();
        if is_word && Hole::parse(name).is_err() {
            let known = Hole::ALL.iter().map(|hole| format!("{{{{{hole}}}}}")).collect::<Vec<_>>().join(", ");
            bail!("{{{{{name}}}}}: not a placeholder; give one of {known}");
        }
    }
    Ok(())
}

enum Part<'a> {
    Text(&'a str),
    Hole(Hole),
}

/// Text and holes, in order.
fn parts(text: &str) -> impl Iterator<Item = Part<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if let Some((hole, after)) = hole_at_start(rest) {
            rest = after;
            return Some(Part::Hole(hole));
        }
        let end = rest.match_indices('{').map(|(at, _)| at).find(|at| starts_hole(rest, *at)).unwrap_or(rest.len());
        let (before, after) = rest.split_at(end);
        rest = after;
        (!before.is_empty()).then_some(Part::Text(before))
    })
}

fn starts_hole(text: &str, at: usize) -> bool {
    text.get(at..).and_then(hole_at_start).is_some()
}

/// The hole with which a text begins, and what follows it.
fn hole_at_start(text: &str) -> Option<(Hole, &str)> {
    let (name, after) = text.strip_prefix("{{")?.split_once("}}")?;
    Some((Hole::parse(name).ok()?, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values() -> Values<'static> {
        Values::new("a b", 7, "k".into(), Duration::from_millis(1_793_613_600_123))
    }

    #[test]
    fn each_hole_is_filled_and_escaped() {
        let text = "<{{intent}}|{{amount}}|{{key}}|{{now}}|{{now_epoch}}>";
        let filled = fill(text, &values(), |value| value.replace(' ', "+"));
        assert_eq!(filled, "<a+b|7|k|2026-11-02T10:00:00.123Z|1793613600>");
    }

    #[test]
    fn braces_that_are_no_hole_stay() {
        for text in [r#"{"a":{"b":1}}"#, "{{", "}}", "{{intent", "{{}}", "{{{x}}}"] {
            assert_eq!(fill(text, &values(), str::to_string), text);
        }
        assert_eq!(fill(r#"{"a":{{amount}}}"#, &values(), str::to_string), r#"{"a":7}"#);
        assert_eq!(fill("{{{amount}}}", &values(), str::to_string), "{7}");
    }

    #[test]
    fn a_uuid_is_the_intents_and_a_fresh_one_nobodys() {
        let uuid = |values: &Values| fill("{{uuid}}", values, str::to_string);
        assert_eq!(uuid(&values()), uuid(&values()));
        assert_ne!(uuid(&values()), uuid(&Values { intent: "b", ..values() }.fresh()));
        assert_ne!(uuid(&values().fresh()), uuid(&values().fresh()));
    }

    #[test]
    fn a_misspelt_hole_is_refused_with_those_there_are() {
        for text in ["{{intnet}}", "{{ intent }}", "x{{now:epoch}}"] {
            let why = check(text).unwrap_err().to_string();
            assert!(why.contains("not a placeholder; give one of {{intent}}, {{amount}}"), "{why}");
        }
        for text in ["{{intent}}", r#"{"a":{"b":{{amount}}}}"#, "{{\"a\"}}"] {
            assert!(check(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn the_fixed_parts_are_what_stands_between() {
        assert_eq!(fixed("a{{key}}{{now}}b{{x}}").collect::<Vec<_>>(), ["a", "b{{x}}"]);
    }
}
