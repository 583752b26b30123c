//! What the readings of one intent show together. Invariant: the order of the input is the order of events; memory is
//! bounded by the look-back, and what it forgets is counted.

use std::borrow::Cow;
use std::num::NonZeroI64;
use std::time::UNIX_EPOCH;

use super::lookback::{Lookback, Name};
use crate::classify::extract::reading::Reading;
use crate::classify::judge::verdict::Verdict;
use crate::http::retry_after::RetryAfter;
use crate::terms::named::named_enum;
use crate::terms::outcome::{Action, Effect};
use crate::text::time::milliseconds;

named_enum! {
    /// What a client, or a server, got wrong.
    pub enum Kind {
        /// Two receipts for one intent: charged twice.
        DoubleReceipt = "double-receipt",
        /// The key changed after an attempt that may have taken effect.
        KeyRotated = "key-rotated",
        /// A retry without a key after such an attempt.
        NoKey = "no-key",
        /// A retry after a refusal that only another request can cure.
        RetriedRefusal = "retried-refusal",
        /// A retry before `Retry-After` allowed it.
        TooEarly = "too-early",
        /// An attempt may have taken effect and nothing that settles it follows.
        Unresolved = "unresolved",
        /// A scenario or check that differs from its declaration.
        Mismatch = "mismatch",
        /// Two intents were sent under one key: the second is answered as the first, or refused.
        OneKeyTwoIntents = "one-key-two-intents",
    }
}

impl Kind {
    /// A warning does not fail the run by itself.
    pub fn is_warning(self) -> bool {
        self == Kind::Unresolved
    }
}

/// One finding, with the lines that show it.
#[derive(Debug, PartialEq, Eq)]
pub struct Finding<'a> {
    pub kind: Kind,
    /// The intent, or the scenario or check of a mismatch.
    pub about: Cow<'a, str>,
    pub lines: Vec<u64>,
    /// What differs, of a mismatch.
    pub detail: Option<String>,
}

/// What is kept of an intent. A line of 0 is no line.
#[derive(Default)]
struct Intent {
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
}

/// What is kept of a key: the first intent that came with it, and the line.
#[derive(Default)]
struct Key {
    intent: Option<Name>,
    line: u64,
}

/// What was forgotten.
#[derive(Clone, Copy, Debug, Default)]
pub struct Evicted {
    pub intents: u64,
    pub keys: u64,
    /// Of the intents, those that were unresolved when they went.
    pub unresolved: u64,
}

/// The look-back over intents and keys.
pub struct Findings {
    intents: Lookback<Intent>,
    keys: Lookback<Key>,
    pub evicted: Evicted,
}

/// Bytes of an intent's name that are kept.
const SHOWN: usize = 64;

impl Findings {
    /// Looks back over so many intents, and as many keys.
    pub fn new(lookback: usize) -> Findings {
        Findings { intents: Lookback::new(lookback), keys: Lookback::new(lookback), evicted: Evicted::default() }
    }

    /// Takes the next reading and calls back with what it shows.
    pub fn observe(&mut self, line: u64, reading: &Reading, verdict: &Verdict, mut found: impl FnMut(Finding)) {
        let Some(name) = reading.intent.as_deref() else { return };
        let mut tell = |kind: Kind, first: u64| {
            found(Finding { kind, about: Cow::Borrowed(name), lines: vec![first, line], detail: None });
        };
        let id = self.intents.name(name);
        let key = reading.key.as_deref().map(|key| self.keys.name(key));
        if let Some(first) = key.and_then(|key| self.key_of_another(key, id, line)) {
            tell(Kind::OneKeyTwoIntents, first);
        }
        let receipt = reading.receipt.as_deref().map(|receipt| self.keys.name(receipt));
        let Evicted { intents, unresolved, .. } = &mut self.evicted;
        let entry = self.intents.touch(id, |gone| {
            *intents += 1;
            *unresolved += u64::from(gone.open);
            gone.clear();
        });
        let intent = entry.value;
        if !entry.new {
            intent.compare(key, reading.time.as_deref(), &mut tell);
        }
        intent.receive(receipt, line, &mut tell);
        intent.remember(line, key, reading, verdict);
    }

    /// The line at which another intent came with this key.
    fn key_of_another(&mut self, key: Name, intent: Name, line: u64) -> Option<u64> {
        let entry = self.keys.touch(key, |_| self.evicted.keys += 1);
        if entry.new {
            (entry.value.intent, entry.value.line) = (Some(intent), line);
        }
        (entry.value.intent != Some(intent)).then_some(entry.value.line)
    }

    /// Calls back with the intents that are left unresolved, in the order in which they were last seen.
    pub fn finish(&self, mut found: impl FnMut(Finding)) {
        for intent in self.intents.rows() {
            if let Some(shown) = intent.shown.as_deref().filter(|_| intent.open) {
                let (about, lines) = (Cow::Borrowed(shown), vec![intent.risk]);
                found(Finding { kind: Kind::Unresolved, about, lines, detail: None });
            }
        }
    }
}

impl Intent {
    /// Empties the row in place.
    fn clear(&mut self) {
        self.shown = None;
        (self.risk, self.last, self.receipted) = (0, 0, 0);
        (self.key, self.until, self.receipt) = (None, None, None);
        (self.open, self.refused) = (false, false);
    }

    /// What another attempt shows about the ones before it.
    fn compare(&mut self, key: Option<Name>, time: Option<&str>, tell: &mut impl FnMut(Kind, u64)) {
        match key {
            _ if self.risk == 0 => {}
            None => tell(Kind::NoKey, self.risk),
            key if key != self.key => tell(Kind::KeyRotated, self.risk),
            Some(_) => {}
        }
        if self.refused {
            tell(Kind::RetriedRefusal, self.last);
        }
        let early = |until: NonZeroI64| time.and_then(milliseconds).is_some_and(|now| now < until.get());
        if self.until.is_some_and(early) {
            tell(Kind::TooEarly, self.last);
        }
    }

    fn receive(&mut self, receipt: Option<Name>, line: u64, tell: &mut impl FnMut(Kind, u64)) {
        match (self.receipt, receipt) {
            (None, Some(_)) => (self.receipt, self.receipted) = (receipt, line),
            (Some(first), Some(receipt)) if first != receipt => tell(Kind::DoubleReceipt, self.receipted),
            _ => {}
        }
    }

    fn remember(&mut self, line: u64, key: Option<Name>, reading: &Reading, verdict: &Verdict) {
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
        self.refused = advice.action == Action::FixRequest;
        self.until = reading.retry_after.as_deref().and_then(|wait| until(wait, reading.time.as_deref()));
    }
}

/// The first bytes of a name.
fn shown(name: &str) -> Box<str> {
    match name.char_indices().find(|(at, _)| *at >= SHOWN) {
        Some((at, _)) => format!("{}...", &name[..at]).into(),
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
