//! What was sent for one K = (principal, key) and what came of it: the input of the verdict. Invariant: facts alone;
//! each attempt stands in the order in which its reply came.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::target::facts::answer::{Answer, Class};
use crate::target::request::template::Call;

/// One request and its reply.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// Since the run began.
    pub sent: Duration,
    /// When its reply was whole, or it was given up; since the run began.
    pub ended: Duration,
    /// Which of the case's calls.
    pub call: usize,
    /// Who sent it, and what was done to it: `retry at once`, `upstream reset after 3.2 ms`.
    pub note: String,
    /// One of several that were sent together.
    pub copy: bool,
    /// Whether a fault was put into it; I4 looks at those that were left alone.
    pub faulted: bool,
    /// What the target answered, whether or not the client saw it.
    pub answer: Answer,
    /// What the client saw instead; None where that is the target's answer.
    pub client: Option<Seen>,
}

/// What a client saw at last of an attempt that was altered on its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    pub what: String,
    /// Since the run began.
    pub at: Duration,
}

/// Something that happened beside the attempts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Act {
    /// Who did it, as the time line says: `proxy`.
    pub who: &'static str,
    /// Since the run began.
    pub at: Duration,
    pub what: String,
    /// Whether it goes wrong on purpose, or ends that; else it is how a request goes its way.
    pub is_fault: bool,
}

/// What one K is judged by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// One call, maybe written in two ways: I1 to I4.
    Once,
    /// As `Once`, for a tool without a key that claims to be idempotent.
    Claimed,
    /// As `Once`, for a tool without a key that claims nothing of repeats.
    Unpromised,
    /// A tool that claims to have no effect: none of its calls may have one.
    ReadOnly,
    /// The calls differ in what they ask under one key: one of them succeeds.
    Reuse,
    /// Each call has its own key or none, and its own intent: none gets another's success.
    Distinct,
    /// As `Distinct`, and each is charged: they differ in nothing else.
    Baseline,
    /// Without a key: a success means a charge, and none gets another's success.
    Keyless,
    /// One request under two credentials.
    Principals,
    /// For the profile alone.
    Report,
}

impl Rule {
    /// Whether it is about one request and its repeats.
    pub fn is_of_one(self) -> bool {
        matches!(self, Rule::Once | Rule::Claimed | Rule::Unpromised)
    }
}

/// Why a case shows less than it should.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shortfall {
    /// The moment was not hit, or what was to fail did not.
    NotHit(String),
    /// What the check is about does not apply to this target.
    DoesNotApply(String),
    /// It could not be carried out.
    NotCarriedOut(String),
}

/// A moment of a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Swept {
    /// What was done at that moment.
    pub way: &'static str,
    /// Since the last request byte.
    pub at: Duration,
    /// The target's latency by which the sweep was made.
    pub of: Duration,
}

/// One K, or what is judged together with it.
#[derive(Clone, Debug)]
pub struct Case {
    /// What was provoked, within its check.
    pub label: String,
    /// None where no moment was swept.
    pub swept: Option<Swept>,
    pub rule: Rule,
    /// What is asked.
    pub calls: Vec<Call>,
    /// Which call has to settle in the end, as I4 asks of a valid request; None where a refusal is fine.
    pub to_settle: Option<usize>,
    pub attempts: Vec<Attempt>,
    /// What the proxy and others did.
    pub acts: Vec<Act>,
    /// Ledger items of each call's intent after the fence; None without an oracle.
    pub charges: Option<Vec<u64>>,
    /// The ledgers that show what it is judged by, by name; empty where there is one, or all show the same.
    pub shown_by: Vec<String>,
    /// None where it shows all that it should.
    pub shortfall: Option<Shortfall>,
    /// What ties a receipt of this case to another intent's charge, in words; None where nothing does.
    pub shared_receipt: Option<String>,
    /// What the row's evidence should say beside the verdict.
    pub remarks: Vec<String>,
    /// No retry may come any more: it would mean another thing.
    pub no_retry: bool,
    /// How long was waited for it to settle, where it did not at once.
    pub waited: Duration,
}

impl Case {
    pub fn new(label: impl Into<String>, rule: Rule, calls: Vec<Call>) -> Case {
        let to_settle = match rule {
            Rule::Once | Rule::Claimed | Rule::Unpromised | Rule::Reuse => Some(0),
            Rule::ReadOnly | Rule::Distinct | Rule::Baseline | Rule::Keyless | Rule::Principals | Rule::Report => None,
        };
        Case {
            label: label.into(),
            swept: None,
            rule,
            calls,
            to_settle,
            attempts: Vec::new(),
            acts: Vec::new(),
            charges: None,
            shown_by: Vec::new(),
            shortfall: None,
            shared_receipt: None,
            remarks: Vec::new(),
            no_retry: false,
            waited: Duration::ZERO,
        }
    }

    /// How many intents its calls have.
    pub fn intents(&self) -> usize {
        self.calls.iter().map(|call| call.intent.as_str()).collect::<BTreeSet<_>>().len()
    }

    /// Charges of each intent; empty without an oracle.
    pub fn charges_by_intent(&self) -> BTreeMap<&str, u64> {
        let charges = self.charges.iter().flatten();
        self.calls.iter().map(|call| call.intent.as_str()).zip(charges.copied()).collect()
    }

    /// Charges over all intents; None without an oracle.
    pub fn total(&self) -> Option<u64> {
        self.charges.as_ref().map(|_| self.charges_by_intent().values().sum())
    }

    /// Charges of the intent of this call.
    pub fn charged(&self, call: usize) -> Option<u64> {
        self.charges.as_ref().map(|charges| charges[call])
    }

    pub fn of_call(&self, call: usize) -> impl Iterator<Item = &Attempt> {
        self.attempts.iter().filter(move |a| a.call == call)
    }

    /// A success, not a 409: that one may name the receipt of another payload which it refuses this one for.
    pub fn succeeded(&self, call: usize) -> bool {
        self.successes(call).next().is_some()
    }

    fn successes(&self, call: usize) -> impl Iterator<Item = &Attempt> {
        self.of_call(call).filter(|attempt| attempt.answer.class == Class::Success)
    }

    pub fn all_succeeded(&self) -> bool {
        (0..self.calls.len()).all(|call| self.succeeded(call))
    }

    /// Whether each call reached for the target at least once.
    pub fn all_sent(&self) -> bool {
        (0..self.calls.len()).all(|call| self.of_call(call).any(|attempt| attempt.answer.class != Class::Unsent))
    }

    /// Receipts that successes of this call named, in the order in which they came, each once.
    pub fn receipts_of(&self, call: usize) -> Vec<&str> {
        unique(self.successes(call))
    }

    /// Receipts of all calls.
    pub fn receipts(&self) -> Vec<&str> {
        unique(self.attempts.iter())
    }

    /// The call that is retried: the one that has to settle, or else the first.
    pub fn retried(&self) -> usize {
        self.to_settle.unwrap_or(0)
    }

    /// The last answer to the retried request that was left alone; None where there was none.
    pub fn last(&self) -> Option<&Answer> {
        self.of_call(self.retried())
            .filter(|a| !a.faulted && a.answer.class != Class::Withheld)
            .last()
            .map(|a| &a.answer)
    }

    /// Whether the client may stop asking.
    pub fn settled(&self) -> bool {
        self.last().is_some_and(Answer::settles)
    }

    /// Whether the tool wants something of its client, which nobody answers.
    pub fn is_asked(&self) -> bool {
        self.attempts.iter().any(|attempt| attempt.answer.class == Class::Asks)
    }

    /// Whether the last request of all got no reply.
    pub fn silent(&self) -> bool {
        self.attempts.last().is_some_and(|attempt| attempt.answer.class == Class::Silence)
    }

    /// Whether the key was refused for now before any other request with it had begun.
    pub fn refused_fresh(&self) -> bool {
        let began_before = |end| self.attempts.iter().filter(|other| other.sent < end).count();
        let mut refused = self.attempts.iter().filter(|attempt| attempt.answer.refuses_for_now());
        self.rule.is_of_one() && refused.any(|attempt| began_before(attempt.ended) == 1)
    }

    /// Whether the client still has to ask: nothing has come of its request yet.
    pub fn awaits_answer(&self) -> bool {
        let unanswered = self.rule.is_of_one() && self.silent();
        let asked = self.to_settle.is_some() && (!self.settled() || unanswered) && !self.is_asked();
        asked && !self.no_retry && self.shortfall.is_none()
    }

    /// Requests that reached for the target.
    pub fn requests(&self) -> u64 {
        self.attempts.len() as u64
    }
}

fn unique<'a>(attempts: impl Iterator<Item = &'a Attempt>) -> Vec<&'a str> {
    let mut seen = Vec::new();
    for receipt in attempts.filter(|a| a.answer.settles()).filter_map(|a| a.answer.receipt.as_deref()) {
        if !seen.contains(&receipt) {
            seen.push(receipt);
        }
    }
    seen
}

#[cfg(test)]
mod tests;
