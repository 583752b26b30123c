//! The log's own names for intent, key and attempt (`--intent-field` and the like). Invariant: a name that was asked for
//! goes before idem's own, and how often each was used is known.

use std::borrow::Cow;
use std::str::FromStr;

use super::reading::Reading;
use crate::text::pointer::{Found, Pointer};

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Intent,
    Key,
    Attempt,
}

/// A field's name, or a JSON pointer to it.
#[derive(Clone, Debug)]
pub struct Place {
    written: String,
    pointer: Pointer,
}

impl FromStr for Place {
    type Err = String;

    fn from_str(written: &str) -> Result<Place, String> {
        if written.is_empty() {
            return Err("a field's name or a JSON pointer, not an empty text".to_owned());
        }
        let pointer = match written.starts_with('/') {
            true => written.parse()?,
            false => format!("/{}", written.replace('~', "~0").replace('/', "~1")).parse()?,
        };
        Ok(Place { written: written.to_owned(), pointer })
    }
}

/// The names that were asked for, each with how often it was used.
#[derive(Debug, Default)]
pub struct Mapping {
    places: Vec<(Role, Place, u64)>,
}

impl Mapping {
    pub fn new(intents: &[Place], keys: &[Place], attempts: &[Place]) -> Mapping {
        let of = |role, places: &[Place]| places.iter().map(move |place| (role, place.clone(), 0)).collect::<Vec<_>>();
        Mapping { places: [of(Role::Intent, intents), of(Role::Key, keys), of(Role::Attempt, attempts)].concat() }
    }

    /// Takes the fields from a value. What is not there, or is no name, is left as it was read.
    pub fn apply<'a>(&mut self, reading: &mut Reading<'a>, json: &'a [u8]) {
        let (mut intent, mut key, mut attempt) = (None, None, None);
        for (role, place, used) in &mut self.places {
            let Ok(Found::Name(name)) = place.pointer.find(json) else { continue };
            let taken = match role {
                Role::Intent => first(&mut intent, name),
                Role::Key => first(&mut key, name),
                Role::Attempt => first(&mut attempt, name),
            };
            *used += u64::from(taken);
        }
        reading.intent = intent.or(reading.intent.take());
        reading.key = key.or(reading.key.take());
        reading.attempt = attempt.and_then(|text: Cow<str>| text.trim().parse().ok()).or(reading.attempt);
    }

    /// What a name in a line of words stands for.
    pub fn named(&mut self, name: &str) -> Option<Role> {
        let (role, _, used) = self.places.iter_mut().find(|(_, place, _)| place.written == name)?;
        *used += 1;
        Some(*role)
    }

    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Each name with how often it was used.
    pub fn used(&self) -> impl Iterator<Item = (&str, u64)> {
        self.places.iter().map(|(_, place, used)| (place.written.as_str(), *used))
    }
}

/// Keeps the first name of several; false where there was one already, or it is empty.
fn first<'a>(kept: &mut Option<Cow<'a, str>>, name: Cow<'a, str>) -> bool {
    let takes = kept.is_none() && !name.is_empty();
    if takes {
        *kept = Some(name);
    }
    takes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_name_that_is_there_counts() {
        let places: Vec<Place> = ["order", "/meta/order~1id"].map(|text| text.parse().unwrap()).into();
        let mut mapping = Mapping::new(&places, &[], &["try".parse().unwrap()]);
        let mut intent = |json: &str| {
            let mut reading = Reading { intent: Some("own".into()), ..Reading::default() };
            mapping.apply(&mut reading, json.as_bytes());
            (reading.intent.unwrap().into_owned(), reading.attempt)
        };
        assert_eq!(intent(r#"{"order":"a","try":2,"meta":{"order/id":"b"}}"#), ("a".into(), Some(2)));
        assert_eq!(intent(r#"{"meta":{"order/id":7}}"#), ("7".into(), None));
        assert_eq!(intent(r#"{"order":null}"#), ("own".into(), None));
        assert_eq!(mapping.used().collect::<Vec<_>>(), [("order", 1), ("/meta/order~1id", 1), ("try", 1)]);
        assert!("".parse::<Place>().is_err() && "/a~2".parse::<Place>().is_err());
    }
}
