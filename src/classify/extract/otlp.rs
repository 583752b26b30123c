//! Spans and log records of OpenTelemetry in its JSON form. Invariant: an attribute means what a field of that name means;
//! a span whose own status is an error is never done.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;

use super::fields::{Field, field};
use super::mapping::{Mapping, Role};
use super::reading::Reading;
use super::slot::Slot;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Item<'a> {
    #[serde(alias = "timeUnixNano")]
    start_time_unix_nano: Option<Value>,
    #[serde(default)]
    attributes: Vec<Attribute<'a>>,
    #[serde(default)]
    status: Outcome<'a>,
    #[serde(default)]
    events: Vec<Event<'a>>,
    #[serde(default)]
    severity_number: Value,
    body: Option<Value>,
}

#[derive(Deserialize, Default)]
struct Outcome<'a> {
    /// 2, or its name, is an error (trace.proto, Status.StatusCode).
    #[serde(default)]
    code: Value,
    message: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(default)]
    attributes: Vec<Attribute<'a>>,
}

#[derive(Deserialize)]
struct Attribute<'a> {
    key: Cow<'a, str>,
    #[serde(default)]
    value: Value,
}

/// From here on a severity is an error's (logs.proto, SeverityNumber).
const ERROR: u64 = 17;

/// Reads a span or a log record. Errors: it is neither.
pub fn read<'a>(json: &'a str, mapping: &mut Mapping) -> Result<Reading<'a>, serde_json::Error> {
    let item: Item = serde_json::from_str(json)?;
    let mut reading = Reading { known: true, ..Reading::default() };
    reading.time = item.start_time_unix_nano.as_ref().and_then(words).map(Cow::Owned);
    let inside = item.events.into_iter().flat_map(|event| event.attributes);
    for Attribute { key, value } in item.attributes.into_iter().chain(inside) {
        if let Some(value) = scalar(&value) {
            attribute(&mut reading, &key, value, mapping);
        }
    }
    if item.status.code == 2 || item.status.code == "STATUS_CODE_ERROR" {
        reading.note_trouble("status");
    }
    if let Some(message) = item.status.message {
        Slot::member(&mut reading, Field::Error).words(message);
    }
    if item.severity_number.as_u64().is_some_and(|number| number >= ERROR) {
        reading.note_trouble("severity");
    }
    if let Some(body) = item.body.as_ref().and_then(scalar) {
        Slot::member(&mut reading, Field::Log).words(Cow::Owned(body));
    }
    Ok(reading)
}

fn attribute(reading: &mut Reading, key: &str, value: String, mapping: &mut Mapping) {
    match mapping.named(key) {
        Some(Role::Intent) => reading.intent = Some(Cow::Owned(value)),
        Some(Role::Key) => reading.key = Some(Cow::Owned(value)),
        Some(Role::Attempt) => reading.attempt = value.parse().ok(),
        None => {
            if let Some(field) = field(key) {
                Slot::member(reading, field).words(Cow::Owned(value));
            }
        }
    }
}

/// The value of an attribute (common.proto, AnyValue). None for a list or an object.
fn scalar(value: &Value) -> Option<String> {
    ["stringValue", "intValue", "doubleValue", "boolValue"].iter().find_map(|kind| words(value.get(kind)?))
}

fn words(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classify::extract::reading::Status;

    #[test]
    fn a_span_is_read_by_its_attributes_and_events() {
        let span = r#"{"startTimeUnixNano":"1790000000000000000","status":{"code":2},"attributes":[
            {"key":"http.response.status_code","value":{"intValue":"503"}},{"key":"order","value":{"stringValue":"a"}}],
            "events":[{"attributes":[{"key":"exception.message","value":{"stringValue":"read ECONNRESET"}}]}]}"#;
        let mut mapping = Mapping::new(&["order".parse().unwrap()], &[], &[]);
        let reading = read(span, &mut mapping).unwrap();
        assert_eq!((reading.status, reading.intent.as_deref()), (Status::Code(503), Some("a")));
        assert_eq!((reading.texts[0].text.as_ref(), reading.trouble), ("read ECONNRESET", Some("error")));
        let record = r#"{"severityNumber":17,"body":{"stringValue":"read timed out"}}"#;
        let reading = read(record, &mut mapping).unwrap();
        assert_eq!((reading.texts[0].text.as_ref(), reading.trouble), ("read timed out", Some("severity")));
    }
}
