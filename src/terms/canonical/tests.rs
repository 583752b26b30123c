//! The canonical form, by vectors written out by hand and by properties.

use proptest::prelude::*;
use serde_json::{Map, Value};

use super::*;

fn defect(json: &str) -> (String, Defect) {
    let error = canonical(json).expect_err(json);
    (error.pointer, error.defect)
}

#[test]
fn vectors() {
    let vectors = [
        (r#"{"intent":" ord-001 ","amount":1000}"#, r#"{"amount":1000,"intent":"ord-001"}"#),
        (r#" { "b" : [ 1 , true , null , false ] , " a\t" : {} } "#, r#"{"a":{},"b":[1,true,null,false]}"#),
        // White_Space beyond ASCII is trimmed, inside it stays; U+200B and U+FEFF are no White_Space.
        ("\"\u{3000}\u{a0}\u{85}x  y\u{2028}\"", r#""x  y""#),
        ("\"\u{200b}x\u{feff}\"", "\"\u{200b}x\u{feff}\""),
        // The escapes of input vanish, those that JSON requires come back in one form.
        (r#""\u0041\/\u00e9\ud83d\ude00""#, "\"A/é😀\""),
        (
            r#""a\u0008\u0009\u000A\u000c\u000d\u0000\u001F\u007f\"\\z""#,
            "\"a\\b\\t\\n\\f\\r\\u0000\\u001f\u{7f}\\\"\\\\z\"",
        ),
        // By UTF-8 bytes U+FF01 comes before U+1F600; by UTF-16 units it would come after.
        ("{\"😀\":1,\"\u{ff01}\":2,\"B\":3,\"a\":4}", "{\"B\":3,\"a\":4,\"\u{ff01}\":2,\"😀\":1}"),
        // Trimmed before sorted: `!` (0x21) sorts after a blank and before a letter.
        (r#"{"!":1," a":2}"#, r#"{"!":1,"a":2}"#),
        ("[0,-1,9223372036854775807,-9223372036854775808]", "[0,-1,9223372036854775807,-9223372036854775808]"),
    ];
    for (json, form) in vectors {
        assert_eq!(canonical(json).as_deref(), Ok(form), "{json}");
    }
}

#[test]
fn numbers_other_than_integers_are_refused_where_they_stand() {
    for number in ["1000.0", "1e3", "1E3", "-0", "-0.0", "0.1", "9223372036854775808", "-9223372036854775809", "1e400"]
    {
        let json = format!(r#"{{"a":[0,{{"~x/y":{number}}}]}}"#);
        match defect(&json) {
            (pointer, Defect::NotAnInteger) => assert_eq!(pointer, "/a/1/~0x~1y", "{number}"),
            // Beyond the doubles the parser itself gives up.
            (_, Defect::Syntax(text)) => {
                assert!(number == "1e400" && text.contains("out of range"), "{number}: {text}")
            }
            other => panic!("{number}: {other:?}"),
        }
    }
}

#[test]
fn equal_keys_are_refused_literal_or_by_trimming() {
    assert_eq!(defect(r#"{"a":1,"a":1}"#), (String::new(), Defect::SameKey("a".into())));
    assert_eq!(defect(r#"[{"x":{"a":1," a":1}}]"#), ("/0/x".into(), Defect::SameKey("a".into())));
    assert_eq!(canonical(r#"{"a":1,"A":1}"#).as_deref(), Ok(r#"{"A":1,"a":1}"#));
}

#[test]
fn depth_is_bounded() {
    let nested = |depth: usize| "[".repeat(depth) + "1" + &"]".repeat(depth);
    assert_eq!(canonical(&nested(MAX_DEPTH)), Ok(nested(MAX_DEPTH)));
    assert_eq!(defect(&nested(MAX_DEPTH + 1)).1, Defect::TooDeep);
    assert!(matches!(defect(&nested(100_000)).1, Defect::Syntax(_)));
}

#[test]
fn what_is_not_one_json_text_is_refused() {
    for json in ["", " ", "{", "nul", "{}{}", "'a'", "[1,]", "\u{feff}{}", r#""\ud800""#, "01", "+1", "NaN", "\"a\tb\""]
    {
        assert!(matches!(defect(json).1, Defect::Syntax(_)), "{json}");
    }
}

#[test]
fn errors_name_the_place() {
    let said = |json| canonical(json).unwrap_err().to_string();
    assert_eq!(
        said(r#"{"amount":10.5}"#),
        "at /amount: a number must be an integer within i64, written without `.`, `e` or `-0`"
    );
    assert_eq!(said(r#"{"a":1,"a ":2}"#), "two keys are both `a` once trimmed; rename one");
    assert_eq!(said("{\"a\":\n}"), "not JSON: expected value at line 2 column 1");
}

/// JSON values with integers only, and keys that stay apart when trimmed.
fn values() -> impl Strategy<Value = Value> {
    let text = "[ \t\u{3000}]?[a-c\"\\\\/\u{0}\u{1f}é😀\u{ff01} ]{0,4}[ \n\u{a0}]?";
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        text.prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, move |inner| {
        let members = prop::collection::vec((text, inner.clone()), 0..4);
        prop_oneof![prop::collection::vec(inner, 0..4).prop_map(Value::from), members.prop_map(apart)]
    })
}

fn apart(members: Vec<(String, Value)>) -> Value {
    let mut kept: Map<String, Value> = Map::new();
    for (key, value) in members {
        if !kept.keys().any(|other| other.trim() == key.trim()) {
            kept.insert(key, value);
        }
    }
    Value::Object(kept)
}

/// What the value must read back as.
fn trimmed(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::from(text.trim()),
        Value::Array(items) => items.iter().map(trimmed).collect(),
        Value::Object(members) => members.iter().map(|(key, value)| (key.trim().to_owned(), trimmed(value))).collect(),
        scalar => scalar.clone(),
    }
}

/// Writes the value another way: members turned round by `turn`, white space between tokens and within strings' ends,
/// every character escaped.
fn disguised(value: &Value, turn: usize) -> String {
    let blank = [" ", "\n", "\t\r", ""][turn % 4];
    let string = |text: &str| {
        let escaped: String = text.encode_utf16().map(|unit| format!("\\u{unit:04X}")).collect();
        format!("\"{blank_escaped}{escaped}\\u3000\"", blank_escaped = ["", "\\n", "\\u2003"][turn % 3])
    };
    match value {
        Value::String(text) => string(text),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| disguised(item, turn)).collect();
            format!("{blank}[{blank}{}{blank}]", items.join(&format!("{blank},{blank}")))
        }
        Value::Object(members) => {
            let mut written: Vec<String> = members
                .iter()
                .map(|(key, value)| format!("{}{blank}:{blank}{}", string(key), disguised(value, turn)))
                .collect();
            let middle = turn % written.len().max(1);
            written.rotate_left(middle);
            format!("{{{blank}{}{blank}}}", written.join(","))
        }
        scalar => scalar.to_string(),
    }
}

proptest! {
    #[test]
    fn canonical_is_idempotent_and_means_the_same(value in values()) {
        let form = canonical(&value.to_string()).unwrap();
        prop_assert_eq!(canonical(&form).unwrap(), form.clone());
        prop_assert_eq!(serde_json::from_str::<Value>(&form).unwrap(), trimmed(&value));
    }

    #[test]
    fn neither_order_nor_white_space_nor_escapes_matter(value in values(), turn in 0usize..12) {
        prop_assert_eq!(canonical(&disguised(&value, turn)), canonical(&value.to_string()));
    }

    #[test]
    fn no_text_panics(text in "[\\[\\]{}\",:0-9eE.+\\-a-f\\\\ ]{0,40}") {
        if let Ok(form) = canonical(&text) {
            prop_assert!(serde_json::from_str::<Value>(&text).is_ok());
            prop_assert_eq!(canonical(&form).unwrap(), form);
        }
    }
}

/// Depth counts what lies within each other, not what stands side by side.
#[test]
fn many_items_of_one_list_are_not_deep() {
    let wide = format!("[{}]", vec!["[1]"; MAX_DEPTH * 3].join(","));
    assert_eq!(canonical(&wide), Ok(wide.clone()));
}
