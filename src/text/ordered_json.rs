//! JSON as it was written. Invariant: fields keep their order and their repeats, and a number is known for an integer or
//! another number; a parsed `Value` would have lost the first two.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Number;

/// A JSON value that keeps the order of its fields.
#[derive(Clone, Debug, PartialEq)]
pub enum OrderedJson {
    Null,
    Bool(bool),
    /// `1000.0`, `1e3`, `-0` and what leaves 64 bits are doubles: `as_i64` gives None for them.
    Number(Number),
    Text(String),
    Array(Vec<OrderedJson>),
    /// With repeated names, if there are any.
    Object(Vec<(String, OrderedJson)>),
}

impl<'de> Deserialize<'de> for OrderedJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<OrderedJson, D::Error> {
        deserializer.deserialize_any(AsWritten)
    }
}

struct AsWritten;

impl<'de> Visitor<'de> for AsWritten {
    type Value = OrderedJson;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<OrderedJson, E> {
        Ok(OrderedJson::Null)
    }

    fn visit_bool<E>(self, bool: bool) -> Result<OrderedJson, E> {
        Ok(OrderedJson::Bool(bool))
    }

    fn visit_i64<E>(self, integer: i64) -> Result<OrderedJson, E> {
        Ok(OrderedJson::Number(integer.into()))
    }

    fn visit_u64<E>(self, integer: u64) -> Result<OrderedJson, E> {
        Ok(OrderedJson::Number(integer.into()))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<OrderedJson, E> {
        Number::from_f64(number).map(OrderedJson::Number).ok_or_else(|| E::custom("a number that is not finite"))
    }

    fn visit_str<E>(self, text: &str) -> Result<OrderedJson, E> {
        Ok(OrderedJson::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<OrderedJson, E> {
        Ok(OrderedJson::Text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<OrderedJson, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(OrderedJson::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<OrderedJson, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = map.next_entry()? {
            fields.push(field);
        }
        Ok(OrderedJson::Object(fields))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_repeats_and_the_kind_of_number_are_kept() {
        let read: OrderedJson = serde_json::from_str(r#"{"b":[null,true,"x"],"a":1,"b":{"a":1.0},"c":-0}"#).unwrap();
        let OrderedJson::Object(fields) = read else { panic!("an object") };
        assert_eq!(fields.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["b", "a", "b", "c"]);
        let text = OrderedJson::Text("x".into());
        assert_eq!(fields[0].1, OrderedJson::Array(vec![OrderedJson::Null, OrderedJson::Bool(true), text]));
        assert_eq!(fields[1].1, OrderedJson::Number(1.into()));
        for number in ["1.0", "1e3", "-0", "18446744073709551616"] {
            let read: OrderedJson = serde_json::from_str(number).unwrap();
            assert!(matches!(read, OrderedJson::Number(number) if number.as_i64().is_none()), "{number}");
        }
    }
}
