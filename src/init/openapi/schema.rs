//! A value that a schema takes. Invariant: an example of the description goes before what is made up; references are
//! followed within the file alone, and so far only.

use anyhow::{Context, ensure};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::init::names;
use crate::text::ordered_json::OrderedJson;

/// How deep schemas may lie in one another: one that refers to itself has no end.
const DEEPEST: usize = 24;

/// What a `$ref` names, or the value itself.
///
/// # Errors
/// It names another file, or nothing.
pub fn resolved<'d>(document: &'d Value, value: &'d Value) -> anyhow::Result<&'d Value> {
    let mut value = value;
    for _ in 0..DEEPEST {
        let Some(reference) = value.get("$ref").and_then(Value::as_str) else { return Ok(value) };
        let at = reference.strip_prefix('#').with_context(|| format!("$ref {reference}: only this file is read"))?;
        value = document.pointer(at).with_context(|| format!("$ref {reference}: nothing is there"))?;
    }
    anyhow::bail!("a $ref that has no end")
}

/// # Errors
/// A reference cannot be followed.
pub fn sample(document: &Value, schema: &Value, depth: usize) -> anyhow::Result<OrderedJson> {
    ensure!(depth < DEEPEST, "schemas lie more than {DEEPEST} deep in one another");
    let schema = resolved(document, schema)?;
    if let Some(value) = example(schema) {
        return Ok(ordered(value));
    }
    if let Some(first) = ["oneOf", "anyOf"].iter().find_map(|of| choice(schema, of)) {
        return sample(document, first, depth + 1);
    }
    let fields = fields(document, schema, depth)?;
    if !fields.is_empty() || kind(schema) == "object" {
        return object(document, &fields, depth);
    }
    Ok(match kind(schema) {
        "array" => match schema.get("items") {
            Some(items) => OrderedJson::Array(vec![sample(document, items, depth + 1)?]),
            None => OrderedJson::Array(Vec::new()),
        },
        "integer" | "number" => {
            ordered(schema.get("minimum").filter(|least| least.as_f64() > Some(1.0)).unwrap_or(&json!(1)))
        }
        "boolean" => OrderedJson::Bool(true),
        "null" => OrderedJson::Null,
        _ => OrderedJson::Text(text(schema)),
    })
}

/// What the description itself gives as a value.
pub fn example(schema: &Value) -> Option<&Value> {
    let first = |name: &str| schema.get(name).and_then(|values| values.get(0));
    let plain = |name: &str| schema.get(name);
    plain("example")
        .or_else(|| first("examples"))
        .or_else(|| plain("const"))
        .or_else(|| plain("default"))
        .or_else(|| first("enum"))
}

fn choice<'d>(schema: &'d Value, of: &str) -> Option<&'d Value> {
    schema.get(of)?.as_array()?.iter().find(|one| one.get("type").and_then(Value::as_str) != Some("null"))
}

/// The type; of several (OpenAPI 3.1) the first that is not null.
fn kind(schema: &Value) -> &str {
    match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null").unwrap_or(""),
        Some(kind) => kind.as_str().unwrap_or(""),
        None => "",
    }
}

/// A field of an object: its name, its schema, whether it is required.
type Field<'d> = (&'d str, &'d Value, bool);

/// All fields, those of `allOf` too; the required ones first.
fn fields<'d>(document: &'d Value, schema: &'d Value, depth: usize) -> anyhow::Result<Vec<Field<'d>>> {
    ensure!(depth < DEEPEST, "schemas lie more than {DEEPEST} deep in one another");
    let mut all = Vec::new();
    for part in schema.get("allOf").and_then(Value::as_array).into_iter().flatten() {
        all.extend(fields(document, resolved(document, part)?, depth + 1)?);
    }
    let own: Vec<(&String, &Value)> =
        schema.get("properties").and_then(Value::as_object).into_iter().flatten().collect();
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    for name in required {
        if let Some((name, field)) = own.iter().find(|(known, _)| *known == name) {
            all.push((name.as_str(), *field, true));
        }
    }
    for (name, field) in own {
        if all.iter().all(|(known, _, _)| known != name) {
            all.push((name.as_str(), field, false));
        }
    }
    all.sort_by_key(|(_, _, is_required)| !is_required);
    Ok(all)
}

/// What is not required is left out, unless the description says what to give, or it is what a probe needs.
fn object(document: &Value, fields: &[Field], depth: usize) -> anyhow::Result<OrderedJson> {
    let mut values = Vec::new();
    for (name, schema, is_required) in fields {
        let schema = resolved(document, schema)?;
        let path = [(*name).to_owned()];
        let is_needed = names::intent(&path).is_some() || names::amount(&path).is_some() || names::is_key(name);
        let is_read_only = schema.get("readOnly").and_then(Value::as_bool) == Some(true);
        if !is_read_only && (*is_required || is_needed || example(schema).is_some()) {
            values.push(((*name).to_owned(), sample(document, schema, depth + 1)?));
        }
    }
    Ok(OrderedJson::Object(values))
}

/// A text of its format, and as long as it has to be.
fn text(schema: &Value) -> String {
    let plain = match schema.get("format").and_then(Value::as_str).unwrap_or_default() {
        "date" => "2026-01-31",
        "date-time" => "2026-01-31T12:00:00Z",
        "uuid" => "0e4f61a4-7f5c-4d0a-9a6b-0d3c5e8f2a17",
        "email" => "idem@example.com",
        "uri" | "url" => "https://example.com/",
        "ipv4" => "192.0.2.1",
        _ => "idem",
    };
    let least = schema.get("minLength").and_then(Value::as_u64).unwrap_or(0).min(1000) as usize;
    plain.chars().chain("x".repeat(least).chars().skip(plain.len())).collect()
}

pub fn ordered(value: &Value) -> OrderedJson {
    OrderedJson::deserialize(value.clone()).unwrap_or(OrderedJson::Null)
}
