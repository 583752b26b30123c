//! What one reading says, before anyone judges it. Invariant: nothing is decided here; text is borrowed from the input
//! wherever the input holds it as it stands.

use std::borrow::Cow;

use crate::terms::outcome::Symptom;

/// The facts of one reading, gathered from its fields by `extract`.
#[derive(Debug, Default)]
pub struct Reading<'a> {
    /// The business intent. None: the reading names none, so it takes part in no finding.
    pub intent: Option<Cow<'a, str>>,
    /// The number of the attempt, as it was written. It only informs.
    pub attempt: Option<u64>,
    /// The idempotency key. None: the request carried none.
    pub key: Option<Cow<'a, str>>,
    /// What the server answered as proof of the effect.
    pub receipt: Option<Cow<'a, str>>,
    /// Another one of the same attempt, which only the proxy saw. None: there was none.
    pub unheard_receipt: Option<Cow<'a, str>>,
    /// Whether the server says that it answered with what it had stored.
    pub replay: bool,
    /// The field that counts more attempts of the call than this one. None: no field does.
    pub repeated: Option<&'static str>,
    /// Whether curl says that it sent something (`size_request`).
    pub sent: bool,
    /// How much money it is about, as it was written.
    pub amount: Option<Cow<'a, str>>,
    /// `Retry-After` as it was written, in either form.
    pub retry_after: Option<Cow<'a, str>>,
    /// When the attempt was made or logged, as it was written (see `time`).
    pub time: Option<Cow<'a, str>>,
    pub status: Status,
    /// Whether the reading itself gives the status, and not an object inside it, which may be about another reply.
    pub own_status: bool,
    /// Whether the reading is a list of exchanges (hurl), whose replies are its own.
    pub exchanges: bool,
    /// A symptom by idem's own name (`probe --format json`, `proxy`).
    pub symptom: Option<Symptom>,
    /// A coarse kind by idem's own name.
    pub kind: Option<Cow<'a, str>>,
    /// The exit code of the tool that made the request.
    pub exit_code: Option<i64>,
    /// curl's `time_pretransfer` in seconds: 0 where the transfer was never about to begin.
    pub pretransfer: Option<f64>,
    /// A numeric `code`, which is a status where no other is given (vegeta, Google's error objects).
    pub code: Option<i64>,
    /// A gateway's own codes, as they were written.
    pub marks: Vec<(Mark, Cow<'a, str>)>,
    /// Everything worded, outermost first.
    pub texts: Vec<Text<'a>>,
    /// How many errors beside one another there were so far.
    pub branches: u16,
    /// The one that is being read now; 0 for none.
    pub branch: u16,
    /// The field that tells of trouble without a word that is known: an error object, `success: false`, a level.
    pub trouble: Option<&'static str>,
    /// Whether it looks like a document of scenarios or checks (see `scenario`).
    pub document: bool,
    /// Whether it may hold readings of its own (see `whole`).
    pub wrapper: bool,
    /// The method of the request, as it was written. None where it is not told.
    pub method: Option<Cow<'a, str>>,
    /// Whether it has a field for the outcome, even one that says nothing (a status of 0, or in words).
    pub told: bool,
    /// Whether its level says that nothing is wrong.
    pub quiet: bool,
    /// Whether any field was one that a reading has.
    pub known: bool,
}

/// The status that the reading gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Status {
    /// None given, or one that clients write where there was no reply: null, 0, -1.
    #[default]
    Absent,
    Code(u16),
    /// A number that no server sends as a status (99999), or a word.
    Odd,
    /// Given twice, differently, and the two do not agree on the effect.
    Conflict,
}

/// A field in which gateways and balancers write codes of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Envoy's response flags.
    EnvoyFlags,
    /// Envoy's code details.
    EnvoyDetails,
    /// HAProxy's termination state.
    HaproxyState,
    /// HAProxy's time to connect, in ms; -1 where no connection came up.
    ConnectTime,
    /// HAProxy's retries.
    Retries,
    /// A code of a cloud balancer (statusDetails, errorInfo, responseType, error_reason).
    Details,
}

/// One worded part of a reading.
#[derive(Debug)]
pub struct Text<'a> {
    /// How many causes deep: 0 is the reading itself.
    pub depth: u8,
    /// Which of several errors beside one another it belongs to; 0 for none of them.
    pub branch: u16,
    pub role: Role,
    pub text: Cow<'a, str>,
}

/// What kind of words they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The class or code of an error, or its message.
    Error,
    /// An error's words in an object beside the reading (tracing's `fields`, k6's `data`, Monolog's `context`).
    Aside,
    /// A log message, or a field that a reading may have without any error.
    Log,
    /// A stack trace: only the lines that name errors count.
    Trace,
    /// The body or the head of a reply: only a proxy's own words count.
    Reply,
}

impl<'a> Reading<'a> {
    /// A reading that is one line of words.
    pub fn from_text(text: &'a str) -> Reading<'a> {
        let role = if memchr::memchr(b'\n', text.as_bytes()).is_some() { Role::Trace } else { Role::Error };
        let text = Text { depth: 0, branch: 0, role, text: Cow::Borrowed(text) };
        Reading { texts: vec![text], trouble: Some("text"), known: true, ..Reading::default() }
    }

    /// Takes a status. The more careful of two that differ stays.
    pub fn set_status(&mut self, new: Status) {
        self.status = match (self.status, new) {
            (old, Status::Absent) => old,
            (Status::Absent, new) => new,
            (old, new) if old == new => old,
            (Status::Code(old), Status::Code(new)) => careful(old, new),
            _ => Status::Conflict,
        };
    }

    /// What is read from now on belongs to one more error beside others.
    pub fn next_branch(&mut self) {
        self.branches = self.branches.saturating_add(1);
        self.branch = self.branches;
    }

    /// Notes a sign of trouble that is no wording; the first one is kept as evidence.
    pub fn note_trouble(&mut self, field: &'static str) {
        self.trouble.get_or_insert(field);
    }
}

/// Of two different statuses the one that may have taken effect; a conflict where neither says so.
fn careful(old: u16, new: u16) -> Status {
    use crate::terms::outcome::Effect;
    let effect = |status| Symptom::of_status(status).advice().effect;
    match (effect(old), effect(new)) {
        (Effect::Maybe, _) => Status::Code(old),
        (_, Effect::Maybe) => Status::Code(new),
        (a, b) if a == b => Status::Code(old),
        _ => Status::Conflict,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_more_careful_of_two_statuses_stays() {
        let pair = |a, b| {
            let mut reading = Reading::default();
            reading.set_status(Status::Code(a));
            reading.set_status(Status::Code(b));
            reading.status
        };
        assert_eq!(pair(200, 503), Status::Code(503));
        assert_eq!(pair(503, 402), Status::Code(503));
        assert_eq!(pair(200, 404), Status::Conflict);
        assert_eq!(pair(404, 404), Status::Code(404));
    }
}
