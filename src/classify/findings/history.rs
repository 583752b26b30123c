//! What is kept of one intent's readings, and what the next one shows beside them. Invariant: a row is of constant size,
//! whatever the number of its readings.

use std::num::NonZeroI64;
use std::time::{Duration, UNIX_EPOCH};

use super::finder::Kind;
use super::lookback::Name;
use crate::classify::extract::reading::Reading;
use crate::classify::judge::verdict::Verdict;
use crate::http::retry_after::RetryAfter;
use crate::terms::outcome::{Action, Effect};
use crate::text::time::milliseconds;

/// What a client may spend on one intent.
#[derive(Clone, Copy, Debug, Default)]
pub struct Budget {
    /// Attempts. None: any number.
    pub attempts: Option<u32>,
    /// From the first attempt's time to the last's. None: any.
    pub span: Option<Duration>,
}

/// What is kept of an intent. A line of 0 is no line.
#[derive(Default)]
pub struct Intent {
    /// Its first bytes, to name it by when nothing follows; kept while it is open.
    shown: Option<Box<str>>,
    /// The line of the last attempt that may have taken effect.
    risk: u64,
    /// That attempt's key.
    key: Option<Name>,
    /// The line of the last attempt.
    last: u64,
    /// Before which time (Unix, ms) the last attempt must not be repeated. None: it may be at any time.
    until: Option<NonZeroI64>,
    /// The first receipt, and its line.
    receipt: Option<Name>,
    receipted: u64,
    /// Whether an attempt may have taken effect that nothing has settled.
    open: bool,
    /// Whether the last attempt was refused as it stands.
    refused: bool,
    /// The first attempt's line, and its time (Unix, ms) where it is told.
    first: u64,
    since: Option<NonZeroI64>,
    /// How many attempts there were, by count or by the highest number.
    attempts: u64,
    /// The number of the last attempt that had one, plus one; 0 for none.
    numbered: u64,
    /// Whether the budget was told to be exceeded.
    exceeded: bool,
}

/// What there is to say of two receipts of one attempt.
const OF_ONE_ATTEMPT: &str = "both of one attempt, and the client was not told of the second: the server charges a request that is delivered twice";

/// Bytes of an intent's name that are kept.
const SHOWN: usize = 64;

/// Takes a kind of finding, the lines that show it, and what there is to say of it.
type Tell<'t> = &'t mut dyn FnMut(Kind, Vec<u64>, Option<String>);

impl Intent {
    /// Empties the row in place.
    pub fn clear(&mut self) {
        *self = Intent::default();
    }

    pub fn is_open(&self) -> bool {
        self.open
    }

    /// Its name and the line of its last attempt that may have taken effect; None where something settled it.
    pub fn left_open(&self) -> Option<(&str, u64)> {
        self.shown.as_deref().filter(|_| self.open).map(|shown| (shown, self.risk))
    }

    /// What another attempt shows about the ones before it.
    pub fn compare(&mut self, key: Option<Name>, reading: &Reading, line: u64, tell: Tell) {
        match key {
            _ if self.risk == 0 => {}
            None => tell(Kind::NoKey, vec![self.risk, line], None),
            key if key != self.key => tell(Kind::KeyRotated, vec![self.risk, line], None),
            Some(_) => {}
        }
        if self.refused {
            tell(Kind::RetriedRefusal, vec![self.last, line], None);
        }
        let time = reading.time.as_deref();
        let early = |until: NonZeroI64| time.and_then(milliseconds).is_some_and(|now| now < until.get());
        if self.until.is_some_and(early) {
            tell(Kind::TooEarly, vec![self.last, line], None);
        }
        match (self.numbered.checked_sub(1), reading.attempt) {
            (Some(before), Some(number)) if number != before.saturating_add(1) => {
                let detail = format!("attempt {number} after attempt {before}");
                tell(Kind::AttemptGap, vec![self.last, line], Some(detail));
            }
            _ => {}
        }
    }

    /// Takes a receipt. A second one of the same attempt is the server's doing: the client asked once, and heard of one.
    pub fn receive(&mut self, receipt: Name, line: u64, tell: Tell) {
        let Some(first) = self.receipt else {
            (self.receipt, self.receipted) = (Some(receipt), line);
            return;
        };
        if first == receipt {
            return;
        }
        match self.receipted == line {
            true => tell(Kind::DoubleReceipt, vec![line], Some(OF_ONE_ATTEMPT.to_owned())),
            false => tell(Kind::DoubleReceipt, vec![self.receipted, line], None),
        }
    }

    /// Counts the attempt, and tells once where there are too many of them or they go on for too long.
    pub fn spend(&mut self, budget: Budget, reading: &Reading, line: u64, tell: Tell) {
        // Nobody looks at the time where any span is allowed.
        let timed = budget.span.and(reading.time.as_deref());
        let now = timed.and_then(milliseconds).and_then(NonZeroI64::new);
        if self.first == 0 {
            (self.first, self.since) = (line, now);
        }
        self.attempts = (self.attempts + 1).max(reading.attempt.unwrap_or(0));
        let span = self.since.zip(now).and_then(|(since, now)| u64::try_from(now.get().checked_sub(since.get())?).ok());
        let too_many = budget.attempts.filter(|most| self.attempts > u64::from(*most));
        let too_long = budget.span.zip(span.map(Duration::from_millis)).filter(|(most, span)| span > most);
        let detail = match (too_many, too_long) {
            _ if self.exceeded => return,
            (Some(most), _) => format!("{} attempts, where {most} are allowed", self.attempts),
            (None, Some((most, span))) => format!("{span:?} from the first attempt, where {most:?} are allowed"),
            (None, None) => return,
        };
        self.exceeded = true;
        let lines = if self.first == line { vec![line] } else { vec![self.first, line] };
        tell(Kind::Budget, lines, Some(detail));
    }

    pub fn remember(&mut self, line: u64, key: Option<Name>, reading: &Reading, verdict: &Verdict) {
        let advice = verdict.advice;
        match advice.effect {
            Effect::Yes => (self.risk, self.key, self.open) = (line, key, false),
            Effect::Maybe => (self.risk, self.key, self.open) = (line, key, true),
            Effect::Unlikely => (self.risk, self.key) = (line, key),
            Effect::No => {}
        }
        if self.open && self.shown.is_none() {
            self.shown = reading.intent.as_deref().map(shown);
        }
        self.last = line;
        self.numbered = reading.attempt.map_or(self.numbered, |number| number.saturating_add(1));
        self.refused = advice.action == Action::FixRequest;
        self.until = reading.retry_after.as_deref().and_then(|wait| until(wait, reading.time.as_deref()));
    }
}

/// The first bytes of a name.
fn shown(name: &str) -> Box<str> {
    match name.char_indices().find(|(at, _)| *at >= SHOWN) {
        Some((at, _)) => format!("{}...", name.get(..at).unwrap_or(name)).into(),
        None => name.into(),
    }
}

/// Before which time (Unix, ms) `Retry-After` forbids a retry. None where that cannot be known.
fn until(wait: &str, time: Option<&str>) -> Option<NonZeroI64> {
    let until = match RetryAfter::parse(wait)? {
        RetryAfter::Delay(delay) => milliseconds(time?)?.checked_add(i64::try_from(delay.as_millis()).ok()?),
        RetryAfter::Date(date) => i64::try_from(date.duration_since(UNIX_EPOCH).ok()?.as_millis()).ok(),
    };
    until.and_then(NonZeroI64::new)
}
