//! A server's tools, as it describes them. Invariant: a hint that is not given has the specification's default, and is a
//! claim, never evidence.

use serde::Serialize;
use serde_json::Value;

/// One tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    pub name: String,
    pub hints: Hints,
    /// JSON Schema of its arguments.
    pub schema: Value,
}

/// What a tool claims of itself (revision 2025-06-18, `ToolAnnotations`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Hints {
    #[serde(rename = "readOnlyHint")]
    pub read_only: bool,
    /// Meaningful only where it is not read-only.
    #[serde(rename = "destructiveHint")]
    pub destructive: bool,
    /// Repeats with the same arguments have no additional effect. Meaningful only where it is not read-only.
    #[serde(rename = "idempotentHint")]
    pub idempotent: bool,
}

impl Tool {
    /// # Errors
    /// It has no name.
    pub fn of(description: &Value) -> Result<Tool, String> {
        let name = description.get("name").and_then(Value::as_str).ok_or("a tool without a name")?.to_owned();
        let hint = |name: &str, default| {
            description.pointer(&format!("/annotations/{name}")).and_then(Value::as_bool).unwrap_or(default)
        };
        let hints = Hints {
            read_only: hint("readOnlyHint", false),
            destructive: hint("destructiveHint", true),
            idempotent: hint("idempotentHint", false),
        };
        Ok(Tool { name, hints, schema: description.get("inputSchema").cloned().unwrap_or(Value::Null) })
    }

    /// The headers that repeat arguments, as the schema asks (revision 2026-07-28, `x-mcp-header`).
    pub fn parameter_headers(&self, arguments: &Value) -> Vec<(String, String)> {
        let mut headers = Vec::new();
        collect(&self.schema, arguments, &mut headers);
        headers
    }

    /// Whether a repeat of the same call is claimed to do nothing more.
    pub fn claims_idempotent(&self) -> bool {
        self.hints.idempotent && !self.hints.read_only
    }
}

fn collect(schema: &Value, arguments: &Value, headers: &mut Vec<(String, String)>) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
    for (name, schema) in properties {
        let Some(argument) = arguments.get(name) else { continue };
        match (schema.get("x-mcp-header").and_then(Value::as_str), plain(argument)) {
            (Some(header), Some(value)) => headers.push((format!("Mcp-Param-{header}"), value)),
            (Some(_), None) | (None, _) => collect(schema, argument, headers),
        }
    }
}

fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn hints_have_the_defaults_of_the_specification() {
        let hints = |annotations: Value| Tool::of(&json!({"name": "t", "annotations": annotations})).unwrap().hints;
        let defaults = Hints { read_only: false, destructive: true, idempotent: false };
        assert_eq!(hints(Value::Null), defaults);
        assert_eq!(hints(json!({"idempotentHint": true})), Hints { idempotent: true, ..defaults });
        assert_eq!(
            hints(json!({"readOnlyHint": true, "idempotentHint": "yes"})),
            Hints { read_only: true, ..defaults }
        );
        assert!(Tool::of(&json!({"title": "t"})).is_err());
    }

    #[test]
    fn a_read_only_tool_claims_nothing_of_repeats() {
        let claims = |read_only, idempotent| {
            let hints = Hints { read_only, destructive: true, idempotent };
            Tool { name: "t".into(), hints, schema: Value::Null }.claims_idempotent()
        };
        assert_eq!([claims(false, true), claims(true, true), claims(false, false)], [true, false, false]);
    }

    #[test]
    fn arguments_that_the_schema_marks_are_repeated_in_headers() {
        let inner = json!({"properties": {"n": {"x-mcp-header": "N"}}});
        let schema =
            json!({"properties": {"region": {"x-mcp-header": "Region"}, "to": inner, "left": {"x-mcp-header": "L"}}});
        let tool = Tool::of(&json!({"name": "t", "inputSchema": schema})).unwrap();
        let headers = tool.parameter_headers(&json!({"region": "eu", "to": {"n": 7}, "left": null, "more": "x"}));
        assert_eq!(headers, [("Mcp-Param-Region".into(), "eu".into()), ("Mcp-Param-N".to_owned(), "7".to_owned())]);
    }
}
