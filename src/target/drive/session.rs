//! One run against a target: fresh intents and keys, the clock, and plain attempts. Invariant: no two cases of any two
//! runs share an intent or a key.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use tokio::time::Instant;

use super::additions::Additions;
use super::exclusive::Exclusive;
use super::load::Load;
use super::pace::Pace;
use crate::http::address::Address;
use crate::http::client;
use crate::http::client::{Connection, Outcome};
use crate::target::facts::answer::{Answer, Class};
use crate::target::facts::case::{Attempt, Case};
use crate::target::options::Options;
use crate::target::request::fill;
use crate::target::request::template::Call;
use crate::target::request::wire;
use crate::terms::outcome::Symptom;
use crate::terms::run_id::run_id;

/// How a target fares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Health {
    Answers,
    /// It takes connections, and answers not even a fresh request.
    Hangs,
    /// It refuses connections.
    Gone,
}

/// What the checks of one run share.
pub struct Session {
    pub options: Options,
    /// In the name of every intent.
    pub run: String,
    pub started: Instant,
    pub exclusive: Exclusive,
    pub load: Load,
    pub additions: Additions,
    next: Cell<u64>,
    pace: Cell<Pace>,
    requests: Cell<u64>,
    /// How many accepted requests were not done in the time that was waited for them.
    pub polls_in_vain: Cell<u64>,
    /// Why the restart command, tried for long, did not bring the server up; None where it did. It is not tried again.
    pub never_up: RefCell<Option<String>>,
    /// Intents that every later reading of the ledger must still show.
    pub witnesses: RefCell<Vec<String>>,
}

impl Session {
    pub fn new(options: Options) -> Session {
        Session {
            exclusive: Exclusive::new(options.jobs),
            load: Load::new(),
            additions: Additions::default(),
            pace: Cell::new(Pace::unknown(options.timeout)),
            options,
            run: run_id(),
            started: Instant::now(),
            next: Cell::new(0),
            requests: Cell::new(0),
            polls_in_vain: Cell::new(0),
            never_up: RefCell::new(None),
            witnesses: RefCell::new(Vec::new()),
        }
    }

    pub fn target(&self) -> &Address {
        &self.options.targets[0]
    }

    pub fn latency(&self) -> Duration {
        self.pace.get().latency
    }

    pub fn patience(&self) -> Duration {
        self.pace.get().patience
    }

    /// Requests sent so far.
    pub fn requests(&self) -> u64 {
        self.requests.get()
    }

    /// Since the run began.
    pub fn clock(&self) -> Duration {
        self.started.elapsed()
    }

    /// Takes the target's pace from plain requests.
    pub fn measured(&self, attempts: &[Attempt]) {
        self.pace.set(self.pace.get().measured(attempts, self.options.timeout));
    }

    /// How the target fares after these cases. Whether it answers at all is asked only where they leave a doubt.
    pub async fn health(&self, cases: &[Case]) -> Health {
        let deadline = Instant::now() + self.patience();
        if !client::listens(&self.target().route, deadline).await {
            return Health::Gone;
        }
        if !cases.iter().any(Case::silent) {
            return Health::Answers;
        }
        let mut fresh = self.case("health", "fresh");
        self.send(&mut fresh, 0, "is it well?").await;
        match fresh.attempts[0].answer.class {
            Class::Silence => Health::Hangs,
            Class::Unsent => Health::Gone,
            Class::Success | Class::Named | Class::InFlight | Class::Failure | Class::Refusal => Health::Answers,
            Class::Withheld | Class::Asks => Health::Answers,
        }
    }

    /// A call with an intent, an amount and a key of its own.
    pub fn call(&self, check: &str) -> Call {
        let n = self.next.get() + 1;
        self.next.set(n);
        let intent = format!("idem-{}-{check}-{n}", self.run);
        let key = self.options.template.key_format.key(&intent).into_bytes();
        Call {
            intent,
            // Different amounts, so that a target that goes by content is found by the baseline and not everywhere.
            amount: 1000 + n,
            made: fill::now(),
            keys: vec![key],
            ..Call::default()
        }
    }

    /// A case of one fresh call, judged by the four invariants.
    pub fn case(&self, check: &str, label: impl Into<String>) -> Case {
        Case::new(label, self.options.identity.rule(), vec![self.call(check)])
    }

    /// The bytes to send.
    ///
    /// # Errors
    /// As [`Session::request`].
    pub async fn bytes(&self, call: &Call, authority: &str) -> Result<Vec<u8>, String> {
        Ok(wire::bytes(&self.request(call, authority).await?, call.form))
    }

    pub fn answer(&self, outcome: &Outcome) -> Answer {
        Answer::of(outcome, &self.options.template, self.pace.get().success_status)
    }

    /// Sends a call over a new connection.
    pub async fn send(&self, case: &mut Case, call: usize, note: &str) {
        self.send_to(case, call, note, self.target()).await;
    }

    /// As [`Session::send`], to one of the replicas.
    pub async fn send_to(&self, case: &mut Case, call: usize, note: &str, to: &Address) {
        let asked = case.calls[call].clone();
        let request = self.bytes(&asked, &to.authority).await;
        let begun = self.clock();
        let deadline = Instant::now() + self.patience();
        let (sent, outcome) = match request {
            Ok(request) => {
                self.count(1);
                match Connection::open(&to.route, asked.from, deadline).await {
                    // What a handshake takes is not the target's work on the request, by which moments are chosen.
                    Ok(connection) => (self.clock(), connection.exchange(&request, deadline).await),
                    Err(unsent) => (begun, unsent),
                }
            }
            Err(why) => (begun, unsigned(why)),
        };
        case.attempts.push(self.attempt(&asked, to, sent, call, note, &outcome).await);
    }

    pub fn count(&self, requests: u64) {
        self.requests.set(self.requests.get() + requests);
    }

    /// An attempt that was left alone and has ended now, the `call`th of its case; what becomes of a 202 may take longer.
    pub async fn attempt(
        &self,
        asked: &Call,
        to: &Address,
        sent: Duration,
        call: usize,
        note: &str,
        outcome: &Outcome,
    ) -> Attempt {
        let ended = self.clock();
        let answer = self.learned(asked, to, outcome).await;
        Attempt { sent, ended, call, note: note.to_string(), copy: false, faulted: false, answer, client: None }
    }
}

/// Nothing was sent: that is our own failure, not the target's silence.
fn unsigned(why: String) -> Outcome {
    Outcome { symptom: Symptom::Unknown, reply: None, detail: Some(why), elapsed: Duration::ZERO }
}
