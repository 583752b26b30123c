//! One run against a target: fresh intents and keys, the clock, and plain attempts. Invariant: no two cases of any two
//! runs share an intent or a key.

use std::cell::{Cell, RefCell};
use std::net::IpAddr;
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};
use tokio::sync::Semaphore;
use tokio::time::Instant;

use super::settle::QUIET_BUDGET;
use crate::http::address::Address;
use crate::http::client::{Connection, Outcome};
use crate::target::facts::answer::{Answer, Class};
use crate::target::facts::case::{Attempt, Case, Rule};
use crate::target::options::Options;
use crate::target::request::template::Call;

/// Patience before the baseline has told the target's latency.
const FIRST_PATIENCE: Duration = Duration::from_secs(10);
/// The client's patience is this many times the slowest plain request seen, within bounds.
const PATIENCE_FACTOR: u32 = 20;
const PATIENCE_BOUNDS: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(30)];

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
    /// Checks that drive the target hold a permit; those that wait for a lease do not.
    pub stage: Semaphore,
    /// Who drives the target now: the checks on the stage, or one retry that is to be alone with it. A waiting retry comes
    /// after the check that drives, not after all that queue for the stage.
    pub floor: Semaphore,
    /// When a check last ended; what it began at the target and did not wait for takes as long as a plain request at most.
    pub driven: Cell<Instant>,
    /// Whether the target has refused a key for now that it could not know yet, as with one lock for several keys: then its
    /// conflicts too may be due to the load.
    pub contended: Cell<bool>,
    /// What is left of the time for retries in quiet that are in vain.
    pub quiet: Cell<Duration>,
    next: Cell<u64>,
    /// Of a plain request with a fresh key, the latest measure.
    latency: Cell<Duration>,
    patience: Cell<Duration>,
    success_status: Cell<Option<u16>>,
    requests: Cell<u64>,
    /// Intents that every later reading of the ledger must still show.
    pub witnesses: RefCell<Vec<String>>,
}

impl Session {
    pub fn new(options: Options) -> Session {
        let (stage, floor) = (Semaphore::new(options.jobs), Semaphore::new(options.jobs));
        let patience = options.timeout.unwrap_or(FIRST_PATIENCE);
        Session {
            options,
            run: run_id(),
            started: Instant::now(),
            stage,
            floor,
            driven: Cell::new(Instant::now()),
            contended: Cell::new(false),
            quiet: Cell::new(QUIET_BUDGET),
            next: Cell::new(0),
            latency: Cell::new(Duration::ZERO),
            patience: Cell::new(patience),
            success_status: Cell::new(None),
            requests: Cell::new(0),
            witnesses: RefCell::new(Vec::new()),
        }
    }

    pub fn target(&self) -> &Address {
        &self.options.targets[0]
    }

    pub fn latency(&self) -> Duration {
        self.latency.get()
    }

    pub fn patience(&self) -> Duration {
        self.patience.get()
    }

    /// Requests sent so far.
    pub fn requests(&self) -> u64 {
        self.requests.get()
    }

    /// Since the run began.
    pub fn clock(&self) -> Duration {
        self.started.elapsed()
    }

    /// Takes a plain request's time as the target's latency, and the patience from it unless the user gave one.
    pub fn measured(&self, attempts: &[Attempt]) {
        // What was turned away was not worked on.
        let worked = attempts.iter().filter(|a| a.answer.class == Class::Success);
        let mut times: Vec<_> = worked.map(|a| a.ended - a.sent).collect();
        times.sort();
        let (Some(&median), Some(&slowest)) = (times.get(times.len() / 2), times.last()) else { return };
        self.latency.set(median);
        let [least, most] = PATIENCE_BOUNDS;
        if self.options.timeout.is_none() {
            self.patience.set((slowest * PATIENCE_FACTOR).clamp(least, most));
        }
        self.success_status
            .set(attempts.iter().find(|a| a.answer.class == Class::Success).and_then(|a| a.answer.status));
    }

    /// How the target fares after these cases. Whether it answers at all is asked only where they leave a doubt.
    pub async fn health(&self, cases: &[Case]) -> Health {
        let deadline = Instant::now() + self.patience();
        if Connection::open(self.target().socket, None, deadline).await.is_err() {
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
            Class::Withheld => Health::Answers,
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
            keys: vec![key],
            reserialised: false,
            extra: Vec::new(),
            without: None,
            body: None,
        }
    }

    /// A case of one fresh call, judged by the four invariants.
    pub fn case(&self, check: &str, label: impl Into<String>) -> Case {
        Case::new(label, Rule::Once, vec![self.call(check)])
    }

    pub fn bytes(&self, call: &Call) -> Vec<u8> {
        self.options.template.request(call, &self.target().authority).to_bytes()
    }

    pub fn answer(&self, outcome: &Outcome) -> Answer {
        Answer::of(outcome, &self.options.template, self.success_status.get())
    }

    /// Sends a call over a new connection.
    pub async fn send(&self, case: &mut Case, call: usize, note: &str) {
        self.send_from(case, call, note, None, self.target()).await;
    }

    /// As [`Session::send`], from a source address, to one of the replicas.
    pub async fn send_from(&self, case: &mut Case, call: usize, note: &str, from: Option<IpAddr>, to: &Address) {
        let request = self.options.template.request(&case.calls[call], &to.authority).to_bytes();
        let sent = self.clock();
        let deadline = Instant::now() + self.patience();
        self.count(1);
        let outcome = match Connection::open(to.socket, from, deadline).await {
            Ok(connection) => connection.exchange(&request, deadline).await,
            Err(unsent) => unsent,
        };
        case.attempts.push(self.attempt(sent, call, note, &outcome));
    }

    pub fn count(&self, requests: u64) {
        self.requests.set(self.requests.get() + requests);
    }

    /// An attempt that was left alone and has ended now.
    pub fn attempt(&self, sent: Duration, call: usize, note: &str, outcome: &Outcome) -> Attempt {
        let answer = self.answer(outcome);
        Attempt { sent, ended: self.clock(), call, note: note.to_string(), faulted: false, answer, client: None }
    }
}

/// 8 hex digits, other ones in each run.
fn run_id() -> String {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |d| d.as_nanos());
    hex::encode(&Sha256::digest(format!("{since}-{}", std::process::id()))[..4])
}
