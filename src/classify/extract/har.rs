//! One exchange of a HAR file. Invariant: the status is the response's alone, and 0 is no status: browsers write it where
//! there was no reply.

use std::borrow::Cow;

use serde::Deserialize;

use super::fields::{Field, field};
use super::reading::Reading;
use super::slot::Slot;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry<'a> {
    started_date_time: Option<Cow<'a, str>>,
    #[serde(default)]
    request: Request<'a>,
    #[serde(default)]
    response: Response<'a>,
}

#[derive(Deserialize, Default)]
struct Request<'a> {
    method: Option<Cow<'a, str>>,
    #[serde(default)]
    headers: Vec<Header<'a>>,
}

#[derive(Deserialize, Default)]
struct Response<'a> {
    #[serde(default)]
    status: f64,
    /// Chrome's words for what failed.
    #[serde(rename = "_error")]
    error: Option<Cow<'a, str>>,
    #[serde(default)]
    headers: Vec<Header<'a>>,
    #[serde(default)]
    content: Content<'a>,
}

#[derive(Deserialize, Default)]
struct Content<'a> {
    text: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Header<'a> {
    name: Cow<'a, str>,
    value: Cow<'a, str>,
}

/// Reads an exchange. Errors: it is not one.
pub fn read(json: &str) -> Result<Reading<'_>, serde_json::Error> {
    let Entry { started_date_time, request, response } = serde_json::from_str(json)?;
    let mut reading = Reading { known: true, method: request.method, time: started_date_time, ..Reading::default() };
    reading.key = request.headers.into_iter().find(|h| field(&h.name) == Some(Field::Key)).map(|h| h.value);
    let wait = response.headers.into_iter().find(|h| field(&h.name) == Some(Field::RetryAfter));
    reading.retry_after = wait.map(|header| header.value);
    Slot::member(&mut reading, Field::Status).integer(response.status as i64);
    if let Some(error) = response.error {
        Slot::member(&mut reading, Field::Error).words(error);
    }
    if let Some(body) = response.content.text {
        Slot::member(&mut reading, Field::Body).words(body);
    }
    Ok(reading)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classify::extract::reading::Status;

    #[test]
    fn an_exchange_is_read() {
        let reading = read(
            r#"{"startedDateTime":"2026-11-02T10:00:00Z","request":{"method":"POST","headers":[{"name":"Idempotency-Key","value":"k"}]},
            "response":{"status":503,"headers":[{"name":"retry-after","value":"7"}]}}"#,
        )
        .unwrap();
        assert_eq!((reading.status, reading.key.as_deref()), (Status::Code(503), Some("k")));
        assert_eq!((reading.retry_after.as_deref(), reading.method.as_deref()), (Some("7"), Some("POST")));
        let reading = read(r#"{"response":{"status":0,"_error":"net::ERR_CONNECTION_RESET"}}"#).unwrap();
        assert_eq!(reading.status, Status::Absent);
        assert_eq!(reading.texts[0].text, "net::ERR_CONNECTION_RESET");
        assert!(read("[]").is_err());
    }
}
