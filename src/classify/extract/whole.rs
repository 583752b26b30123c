//! Values that hold readings of their own: HAR, OTLP, search results, what a log store's tools print, wrappers around a log
//! record. Invariant: the place of the readings is one of the table; what else a value holds is left to the reading itself.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::value::RawValue;

type Members<'a> = HashMap<Cow<'a, str>, &'a RawValue>;

/// What is at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An exchange of a HAR file (w3c.github.io/web-performance/specs/HAR, "entries").
    Exchange,
    /// A span of OpenTelemetry (opentelemetry-proto, trace.proto).
    Span,
    /// A log record of OpenTelemetry (opentelemetry-proto, logs.proto).
    Record,
    /// A reading, or a log line around one.
    Log,
    /// One of the events that belong to the value around it, which may be a reading as well.
    Event,
    /// One of the attempts that the value around it sums up.
    Attempt,
    /// Loki's pair of a time and a line.
    Timed,
}

/// Where readings are, step by step; a list on the way is walked.
const PLACES: &[(&[&str], Kind)] = &[
    (&["log", "entries"], Kind::Exchange),
    (&["resourceSpans", "scopeSpans", "spans"], Kind::Span),
    (&["resourceSpans", "instrumentationLibrarySpans", "spans"], Kind::Span),
    (&["resourceLogs", "scopeLogs", "logRecords"], Kind::Record),
    (&["hits", "hits"], Kind::Log),
    (&["_source"], Kind::Log),
    (&["result", "_raw"], Kind::Log),
    (&["data", "result", "values"], Kind::Timed),
    (&["streams", "values"], Kind::Timed),
    (&["events"], Kind::Event),
    (&["logEvents"], Kind::Event),
    (&["attempts"], Kind::Attempt),
    (&["readings"], Kind::Attempt),
    (&["protoPayload"], Kind::Log),
];

/// The readings within a value, in their order; none where it holds none at a known place.
pub fn readings(json: &[u8]) -> Vec<(Kind, &RawValue)> {
    let mut found = Vec::new();
    let members: Members = serde_json::from_slice(json).unwrap_or_default();
    for (path, kind) in PLACES {
        let Some((first, rest)) = path.split_first() else { continue };
        if let Some(member) = members.get(*first) {
            walk(member, rest, *kind, &mut found);
        }
    }
    found
}

fn walk<'a>(value: &'a RawValue, path: &[&str], kind: Kind, found: &mut Vec<(Kind, &'a RawValue)>) {
    let text = value.get();
    // A pair of Loki's is itself a list, of texts.
    let pair = path.is_empty() && kind == Kind::Timed && text.strip_prefix('[').is_some_and(begins_with_text);
    if text.starts_with('[') && !pair {
        let items: Vec<&RawValue> = serde_json::from_str(text).unwrap_or_default();
        return items.into_iter().for_each(|item| walk(item, path, kind, found));
    }
    let Some((step, rest)) = path.split_first() else {
        if pair || text.starts_with('{') || (matches!(kind, Kind::Log | Kind::Event) && text.starts_with('"')) {
            found.push((kind, value));
        }
        return;
    };
    if !text.starts_with('{') {
        return;
    }
    let members: Members = serde_json::from_str(text).unwrap_or_default();
    if let Some(member) = members.get(*step) {
        walk(member, rest, kind, found);
    }
}

fn begins_with_text(list: &str) -> bool {
    list.trim_start().starts_with('"')
}

/// What must stand around a value of this kind for it to be read again as what it is.
pub fn around(kind: Kind) -> (&'static str, &'static str) {
    match kind {
        Kind::Exchange => (r#"{"log":{"entries":["#, "]}}"),
        Kind::Span => (r#"{"resourceSpans":[{"scopeSpans":[{"spans":["#, "]}]}]}"),
        Kind::Record => (r#"{"resourceLogs":[{"scopeLogs":[{"logRecords":["#, "]}]}]}"),
        Kind::Timed => (r#"{"streams":[{"values":["#, "]}]}"),
        Kind::Log | Kind::Event | Kind::Attempt => ("", ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(json: &str) -> Vec<(Kind, &str)> {
        readings(json.as_bytes()).into_iter().map(|(kind, value)| (kind, value.get())).collect()
    }

    #[test]
    fn readings_are_found_at_their_places_in_order() {
        assert_eq!(
            of(r#"{"log":{"entries":[{"a":1},{"b":2}]}}"#),
            [(Kind::Exchange, r#"{"a":1}"#), (Kind::Exchange, r#"{"b":2}"#)]
        );
        let otlp = r#"{"resourceSpans":[{"scopeSpans":[{"spans":[{"a":1}]},{"spans":[{"b":2}]}]}]}"#;
        assert_eq!(of(otlp), [(Kind::Span, r#"{"a":1}"#), (Kind::Span, r#"{"b":2}"#)]);
        assert_eq!(
            of(r#"{"streams":[{"values":[["1","x"],["2","y"]]}]}"#),
            [(Kind::Timed, r#"["1","x"]"#), (Kind::Timed, r#"["2","y"]"#)]
        );
        assert_eq!(of(r#"{"_source":{"a":1}}"#), [(Kind::Log, r#"{"a":1}"#)]);
        assert_eq!(of(r#"{"log":"words"}"#), []);
        assert_eq!(of(r#"{"events":3}"#), []);
        assert_eq!(of("nonsense"), []);
    }

    #[test]
    fn what_is_put_around_a_value_makes_it_readable_again() {
        for (kind, value) in
            [(Kind::Exchange, "{}"), (Kind::Span, "{}"), (Kind::Record, "{}"), (Kind::Timed, r#"["1","x"]"#)]
        {
            let (before, after) = around(kind);
            assert_eq!(of(&format!("{before}{value}{after}")), [(kind, value)]);
        }
    }
}
