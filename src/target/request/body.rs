//! The same JSON written in another way. Invariant: the value is the same and the bytes are not.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

/// A JSON value that keeps the order of its fields.
#[derive(Debug, Clone, PartialEq)]
enum Ordered {
    Object(Vec<(String, Ordered)>),
    Array(Vec<Ordered>),
    /// Neither object nor array.
    Leaf(Value),
}

/// Reverses the order of all fields and changes the white space. What is no JSON comes back as it is.
pub fn reserialise(body: &str) -> String {
    let Ok(value) = serde_json::from_str::<Ordered>(body) else { return body.to_string() };
    let mut text = String::new();
    value.write(&mut text);
    // Our own spacing may happen to be the template's.
    if text == body { format!(" {text}") } else { text }
}

impl Ordered {
    fn write(&self, out: &mut String) {
        match self {
            Ordered::Object(fields) => list(out, ['{', '}'], fields.iter().rev(), |(name, value), out| {
                *out += &Value::String(name.clone()).to_string();
                *out += " : ";
                value.write(out);
            }),
            Ordered::Array(items) => list(out, ['[', ']'], items.iter(), Ordered::write),
            Ordered::Leaf(value) => *out += &value.to_string(),
        }
    }
}

fn list<T>(out: &mut String, ends: [char; 2], items: impl Iterator<Item = T>, write: impl Fn(T, &mut String)) {
    out.push(ends[0]);
    for (i, item) in items.enumerate() {
        *out += if i == 0 { " " } else { ",  " };
        write(item, out);
    }
    out.push(' ');
    out.push(ends[1]);
}

impl<'de> Deserialize<'de> for Ordered {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Ordered, D::Error> {
        deserializer.deserialize_any(InOrder)
    }
}

struct InOrder;

impl<'de> Visitor<'de> for InOrder {
    type Value = Ordered;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Ordered, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = map.next_entry()? {
            fields.push(field);
        }
        Ok(Ordered::Object(fields))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Ordered, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Ordered::Array(items))
    }

    fn visit_bool<E>(self, v: bool) -> Result<Ordered, E> {
        Ok(Ordered::Leaf(v.into()))
    }

    fn visit_i64<E>(self, v: i64) -> Result<Ordered, E> {
        Ok(Ordered::Leaf(v.into()))
    }

    fn visit_u64<E>(self, v: u64) -> Result<Ordered, E> {
        Ok(Ordered::Leaf(v.into()))
    }

    fn visit_f64<E>(self, v: f64) -> Result<Ordered, E> {
        Ok(Ordered::Leaf(v.into()))
    }

    fn visit_str<E>(self, v: &str) -> Result<Ordered, E> {
        Ok(Ordered::Leaf(v.into()))
    }

    fn visit_unit<E>(self) -> Result<Ordered, E> {
        Ok(Ordered::Leaf(Value::Null))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn fields_turn_round() {
        assert_eq!(reserialise(r#"{"a":1,"b":[true,null]}"#), r#"{ "b" : [ true,  null ],  "a" : 1 }"#);
    }

    fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            ".*".prop_map(Value::from)
        ];
        leaf.prop_recursive(3, 16, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map(".*", inner, 0..4).prop_map(|m| Value::Object(m.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn the_value_stays_and_the_bytes_change(value in json()) {
            let body = value.to_string();
            let other = reserialise(&body);
            prop_assert_ne!(&other, &body);
            prop_assert_eq!(serde_json::from_str::<Value>(&other).unwrap(), value);
        }
    }
}
