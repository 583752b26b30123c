//! Arguments from a tool's schema, where the user gave none. Pure. Invariant: what is made up names the intent in a text,
//! and leaves out what the schema does not require.

use serde_json::{Map, Value, json};

/// How deep schemas are followed.
const DEEPEST: usize = 8;
/// Stands for the placeholder of the amount, which is no text.
const AMOUNT: &str = "{{amount}}";
const INTENT: &str = "{{intent}}";

/// A template of arguments; None where no required argument, nor any other at the top, can name the intent.
pub fn template(schema: &Value) -> Option<String> {
    let mut arguments = object(schema, schema, DEEPEST);
    if !arguments.to_string().contains(INTENT) {
        let mut properties = schema.get("properties")?.as_object()?.iter();
        let (name, _) = properties.find(|(_, property)| value(property, schema, DEEPEST) == json!(INTENT))?;
        arguments[name] = json!(INTENT);
    }
    Some(arguments.to_string().replace(&format!("\"{AMOUNT}\""), AMOUNT))
}

fn object(schema: &Value, root: &Value, depth: usize) -> Value {
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let property = |name: &str| schema.pointer(&format!("/properties/{}", name.replace('~', "~0").replace('/', "~1")));
    let fields = required.map(|name| (name.to_owned(), value(property(name).unwrap_or(&Value::Null), root, depth - 1)));
    Value::Object(fields.collect::<Map<_, _>>())
}

/// A value that the schema takes, as far as that can be told without understanding all of it.
fn value(schema: &Value, root: &Value, depth: usize) -> Value {
    if depth == 0 {
        return Value::Null;
    }
    if let Some(local) = schema.get("$ref").and_then(Value::as_str).and_then(|path| path.strip_prefix('#')) {
        return value(root.pointer(local).unwrap_or(&Value::Null), root, depth - 1);
    }
    for name in ["const", "default"] {
        if let Some(given) = schema.get(name).filter(|given| !given.is_null()) {
            return given.clone();
        }
    }
    let first = |name: &str| schema.get(name).and_then(Value::as_array).and_then(|all| all.first());
    if let Some(chosen) = first("enum") {
        return chosen.clone();
    }
    if let Some(one) = first("anyOf").or(first("oneOf")).or(first("allOf")) {
        return value(one, root, depth - 1);
    }
    match kind(schema) {
        Some("string") => text(schema),
        Some("integer" | "number") => amount(schema),
        Some("boolean") => json!(false),
        Some("array") => array(schema, root, depth),
        Some("object") => object(schema, root, depth),
        Some(_) | None => json!(INTENT),
    }
}

/// The first of several.
fn kind(schema: &Value) -> Option<&str> {
    match schema.get("type")? {
        Value::Array(kinds) => kinds.first()?.as_str(),
        one => one.as_str(),
    }
}

fn text(schema: &Value) -> Value {
    match schema.get("format").and_then(Value::as_str) {
        Some("date-time") => json!("2026-01-01T00:00:00Z"),
        Some("date") => json!("2026-01-01"),
        Some("email") => json!("{{intent}}@example.com"),
        Some("uri" | "url") => json!("https://example.com/{{intent}}"),
        Some(_) | None => json!(INTENT),
    }
}

/// The amount, which begins at 1000, or the least where the schema takes no such numbers.
fn amount(schema: &Value) -> Value {
    match schema.get("maximum").and_then(Value::as_f64) {
        Some(most) if most < 1e6 => schema.get("minimum").cloned().unwrap_or(json!(1)),
        Some(_) | None => json!(AMOUNT),
    }
}

fn array(schema: &Value, root: &Value, depth: usize) -> Value {
    schema.get("items").map_or(json!([]), |items| json!([value(items, root, depth - 1)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(schema: Value) -> Option<String> {
        template(&schema)
    }

    #[test]
    fn what_is_required_is_filled_by_its_type() {
        let properties = json!({
            "to": {"type": "string"}, "sum": {"type": "integer"}, "few": {"type": "integer", "minimum": 2, "maximum": 9},
            "sure": {"type": "boolean"}, "tags": {"type": "array", "items": {"type": "string"}},
            "unit": {"enum": ["EUR", "USD"]}, "mode": {"type": "string", "default": "fast"}, "left": {"type": "string"},
        });
        let required = json!(["to", "sum", "few", "sure", "tags", "unit", "mode"]);
        let made = made(json!({"type": "object", "properties": properties, "required": required})).unwrap();
        let expected = r#"{"few":2,"mode":"fast","sum":{{amount}},"sure":false,"tags":["{{intent}}"],"to":"{{intent}}","unit":"EUR"}"#;
        assert_eq!(made, expected);
    }

    #[test]
    fn references_are_followed_and_the_intent_has_to_be_named() {
        let note = json!({"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]});
        let schema = json!({"properties": {"notes": {"type": "array", "items": {"$ref": "#/$defs/note"}}},
            "required": ["notes"], "$defs": {"note": note}});
        assert_eq!(made(schema).as_deref(), Some(r#"{"notes":[{"text":"{{intent}}"}]}"#));
        let optional = json!({"properties": {"n": {"type": "integer"}, "name": {"type": "string"}}, "required": ["n"]});
        assert_eq!(made(optional).as_deref(), Some(r#"{"n":{{amount}},"name":"{{intent}}"}"#));
        assert_eq!(made(json!({"properties": {"n": {"type": "integer"}}, "required": ["n"]})), None);
        assert_eq!(made(Value::Null), None);
        let endless = json!({"properties": {"a": {"$ref": "#/properties/a"}}, "required": ["a"]});
        assert_eq!(made(endless), None);
    }
}
