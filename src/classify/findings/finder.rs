//! What the readings of one intent show together. Invariant: the order of the input is the order of events; memory is
//! bounded by the look-back, and what it forgets is counted.

use std::borrow::Cow;

use super::history::{Budget, Intent};
use super::lookback::{Lookback, Name};
use crate::classify::extract::reading::Reading;
use crate::classify::judge::verdict::Verdict;
use crate::terms::named::named_enum;

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
        /// One receipt answered for two intents: the server tells requests apart by their content.
        OneReceiptTwoIntents = "one-receipt-two-intents",
        /// A replay was answered to a first attempt: the key was used for something before.
        FirstIsReplay = "first-is-replay",
        /// More attempts, or a longer time from the first to the last, than was allowed.
        Budget = "budget",
        /// The numbers of the attempts repeat or skip: some are not in the log, or two clients are at work.
        AttemptGap = "attempt-gap",
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
    /// What differs, of a mismatch; what was exceeded, of a budget; the numbers, of a gap.
    pub detail: Option<String>,
}

/// What is kept of a key or a receipt: the first intent that came with it, and the line.
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
    pub receipts: u64,
    /// Of the intents, those that were unresolved when they went.
    pub unresolved: u64,
}

/// The look-back over intents and keys.
pub struct Findings {
    intents: Lookback<Intent>,
    keys: Lookback<Key>,
    receipts: Lookback<Key>,
    budget: Budget,
    pub evicted: Evicted,
}

impl Findings {
    /// Looks back over so many intents, and as many keys and receipts.
    pub fn new(lookback: usize, budget: Budget) -> Findings {
        let (intents, keys, receipts) = (Lookback::new(lookback), Lookback::new(lookback), Lookback::new(lookback));
        Findings { intents, keys, receipts, budget, evicted: Evicted::default() }
    }

    /// Takes the next reading and calls back with what it shows.
    pub fn observe(&mut self, line: u64, reading: &Reading, verdict: &Verdict, mut found: impl FnMut(Finding)) {
        let Some(name) = reading.intent.as_deref() else { return };
        let mut tell = |kind: Kind, lines: Vec<u64>, detail: Option<String>| {
            found(Finding { kind, about: Cow::Borrowed(name), lines, detail });
        };
        let id = self.intents.name(name);
        let key = reading.key.as_deref().map(|key| self.keys.name(key));
        let name_of = |receipt: &Option<Cow<str>>| receipt.as_deref().map(|receipt| self.receipts.name(receipt));
        let receipts = [name_of(&reading.receipt), name_of(&reading.unheard_receipt)];
        let Evicted { intents, keys, receipts: receipts_gone, unresolved } = &mut self.evicted;
        if let Some(first) = key.and_then(|key| of_another(&mut self.keys, keys, key, id, line)) {
            tell(Kind::OneKeyTwoIntents, vec![first, line], None);
        }
        for receipt in receipts.into_iter().flatten() {
            if let Some(first) = of_another(&mut self.receipts, receipts_gone, receipt, id, line) {
                tell(Kind::OneReceiptTwoIntents, vec![first, line], None);
            }
        }
        let whole = *intents == 0;
        let entry = self.intents.touch(id, |gone| {
            *intents += 1;
            *unresolved += u64::from(gone.is_open());
            gone.clear();
        });
        let intent = entry.value;
        if !entry.new {
            intent.compare(key, reading, line, &mut tell);
        } else if reading.replay && reading.attempt.map_or(whole, |number| number == 1) {
            tell(Kind::FirstIsReplay, vec![line], None);
        }
        for receipt in receipts.into_iter().flatten() {
            intent.receive(receipt, line, &mut tell);
        }
        intent.spend(self.budget, reading, line, &mut tell);
        intent.remember(line, key, reading, verdict);
    }

    /// Calls back with the intents that are left unresolved, in the order in which they were last seen.
    pub fn finish(&self, mut found: impl FnMut(Finding)) {
        for (shown, line) in self.intents.rows().filter_map(Intent::left_open) {
            let (about, lines) = (Cow::Borrowed(shown), vec![line]);
            found(Finding { kind: Kind::Unresolved, about, lines, detail: None });
        }
    }
}

/// The line at which another intent came with this key or receipt.
fn of_another(table: &mut Lookback<Key>, evicted: &mut u64, key: Name, intent: Name, line: u64) -> Option<u64> {
    let entry = table.touch(key, |_| *evicted += 1);
    if entry.new {
        (entry.value.intent, entry.value.line) = (Some(intent), line);
    }
    (entry.value.intent != Some(intent)).then_some(entry.value.line)
}
