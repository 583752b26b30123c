//! A case as a time line: who sent what when, what the proxy did, what the ledger then held. Invariant: receipts and
//! intents have short names that are the same in every run; their own names and the times are kept apart.

use std::fmt;
use std::time::Duration;

use serde::Serialize;

use crate::target::facts::answer::Class;
use crate::target::facts::case::{Act, Attempt, Case};

/// One line. Equal lines after one another are one, with a count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    pub who: &'static str,
    pub what: String,
    /// What the target answered, or the ledger showed; empty for what the proxy did.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub saw: String,
    /// What the client saw where the proxy altered it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_saw: Option<String>,
    #[serde(skip_serializing_if = "is_one")]
    pub times: u64,
    /// From the start of the first to the end of the last of them, since the case began; None for the ledger.
    #[serde(skip)]
    pub span: Option<(Duration, Duration)>,
    #[serde(skip)]
    pub drawn: Drawn,
}

/// What a drawing shows of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Drawn {
    Request(Answered),
    Act {
        is_fault: bool,
    },
    /// Charges of an intent.
    Charges(u64),
}

/// What came of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    pub class: Class,
    pub status: Option<u16>,
    /// Under its short name; None where the reply names none.
    pub receipt: Option<String>,
    /// When the client saw the end of it, since the case began; None where that is when the target answered.
    pub left: Option<Duration>,
}

impl Answered {
    /// Whether the client got this answer, as far as what it saw tells: the status, and not before it was there.
    pub fn has_reached(&self, saw: Option<&str>, ended: Duration) -> bool {
        let is_status = |saw: &str| self.status.is_some_and(|status| saw == status.to_string());
        saw.is_none_or(is_status) && self.left.is_none_or(|left| left >= ended)
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let arrow = if self.saw.is_empty() { "" } else { " -> " };
        write!(f, "{}: {}{arrow}{}", self.who, self.what, self.saw)
    }
}

impl Step {
    /// Whether the client got what the target answered; true of what is not a request.
    pub fn has_reached(&self) -> bool {
        match &self.drawn {
            Drawn::Request(came) => {
                came.has_reached(self.client_saw.as_deref(), self.span.map_or(Duration::ZERO, |(_, to)| to))
            }
            Drawn::Act { .. } | Drawn::Charges(_) => true,
        }
    }

    /// With its times and all that is known of it.
    pub fn line(&self) -> String {
        let span = match self.span {
            Some((from, to)) => format!("{:>9.1} to {:>9.1} ms", from.as_secs_f64() * 1e3, to.as_secs_f64() * 1e3),
            None => " ".repeat(25),
        };
        let client = self.client_saw.iter().map(|saw| format!(" (the client saw: {saw})"));
        let times = (self.times > 1).then(|| format!(" ({} times)", self.times));
        format!("{span}  {self}{}", client.chain(times).collect::<String>())
    }
}

fn is_one(times: &u64) -> bool {
    *times == 1
}

/// The steps in the order of their beginnings.
pub fn steps(case: &Case) -> Vec<Step> {
    let began = case.attempts.iter().map(|attempt| attempt.sent).min().unwrap_or(Duration::ZERO);
    let sent = case.attempts.iter().map(|attempt| step(case, attempt, began));
    let mut all: Vec<_> = sent.chain(case.acts.iter().map(|act| proxied(act, began))).collect();
    all.sort_by_key(|step| step.span.map(|(from, _)| from));
    let mut steps: Vec<Step> = Vec::new();
    for step in all {
        match steps.last_mut() {
            Some(last) if (&last.what, &last.saw) == (&step.what, &step.saw) => {
                last.times += 1;
                last.span = last.span.zip(step.span).map(|((from, _), (_, to))| (from, to));
                last.drawn = step.drawn;
            }
            _ => steps.push(step),
        }
    }
    steps.extend(ledger(case));
    steps
}

fn proxied(act: &Act, began: Duration) -> Step {
    let at = act.at.saturating_sub(began);
    let drawn = Drawn::Act { is_fault: act.is_fault };
    let (what, saw) = (act.what.clone(), String::new());
    Step { who: act.who, what, saw, client_saw: None, times: 1, span: Some((at, at)), drawn }
}

fn step(case: &Case, attempt: &Attempt, began: Duration) -> Step {
    let receipts = case.receipts();
    let receipt = attempt.answer.receipt.as_deref().map(|receipt| match receipts.iter().position(|r| *r == receipt) {
        Some(n) => format!("r{}", n + 1),
        None => "of another".to_string(),
    });
    Step {
        who: if attempt.faulted { "client, through the proxy" } else { "client" },
        what: attempt.note.clone(),
        saw: attempt.answer.line(receipt.as_deref()),
        client_saw: attempt.client.as_ref().map(|seen| seen.what.clone()),
        times: 1,
        span: Some((attempt.sent.saturating_sub(began), attempt.ended.saturating_sub(began))),
        drawn: Drawn::Request(Answered {
            class: attempt.answer.class,
            status: attempt.answer.status,
            receipt,
            left: attempt.client.as_ref().map(|seen| seen.at.saturating_sub(began)),
        }),
    }
}

fn ledger(case: &Case) -> Vec<Step> {
    let mut told = Vec::new();
    for (n, call) in case.calls.iter().enumerate() {
        let first = case.calls.iter().position(|other| other.intent == call.intent) == Some(n);
        let Some(charges) = case.charged(n).filter(|_| first) else { continue };
        let whose = if case.intents() == 1 { String::new() } else { format!(" of intent {}", n + 1) };
        let shown_by = case.shown_by.first().map(|name| format!(" in {name}")).unwrap_or_default();
        told.push(Step {
            who: "ledger",
            what: "after the fence".into(),
            saw: format!("{charges} item(s){whose}{shown_by}"),
            client_saw: None,
            times: 1,
            span: None,
            drawn: Drawn::Charges(charges),
        });
    }
    told
}
