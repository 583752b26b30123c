//! What the readings of one intent show together. Invariant: the order of the input is the order of events; memory is
//! bounded by the look-back, and what it forgets is counted.

use std::borrow::Cow;
use std::time::UNIX_EPOCH;

use super::lookback::Lookback;
use super::reading::Reading;
use super::time::milliseconds;
use super::verdict::Verdict;
use crate::named::named_enum;
use crate::outcome::{Action, Effect};
use crate::retry_after::RetryAfter;

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

/// What is kept of an intent.
struct Intent {
    /// Its first bytes, to name it by when nothing follows.
    shown: Box<str>,
    /// The last attempt that may have taken effect: its line and key.
    risk: Option<(u64, Option<u128>)>,
    /// The line of an attempt that may have taken effect and that nothing has settled.
    open: Option<u64>,
    /// The line of the last attempt, if it was refused as it stands.
    refusal: Option<u64>,
    /// The line of the last attempt, and before which time (Unix, ms) it must not be repeated.
    wait: Option<(u64, i64)>,
    /// The first receipt and its line.
    receipt: Option<(u128, u64)>,
}

/// What is kept of a key: the first intent that came with it, and the line.
struct Key {
    intent: u128,
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
        let entry = self.intents.touch(id, || Intent::new(name));
        if let Some(gone) = entry.evicted {
            self.evicted.intents += 1;
            self.evicted.unresolved += u64::from(gone.open.is_some());
        }
        let intent = entry.value;
        if !entry.new {
            intent.compare(key, reading.time.as_deref(), &mut tell);
        }
        intent.receive(receipt, line, &mut tell);
        intent.remember(line, key, reading, verdict);
    }

    /// The line at which another intent came with this key.
    fn key_of_another(&mut self, key: u128, intent: u128, line: u64) -> Option<u64> {
        let entry = self.keys.touch(key, || Key { intent, line });
        self.evicted.keys += u64::from(entry.evicted.is_some());
        (entry.value.intent != intent).then_some(entry.value.line)
    }

    /// Calls back with the intents that are left unresolved, in the order in which they were last seen.
    pub fn finish(&self, mut found: impl FnMut(Finding)) {
        for intent in self.intents.rows() {
            if let Some(line) = intent.open {
                let about = Cow::Borrowed(&*intent.shown);
                found(Finding { kind: Kind::Unresolved, about, lines: vec![line], detail: None });
            }
        }
    }
}

impl Intent {
    fn new(name: &str) -> Intent {
        let shown = match name.char_indices().find(|(at, _)| *at >= SHOWN) {
            Some((at, _)) => format!("{}...", &name[..at]).into(),
            None => name.into(),
        };
        Intent { shown, risk: None, open: None, refusal: None, wait: None, receipt: None }
    }

    /// What another attempt shows about the ones before it.
    fn compare(&mut self, key: Option<u128>, time: Option<&str>, tell: &mut impl FnMut(Kind, u64)) {
        if let Some((first, before)) = self.risk {
            match (before, key) {
                (_, None) => tell(Kind::NoKey, first),
                (before, key) if before != key => tell(Kind::KeyRotated, first),
                _ => {}
            }
        }
        if let Some(first) = self.refusal {
            tell(Kind::RetriedRefusal, first);
        }
        if let Some((first, until)) = self.wait
            && time.and_then(milliseconds).is_some_and(|now| now < until)
        {
            tell(Kind::TooEarly, first);
        }
    }

    fn receive(&mut self, receipt: Option<u128>, line: u64, tell: &mut impl FnMut(Kind, u64)) {
        match (self.receipt, receipt) {
            (None, Some(receipt)) => self.receipt = Some((receipt, line)),
            (Some((before, first)), Some(receipt)) if before != receipt => tell(Kind::DoubleReceipt, first),
            _ => {}
        }
    }

    fn remember(&mut self, line: u64, key: Option<u128>, reading: &Reading, verdict: &Verdict) {
        let advice = verdict.advice();
        match advice.effect {
            Effect::Yes => (self.risk, self.open) = (Some((line, key)), None),
            Effect::Maybe => (self.risk, self.open) = (Some((line, key)), Some(line)),
            Effect::Unlikely => self.risk = Some((line, key)),
            Effect::No => {}
        }
        self.refusal = (advice.action == Action::FixRequest).then_some(line);
        self.wait =
            reading.retry_after.as_deref().and_then(|wait| until(wait, reading.time.as_deref())).map(|t| (line, t));
    }
}

/// Before which time (Unix, ms) `Retry-After` forbids a retry. None where that cannot be known.
fn until(wait: &str, time: Option<&str>) -> Option<i64> {
    match RetryAfter::parse(wait)? {
        RetryAfter::Delay(delay) => milliseconds(time?)?.checked_add(i64::try_from(delay.as_millis()).ok()?),
        RetryAfter::Date(date) => i64::try_from(date.duration_since(UNIX_EPOCH).ok()?.as_millis()).ok(),
    }
}
