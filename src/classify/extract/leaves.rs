//! The leaves of a reading's JSON: field names, plain values, headers. Invariant: what is neither text nor number gives
//! nothing.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::fields::{Field, field};
use super::reading::Reading;

/// The value of a `Retry-After` line in the head of a reply.
pub(super) fn retry_after_line(head: &str) -> Option<&str> {
    head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.trim().eq_ignore_ascii_case("retry-after").then(|| value.trim())
    })
}

/// Headers as an object, or one header as `{"name": ..., "value": ...}`.
pub(super) fn header_map<'de, A: MapAccess<'de>>(reading: &mut Reading<'de>, mut map: A) -> Result<(), A::Error> {
    let mut wanted = false;
    while let Some(name) = map.next_key::<Cow<str>>()? {
        let value = map.next_value_seed(Scalar)?;
        match (field(&name), value) {
            (Some(Field::RetryAfter), Some(value)) => reading.retry_after = Some(value),
            (Some(Field::Replay), Some(value)) => reading.replay |= value.trim().eq_ignore_ascii_case("true"),
            (Some(Field::FunctionError), Some(_)) => reading.note_trouble("headers"),
            (Some(Field::Inner), Some(value)) if wanted => reading.retry_after = Some(value),
            (Some(Field::Message), Some(value)) => wanted = field(&value) == Some(Field::RetryAfter),
            _ => {}
        }
    }
    Ok(())
}

/// A field's name, looked up.
pub(super) struct Name;

impl<'de> DeserializeSeed<'de> for Name {
    type Value = Option<Field>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<Field>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Name {
    type Value = Option<Field>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a field name")
    }

    fn visit_str<E>(self, name: &str) -> Result<Option<Field>, E> {
        Ok(field(name))
    }
}

/// A header's value: text or number; None for anything else.
struct Scalar;

impl<'de> DeserializeSeed<'de> for Scalar {
    type Value = Option<Cow<'de, str>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Scalar {
    type Value = Option<Cow<'de, str>>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a header value")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
        Ok(Some(Cow::Owned(value.to_string())))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
        Ok(Some(Cow::Owned(value.to_string())))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
        Ok(Some(Cow::Owned(value.to_string())))
    }

    fn visit_str<E>(self, value: &str) -> Result<Self::Value, E> {
        Ok(Some(Cow::Owned(value.to_owned())))
    }

    fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Self::Value, E> {
        Ok(Some(Cow::Borrowed(value)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let first = seq.next_element_seed(Scalar)?.flatten();
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(first)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(None)
    }
}
