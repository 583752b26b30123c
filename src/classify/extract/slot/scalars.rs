//! What a number, a truth value or a text says, by its field and the place where that stands. Invariant: a value that
//! says nothing in its place leaves the reading as it was.

use std::borrow::Cow;

use super::outcome_words::{is_no, is_undone, is_yes, level_words};
use super::{Place, Slot};
use crate::classify::extract::fields::Field;
use crate::classify::extract::leaves::retry_after_line;
use crate::classify::extract::reading::{Mark, Reading, Role, Status, Text};
use crate::terms::outcome::Symptom;

/// Worded parts that one reading may have; one with more is taken as unknown.
const TEXTS: usize = 1000;

impl<'de> Slot<'_, 'de> {
    pub fn boolean(&mut self, value: bool) {
        match self.field {
            Some(Field::Success) if !value => self.reading.note_trouble("success"),
            Some(Field::Failure) if value => self.reading.note_trouble("aborted"),
            Some(Field::Failures) if value => self.reading.note_trouble("failures"),
            Some(Field::Error | Field::Errors) if value => self.reading.note_trouble("error"),
            Some(Field::Replay) => self.reading.replay |= value,
            Some(Field::FunctionError) if value => self.reading.note_trouble("FunctionError"),
            _ => {}
        }
    }

    pub fn integer(&mut self, value: i64) {
        match self.field {
            Some(Field::Status) => self.status(value),
            Some(Field::Code) => self.code(value),
            Some(Field::Attempt) if self.place == Place::Top => self.reading.attempt = u64::try_from(value).ok(),
            Some(Field::ExitCode) => self.reading.exit_code = Some(value),
            Some(Field::CurlCode) if value != 0 => {
                self.reading.note_trouble("curl_errno");
                push(self.reading, self.depth, Role::Error, Cow::Owned(format!("curl: ({value})")));
            }
            Some(Field::Pretransfer) => self.reading.pretransfer = Some(value as f64),
            Some(Field::Level) if value >= 50 && self.place != Place::Level => self.reading.note_trouble("level"),
            Some(Field::Made) if value > 1 => self.reading.repeated = Some("attempts"),
            Some(Field::Retried) if value > 0 => self.reading.repeated = Some("retries"),
            Some(Field::Sent) => self.reading.sent = value > 0,
            Some(Field::GrpcStatus) if value != 0 => {
                self.reading.note_trouble("grpc-status");
                // gRPC's own list of codes: these leave open whether the call was worked on.
                let named = match value {
                    4 => "deadline_exceeded",
                    13 => "statuscode.internal",
                    14 => "statuscode.unavailable",
                    _ => return,
                };
                push(self.reading, self.depth, Role::Aside, Cow::Borrowed(named));
            }
            Some(Field::Failures) if value > 0 => self.reading.note_trouble("failures"),
            Some(Field::Gateway(mark)) => self.mark(mark, Cow::Owned(value.to_string())),
            // 0 is how some write false.
            Some(Field::Success) if value == 0 => self.reading.note_trouble("success"),
            Some(
                Field::Time
                | Field::RetryAfter
                | Field::Intent
                | Field::Key
                | Field::Receipt
                | Field::UnheardReceipt
                | Field::Amount,
            ) => {
                self.words(Cow::Owned(value.to_string()));
            }
            _ => {}
        }
    }

    /// A gateway's own code. A list of connect times or retries is no code of one try.
    fn mark(&mut self, mark: Mark, text: Cow<'de, str>) {
        self.reading.known |= !matches!(mark, Mark::ConnectTime | Mark::Retries);
        self.reading.marks.push((mark, text));
    }

    /// 0, -1 and null are what clients write where there was no reply.
    fn status(&mut self, value: i64) {
        (self.reading.known, self.reading.told) = (true, true);
        let status = match value {
            -1 | 0 => Status::Absent,
            1..=999 => Status::Code(value as u16),
            _ => Status::Odd,
        };
        let own = self.place == Place::Top || (self.place == Place::Response && self.reading.exchanges);
        self.reading.own_status |= own && status != Status::Absent;
        self.reading.set_status(status);
    }

    fn code(&mut self, value: i64) {
        self.reading.known = true;
        // NSURLErrorDomain counts downwards from -1000; its rows are worded `code=-1004`.
        let worded = match value {
            -3000..=-1000 => format!("code={value}"),
            // k6 numbers its errors (grafana.com/docs/k6, "Error codes"): 1000 up to 1799.
            1000..=1799 => format!("k6 code {value}"),
            // JSON-RPC 2.0, 5.1, as the MCP SDKs word them.
            -32603 | -32601 => format!("mcp error {value}"),
            _ => {
                self.reading.code.get_or_insert(value);
                return;
            }
        };
        push(self.reading, self.depth, Role::Error, Cow::Owned(worded));
    }

    pub fn words(&mut self, text: Cow<'de, str>) {
        let Some(field) = self.field else {
            self.reading.known = true;
            self.reading.note_trouble("text");
            return push(self.reading, 0, Role::Error, text);
        };
        match self.place {
            Place::Top | Place::Within => self.top_words(field, text),
            Place::Error => self.error_words(field, text),
            Place::Response | Place::Entries => match field {
                Field::Status => self.status_words(text),
                Field::RetryAfter => self.reading.retry_after = Some(text),
                Field::Success if is_no(&text) => self.reading.note_trouble("success"),
                Field::Outcome if is_undone(&text) => self.reading.note_trouble("outcome"),
                Field::GrpcStatus | Field::Failures => self.top_words(field, text),
                Field::Failure if is_yes(&text) => self.reading.note_trouble("aborted"),
                Field::FunctionError if !text.is_empty() => self.reading.note_trouble("FunctionError"),
                Field::Error | Field::Message | Field::ErrorType | Field::Code | Field::Body => {
                    push(self.reading, self.depth, Role::Reply, text);
                }
                _ => {}
            },
            Place::Level => level_words(self.reading, &text),
            Place::Headers => {}
        }
    }

    /// Text in a field of the reading itself.
    fn top_words(&mut self, field: Field, text: Cow<'de, str>) {
        let reading = &mut *self.reading;
        match field {
            Field::Intent => reading.intent = given(text),
            Field::Key => reading.key = given(text),
            Field::Receipt => reading.receipt = given(text),
            Field::UnheardReceipt => reading.unheard_receipt = given(text),
            Field::Attempt => reading.attempt = text.trim().parse().ok(),
            Field::Time => reading.time = Some(text),
            Field::Kind => {
                reading.known = true;
                reading.kind = Some(text);
            }
            Field::Symptom => {
                reading.known = true;
                reading.symptom = Symptom::ALL.iter().copied().find(|symptom| symptom.name() == text);
            }
            Field::Message | Field::Log => push(reading, 0, Role::Log, text),
            Field::Level => level_words(reading, &text),
            Field::Headers | Field::Body => {
                if let Some(value) = retry_after_line(&text) {
                    reading.retry_after.get_or_insert(Cow::Owned(value.to_owned()));
                }
                push(reading, 0, Role::Reply, text);
            }
            Field::Response => push(reading, 0, Role::Log, text),
            Field::ExitCode => match text.trim().parse() {
                Ok(code) => reading.exit_code = Some(code),
                // Typhoeus names libcurl's.
                Err(_) if text != "ok" => self.error_words(Field::Error, text),
                Err(_) => {}
            },
            Field::Cause | Field::Chain | Field::Context | Field::Inner => {}
            Field::Error | Field::Errors | Field::ErrorType | Field::Trace => self.error_words(field, text),
            Field::Status | Field::Code | Field::RetryAfter | Field::Syscall => self.any_words(field, text),
            Field::Success if is_no(&text) => reading.note_trouble("success"),
            Field::Failure if is_yes(&text) => reading.note_trouble("aborted"),
            Field::FunctionError if !text.is_empty() => reading.note_trouble("FunctionError"),
            Field::Gateway(mark) => self.mark(mark, text),
            Field::Success | Field::Failure | Field::FunctionError => {}
            Field::Outcome | Field::Wrapper if is_undone(&text) => reading.note_trouble("outcome"),
            Field::GrpcStatus if !matches!(text.trim(), "" | "0" | "OK" | "ok" | "-") => {
                reading.note_trouble("grpc-status");
            }
            Field::Failures if !matches!(text.trim(), "" | "0") => reading.note_trouble("failures"),
            Field::Made if text.trim().parse().is_ok_and(|made: u64| made > 1) => reading.repeated = Some("attempts"),
            Field::Retried if text.trim().parse().is_ok_and(|made: u64| made > 0) => reading.repeated = Some("retries"),
            Field::Outcome | Field::GrpcStatus | Field::Failures | Field::Sent | Field::Made | Field::Retried => {}
            Field::Replay => reading.replay |= is_yes(&text),
            Field::Amount => reading.amount = given(text),
            Field::CurlCode | Field::Pretransfer => {}
            Field::Method if self.place == Place::Top => reading.method = Some(text),
            Field::Nested | Field::Beside | Field::Entries | Field::Document | Field::Method | Field::Wrapper => {}
        }
    }

    /// Text in a field of an error, or in a field that only errors have.
    fn error_words(&mut self, field: Field, text: Cow<'de, str>) {
        let text = match field {
            Field::Status | Field::Code | Field::RetryAfter | Field::Syscall => {
                return self.any_words(field, text);
            }
            Field::Error | Field::Errors | Field::ErrorType => text,
            Field::Message | Field::Inner | Field::Log => text,
            Field::Cause | Field::Context => text,
            Field::Trace if text.trim() != "NoneType: None" => text,
            _ => return,
        };
        self.reading.known = true;
        if text.trim().is_empty() {
            return;
        }
        self.reading.note_trouble("error");
        let role = if field == Field::Trace { Role::Trace } else { Role::Error };
        let depth =
            if matches!(field, Field::Cause | Field::Context) { self.depth.saturating_add(1) } else { self.depth };
        push(self.reading, depth, role, text);
    }

    /// Text in a field that means the same in an error and outside one.
    fn any_words(&mut self, field: Field, text: Cow<'de, str>) {
        match field {
            Field::Status => self.status_words(text),
            Field::RetryAfter => self.reading.retry_after = Some(text),
            Field::Code => match text.trim().parse() {
                Ok(number) => self.code(number),
                Err(_) => {
                    self.reading.known = true;
                    push(self.reading, self.depth, Role::Error, text);
                }
            },
            Field::Syscall => {
                let worded = match &*text {
                    "connect" => "syscall: connect",
                    "getaddrinfo" => "syscall: getaddrinfo",
                    _ => return,
                };
                push(self.reading, self.depth, Role::Error, Cow::Borrowed(worded));
            }
            _ => {}
        }
    }

    /// `"200"`, `"200 OK"` or a word, which is evidence like any other.
    fn status_words(&mut self, text: Cow<'de, str>) {
        let first = text.trim().split(' ').next().unwrap_or("");
        match first.parse() {
            Ok(number) => self.status(number),
            Err(_) => {
                (self.reading.known, self.reading.told) = (true, true);
                // What the body of a reply says became of it.
                if self.place == Place::Response && is_undone(&text) {
                    self.reading.note_trouble("status");
                }
                push(self.reading, self.depth, Role::Log, text);
            }
        }
    }
}

/// None for an empty text: a key that is not there.
fn given(text: Cow<'_, str>) -> Option<Cow<'_, str>> {
    (!text.is_empty()).then_some(text)
}

/// Keeps a worded part. Past the bound the reading contradicts itself for all anyone can tell.
pub fn push<'a>(reading: &mut Reading<'a>, depth: u8, role: Role, text: Cow<'a, str>) {
    if text.is_empty() {
        return;
    }
    reading.known = true;
    if reading.texts.len() == TEXTS {
        reading.status = Status::Conflict;
        return;
    }
    let traced = matches!(role, Role::Error | Role::Log) && text.contains('\n');
    if traced && text.contains("Traceback (most recent call last)") {
        reading.note_trouble("traceback");
    }
    reading.texts.push(Text { depth, branch: reading.branch, role, text });
}
