//! A table with a header (RFC 4180; JMeter, k6, a spreadsheet): each row a reading. Invariant: a header is one only if its
//! cells are names and at least two of them say something of an outcome.

use std::borrow::Cow;

use serde_json::Value;

use super::fields::{Field, field};
use super::reading::Reading;
use super::slot::Slot;

/// The columns of a table.
#[derive(Debug)]
pub struct Header {
    columns: Vec<Option<Field>>,
    names: Vec<String>,
    /// k6 writes a row for each of a dozen metrics of a request; one of them stands for it.
    metric: Option<usize>,
}

/// The metric that k6 counts requests by.
const COUNTED: &str = "http_reqs";

impl Header {
    /// The header that a line is. None where it is a line like any other.
    pub fn of(line: &str) -> Option<Header> {
        let names = cells(line);
        let is_name = |name: &str| {
            let inner =
                name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-' | b' ' | b'@'));
            inner && name.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '@'))
        };
        if names.len() < 3 || !names.iter().all(|name| is_name(name)) {
            return None;
        }
        let columns: Vec<Option<Field>> = names.iter().map(|name| meaning(name)).collect();
        use Field::{Code, Error, ErrorType, ExitCode, Kind, Status, Success, Symptom};
        let outcome = |f: &Field| matches!(f, Status | Error | ErrorType | Code | Kind | Symptom | ExitCode | Success);
        let known = columns.iter().flatten().count();
        let told = columns.iter().flatten().filter(|field| outcome(field)).count();
        let metric = names.iter().position(|name| name == "metric_name");
        let names = names.into_iter().map(Cow::into_owned).collect();
        (known >= 2 && told >= 1).then_some(Header { columns, names, metric })
    }

    /// What a row says. None for one that is no request.
    pub fn reading<'a>(&self, line: &'a str) -> Option<Reading<'a>> {
        let cells = cells(line);
        let counted = self.metric.is_none_or(|metric| cells.get(metric).is_some_and(|name| name == COUNTED));
        if !counted || cells.len() < self.columns.len() {
            return None;
        }
        let mut reading = Reading::default();
        for (column, cell) in self.columns.iter().zip(cells).filter(|(_, cell)| !cell.is_empty()) {
            match (column, &*cell) {
                (Some(field @ (Field::Success | Field::Failure)), "true" | "false") => {
                    Slot::member(&mut reading, *field).boolean(cell == "true");
                }
                // JMeter writes what went wrong in the place of the status.
                (Some(Field::Status), words) if words.starts_with("Non HTTP") => {
                    Slot::member(&mut reading, Field::Error).words(cell);
                }
                (Some(field), _) => Slot::member(&mut reading, *field).words(cell),
                (None, _) => {}
            }
        }
        Some(reading)
    }

    /// The row as a JSON object, without what means something else in one.
    pub fn object(&self, line: &str) -> String {
        let cells = self.names.iter().zip(&self.columns).zip(cells(line)).filter(|(_, cell)| !cell.is_empty());
        let members = cells.filter_map(|((name, column), cell)| match (column, &*cell) {
            (Some(Field::Status), words) if words.starts_with("Non HTTP") => Some(("error", Value::from(words))),
            (Some(_), "true" | "false") => Some((name.as_str(), Value::from(cell == "true"))),
            (None, _) if field(name).is_some() => None,
            (Some(_) | None, words) => Some((name.as_str(), Value::from(words))),
        });
        let members: Vec<String> = members.map(|(name, value)| format!("{}:{value}", Value::from(name))).collect();
        format!("{{{}}}", members.join(","))
    }
}

/// A column's meaning; a label is no message, and a table is no document.
fn meaning(name: &str) -> Option<Field> {
    field(name).filter(|field| !matches!(field, Field::Document | Field::Wrapper | Field::Message))
}

/// The cells of a line.
fn cells(line: &str) -> Vec<Cow<'_, str>> {
    let (mut cells, mut rest) = (Vec::new(), line);
    loop {
        let (cell, more) = cell(rest);
        cells.push(cell);
        match more {
            Some(more) => rest = more,
            None => return cells,
        }
    }
}

/// The first cell of a line, and what stands behind its comma.
fn cell(line: &str) -> (Cow<'_, str>, Option<&str>) {
    let Some(mut rest) = line.strip_prefix('"') else {
        return line.split_once(',').map_or((line.into(), None), |(cell, rest)| (cell.into(), Some(rest)));
    };
    let mut text = Cow::Borrowed("");
    while let Some((part, behind)) = rest.split_once('"') {
        text += part;
        match behind.strip_prefix('"') {
            Some(behind) => {
                text += "\"";
                rest = behind;
            }
            None => return (text, behind.split_once(',').map(|(_, rest)| rest)),
        }
    }
    text += rest;
    (text, None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classify::extract::reading::Status;

    #[test]
    fn cells_are_split_as_rfc_4180_says() {
        assert_eq!(cells(r#"a,"b,""c""",,d"#), ["a", "b,\"c\"", "", "d"]);
        assert_eq!(cells("\"open, é"), ["open, é"]);
        assert_eq!(cells(""), [""]);
    }

    #[test]
    fn only_names_make_a_header() {
        assert!(Header::of("timeStamp,elapsed,label,responseCode,responseMessage,success").is_some());
        assert!(Header::of("intent,attempt,status,error").is_some());
        for line in ["a,b,c", "charge failed, status, error: 3", "status,error", "1,status,error", "intent,attempt,key"]
        {
            assert!(Header::of(line).is_none(), "{line}");
        }
    }

    #[test]
    fn a_row_is_read_by_its_columns() {
        let header = Header::of("intent,status,error,success").unwrap();
        assert_eq!(
            header.object("a,503,\"x\"\"\",false"),
            r#"{"intent":"a","status":"503","error":"x\"","success":false}"#
        );
        let reading = header.reading("a,503,\"timed out, \"\"x\"\"\",false").unwrap();
        assert_eq!((reading.intent.as_deref(), reading.status), (Some("a"), Status::Code(503)));
        assert_eq!(reading.texts[0].text, "timed out, \"x\"");
        assert!(header.reading("a,503").is_none());
        let k6 = Header::of("metric_name,timestamp,metric_value,error,method,status").unwrap();
        assert!(k6.reading("http_reqs,1,1,,POST,200").is_some());
        assert!(k6.reading("http_req_duration,1,12.5,,POST,200").is_none());
    }
}
