//! The same JSON written in another way, and JSON that differs in one leaf. Invariant: what is rewritten has the same
//! value and other bytes; what is altered has another value at one place and the same everywhere else.

use serde_json::{Number, Value};

use crate::text::ordered_json::OrderedJson;

/// Reverses the order of all fields and changes the white space. What is no JSON comes back as it is.
pub fn reserialise(body: &str) -> String {
    let Ok(value) = serde_json::from_str::<OrderedJson>(body) else { return body.to_string() };
    let mut text = String::new();
    write(&value, &REVERSED, &mut text);
    // Our own spacing may happen to be the template's.
    if text == body { format!(" {text}") } else { text }
}

/// The pointers of all leaves (RFC 6901): what is neither object nor array. None for what is no JSON.
pub fn leaves(body: &str) -> Option<Vec<(String, OrderedJson)>> {
    let mut leaves = Vec::new();
    collect(serde_json::from_str(body).ok()?, String::new(), &mut leaves);
    Some(leaves)
}

/// With another value of the same kind at the leaf that a pointer names; as it is where there is no such leaf.
pub fn altered(body: &str, at: &str) -> String {
    replaced(body, at, &another)
}

/// With what `with` makes of the leaf that a pointer names; as it is where there is no such leaf.
pub fn replaced(body: &str, at: &str, with: &dyn Fn(&OrderedJson) -> OrderedJson) -> String {
    let Ok(mut value) = serde_json::from_str::<OrderedJson>(body) else { return body.to_string() };
    replace(&mut value, at, "", with);
    compact(&value)
}

/// Without white space.
pub fn compact(value: &OrderedJson) -> String {
    let mut text = String::new();
    write(value, &COMPACT, &mut text);
    text
}

/// Inside the quotes of a string.
pub fn escape(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).expect("it is quoted").to_string()
}

/// Sets a string field, making the objects on the way. What is no JSON comes back as it is.
pub fn with_field(body: &str, at: &str, value: &str) -> String {
    let Ok(mut document) = serde_json::from_str::<Value>(body) else { return body.to_string() };
    let mut place = &mut document;
    for name in at.split('/').skip(1).map(|part| part.replace("~1", "/").replace("~0", "~")) {
        if !place.is_object() {
            *place = Value::Object(serde_json::Map::new());
        }
        place = place.as_object_mut().expect("made one").entry(name).or_insert(Value::Null);
    }
    *place = Value::String(value.to_string());
    document.to_string()
}

/// With one more field of so many bytes; None where the body is no object.
pub fn padded(body: &str, bytes: usize) -> Option<String> {
    let open = body.trim_end().strip_suffix('}')?;
    let comma = if open.trim_end().ends_with('{') { "" } else { "," };
    Some(format!(r#"{open}{comma}"idem_padding":"{}"}}"#, "x".repeat(bytes)))
}

fn collect(value: OrderedJson, at: String, leaves: &mut Vec<(String, OrderedJson)>) {
    match value {
        OrderedJson::Object(fields) => {
            fields.into_iter().for_each(|(name, value)| collect(value, format!("{at}/{}", step(&name)), leaves));
        }
        OrderedJson::Array(items) => {
            items.into_iter().enumerate().for_each(|(n, value)| collect(value, format!("{at}/{n}"), leaves));
        }
        leaf => leaves.push((at, leaf)),
    }
}

fn replace(value: &mut OrderedJson, at: &str, here: &str, with: &dyn Fn(&OrderedJson) -> OrderedJson) {
    match value {
        OrderedJson::Object(fields) => {
            fields.iter_mut().for_each(|(name, value)| replace(value, at, &format!("{here}/{}", step(name)), with));
        }
        OrderedJson::Array(items) => {
            items.iter_mut().enumerate().for_each(|(n, value)| replace(value, at, &format!("{here}/{n}"), with));
        }
        leaf if at == here => *leaf = with(leaf),
        OrderedJson::Null | OrderedJson::Bool(_) | OrderedJson::Number(_) | OrderedJson::Text(_) => {}
    }
}

/// A field's name as a step of a pointer.
pub fn step(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Another value of the same kind, as near as can be: what compares only a part must not see it.
fn another(leaf: &OrderedJson) -> OrderedJson {
    match leaf {
        OrderedJson::Null => OrderedJson::Text("x".into()),
        OrderedJson::Bool(is) => OrderedJson::Bool(!is),
        OrderedJson::Number(number) => OrderedJson::Number(match number.as_i64() {
            Some(integer) => integer.wrapping_add(1).into(),
            None => Number::from(1),
        }),
        OrderedJson::Text(text) => OrderedJson::Text(other_text(text)),
        OrderedJson::Array(_) | OrderedJson::Object(_) => leaf.clone(),
    }
}

/// Another currency for a currency (ISO 4217; in lower case only the most common, as words have three letters too), else
/// another last character: a digit for a digit.
pub fn other_text(text: &str) -> String {
    if ["eur", "usd", "gbp", "chf", "jpy", "cad", "aud", "cny", "inr", "brl"].contains(&text) {
        return if text == "eur" { "usd" } else { "eur" }.into();
    }
    if text.len() == 3 && text.bytes().all(|b| b.is_ascii_uppercase()) {
        return if text == "EUR" { "USD" } else { "EUR" }.into();
    }
    let mut chars: Vec<char> = text.chars().collect();
    match chars.pop() {
        Some('0') => chars.push('1'),
        Some(digit @ '1'..='9') => chars.extend(char::from_digit(digit as u32 - '1' as u32, 10)),
        Some('x') => chars.push('y'),
        Some(_) | None => chars.push('x'),
    }
    chars.into_iter().collect()
}

/// How JSON is spaced, and whether its fields are turned round.
struct Style {
    colon: &'static str,
    comma: &'static str,
    inside: &'static str,
    is_reversed: bool,
}

const REVERSED: Style = Style { colon: " : ", comma: ",  ", inside: " ", is_reversed: true };
const COMPACT: Style = Style { colon: ":", comma: ",", inside: "", is_reversed: false };

fn write(value: &OrderedJson, style: &Style, out: &mut String) {
    match value {
        OrderedJson::Null => *out += "null",
        OrderedJson::Bool(is) => *out += &is.to_string(),
        OrderedJson::Number(number) => *out += &number.to_string(),
        OrderedJson::Text(text) => *out += &Value::from(text.as_str()).to_string(),
        OrderedJson::Array(items) => list(out, style, ['[', ']'], items.iter(), |value, out| write(value, style, out)),
        OrderedJson::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            if style.is_reversed {
                fields.reverse();
            }
            list(out, style, ['{', '}'], fields.into_iter(), |(name, value), out| {
                *out += &Value::from(name.as_str()).to_string();
                *out += style.colon;
                write(value, style, out);
            });
        }
    }
}

fn list<T>(
    out: &mut String,
    style: &Style,
    ends: [char; 2],
    items: impl Iterator<Item = T>,
    write: impl Fn(T, &mut String),
) {
    out.push(ends[0]);
    for (i, item) in items.enumerate() {
        *out += if i == 0 { style.inside } else { style.comma };
        write(item, out);
    }
    *out += style.inside;
    out.push(ends[1]);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn fields_turn_round() {
        assert_eq!(reserialise(r#"{"a":1,"b":[true,null]}"#), r#"{ "b" : [ true,  null ],  "a" : 1 }"#);
    }

    #[test]
    fn each_leaf_has_a_pointer_and_another_value_of_its_kind() {
        let body = r#"{"a":[1,{"b/c":"2026-01-31"}],"d":true,"e":null,"f":"EUR","g":"name x","h":""}"#;
        let pointers: Vec<_> = leaves(body).unwrap().into_iter().map(|(at, _)| at).collect();
        assert_eq!(pointers, ["/a/0", "/a/1/b~1c", "/d", "/e", "/f", "/g", "/h"]);
        let changed = [
            ("/a/0", r#""a":[2,"#),
            ("/a/1/b~1c", r#""b/c":"2026-01-30""#),
            ("/d", r#""d":false"#),
            ("/e", r#""e":"x""#),
            ("/f", r#""f":"USD""#),
            ("/g", r#""g":"name y""#),
            ("/h", r#""h":"x""#),
        ];
        for (at, part) in changed {
            let other = altered(body, at);
            assert!(other.contains(part), "{at}: {other}");
        }
        assert_eq!(altered(body, "/nowhere"), body);
    }

    #[test]
    fn a_text_is_altered_as_little_as_can_be() {
        for (text, other) in [
            ("EUR", "USD"),
            ("USD", "EUR"),
            ("JPY", "EUR"),
            ("eur", "usd"),
            ("chf", "eur"),
            ("the", "thx"),
            ("EU1", "EU0"),
            ("EURO", "EURx"),
            ("EU", "Ex"),
            ("90", "91"),
            ("91", "90"),
            ("99", "98"),
            ("ax", "ay"),
            ("ä", "x"),
            ("", "x"),
        ] {
            assert_eq!(other_text(text), other, "{text}");
        }
        let number = |text: &str| altered(&format!("[{text}]"), "/0");
        assert_eq!([number("7"), number("-1"), number("1.5")], ["[8]", "[0]", "[1]"]);
        assert_eq!(number("9223372036854775807"), "[-9223372036854775808]");
    }

    #[test]
    fn what_is_no_json_stays_as_it_is() {
        assert_eq!((reserialise("a=1"), altered("a=1", ""), leaves("a=1")), ("a=1".into(), "a=1".into(), None));
        assert_eq!(reserialise(r#"{ "a" : 1 }"#), r#" { "a" : 1 }"#, "our own spacing may be the template's");
    }

    #[test]
    fn a_padded_object_is_one_field_larger() {
        assert_eq!(padded(r#"{"a":1}"#, 3).unwrap(), r#"{"a":1,"idem_padding":"xxx"}"#);
        assert_eq!(padded("{ }", 1).unwrap(), r#"{ "idem_padding":"x"}"#);
        assert_eq!(padded("[1]", 3), None);
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

        #[test]
        fn another_leaf_is_another_value_and_only_there(value in json()) {
            let body = value.to_string();
            let before = leaves(&body).unwrap();
            for (at, _) in &before {
                let after = leaves(&altered(&body, at)).unwrap();
                let differ: Vec<_> = before.iter().zip(&after).filter(|(a, b)| a != b).map(|((at, _), _)| at).collect();
                prop_assert_eq!(differ, vec![at]);
            }
        }
    }
}
