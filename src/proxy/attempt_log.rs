//! The attempts that went through `idem proxy`: numbers them, chooses the fault, and turns them into lines. Invariant: the
//! lines of one intent come out in the order of its attempts, each once.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::time::{Duration, SystemTime};

use super::attempt_line::AttemptLine;
use super::call::Call;
use super::event::{Event, EventKind, LineEvent};
use super::exchange::Exchange;
use super::fault::Fault;
use super::fault_name::FaultName;
use super::gate::Gate;
use super::place::Place;
use super::said::ReplyRules;
use super::trigger::Trigger;

/// Intents whose attempts are still counted; of the one that came longest ago the next attempt counts as the first.
const INTENTS: usize = 100_000;

/// What the user chose.
#[derive(Clone, Debug)]
pub struct Rules {
    pub fault: FaultName,
    pub on: Trigger,
    pub seed: u64,
    pub retry_after: Option<u64>,
    pub cut_after: Duration,
    /// In the request.
    pub intent_at: Place,
    pub key_at: Place,
    pub reply: ReplyRules,
    /// The client is killed at the fault, before it is told anything.
    pub until_killed: bool,
}

/// An attempt under way, or ended and waiting for an earlier one of its intent.
struct Open {
    intent: Option<String>,
    line: AttemptLine,
    /// Opens when a later attempt of the intent has ended.
    later: Gate,
    has_ended: bool,
}

/// What is known of an intent.
struct Attempts {
    count: u32,
    /// Its first call's, where it is a tool's.
    first: Option<Call>,
}

pub struct AttemptLog {
    rules: Rules,
    /// Attempts of all intents.
    total: u64,
    attempts: HashMap<String, Attempts>,
    /// The intents in `attempts`, oldest first.
    known: VecDeque<String>,
    /// By exchange, so in the order of the requests.
    open: BTreeMap<u64, Open>,
    /// Exchanges without a line yet, oldest first, of each intent.
    waiting: HashMap<String, VecDeque<u64>>,
    /// From now on nothing is faulted.
    is_over: bool,
}

impl AttemptLog {
    pub fn new(rules: Rules) -> AttemptLog {
        AttemptLog {
            rules,
            total: 0,
            attempts: HashMap::new(),
            known: VecDeque::new(),
            open: BTreeMap::new(),
            waiting: HashMap::new(),
            is_over: false,
        }
    }

    /// From now on all requests pass.
    pub fn fault_no_more(&mut self) {
        self.is_over = true;
    }

    /// No later attempt will come: what waits for one goes on.
    pub fn release(&mut self) {
        self.open.values().for_each(|open| open.later.open());
    }

    /// Whether no exchange is under way.
    pub fn is_idle(&self) -> bool {
        self.open.is_empty()
    }

    /// Enters a request, and chooses its fault. A request that names no intent is passed on.
    pub fn enter(&mut self, exchange: &Exchange) -> Fault {
        let call = self.rules.reply.of_tools.then(|| Call::of(&exchange.request.content()?)).flatten();
        let intent = self.rules.intent_at.name_in(&exchange.request);
        let key = self.rules.key_at.name_in(&exchange.request);
        let (name, later) = self.named(exchange.id, intent, key, call);
        let killed = self.rules.until_killed.then(|| name.until_killed(&later)).flatten();
        killed.unwrap_or_else(|| name.fault(&later, self.rules.retry_after, self.rules.cut_after))
    }

    /// Enters a request between standard streams, and chooses its fault.
    pub fn enter_line(&mut self, exchange: u64, line: &[u8]) -> FaultName {
        let (intent, key) = (self.rules.intent_at.name_in_json(line), self.rules.key_at.name_in_json(line));
        self.named(exchange, intent, key, Call::of(line)).0
    }

    /// An attempt of an intent that stands in the readings of an earlier run.
    pub fn remember(&mut self, intent: &str) {
        self.count(intent, None);
    }

    fn named(
        &mut self,
        exchange: u64,
        intent: Option<String>,
        key: Option<String>,
        call: Option<Call>,
    ) -> (FaultName, Gate) {
        let (numbered, changed) = match intent.clone() {
            Some(intent) => {
                let (attempt, changed) = self.count(&intent, call.as_ref());
                (Some((intent, attempt)), changed)
            }
            None => (None, None),
        };
        let name = match &numbered {
            Some((_, attempt)) if !self.is_over && self.rules.on.hits(self.total, *attempt, self.rules.seed) => {
                self.rules.fault
            }
            Some(_) | None => FaultName::None,
        };
        if let Some(intent) = &intent {
            self.waiting.entry(intent.clone()).or_default().push_back(exchange);
        }
        let later = Gate::new();
        let line = AttemptLine::new(SystemTime::now(), numbered, key, name);
        let line = match call {
            Some(call) => line.of_call(call.id, changed),
            None => line,
        };
        self.open.insert(exchange, Open { intent, line, later: later.clone(), has_ended: false });
        (name, later)
    }

    /// Takes in what happened to a request between standard streams.
    pub fn observe_line(&mut self, exchange: u64, what: &LineEvent) {
        if let Some(open) = self.open.get_mut(&exchange) {
            open.line.observe_line(what, &self.rules.reply);
        }
    }

    /// The same for all that are under way.
    pub fn observe_lines(&mut self, what: &LineEvent) {
        self.open.values_mut().for_each(|open| open.line.observe_line(what, &self.rules.reply));
    }

    /// Takes in an event, and gives the readings that are finished by it.
    pub fn observe(&mut self, event: &Event) -> Vec<AttemptLine> {
        if let EventKind::BadRequest { .. } = event.what {
            let mut line = AttemptLine::new(SystemTime::now(), None, None, FaultName::None);
            line.observe(&event.what, &self.rules.reply);
            return vec![line];
        }
        let Some(open) = self.open.get_mut(&event.exchange) else { return Vec::new() };
        open.line.observe(&event.what, &self.rules.reply);
        if matches!(event.what, EventKind::Ended) { self.end(event.exchange) } else { Vec::new() }
    }

    /// All readings that are left, those of exchanges under way too, in the order of their requests.
    pub fn stop(&mut self) -> Vec<AttemptLine> {
        self.waiting.clear();
        let left = std::mem::take(&mut self.open).into_values();
        left.map(|mut open| {
            open.line.stopped();
            open.line
        })
        .collect()
    }

    /// Nothing more happens to it. Gives the readings that are finished by it.
    pub fn end(&mut self, exchange: u64) -> Vec<AttemptLine> {
        let Some(open) = self.open.get_mut(&exchange) else { return Vec::new() };
        open.has_ended = true;
        let Some(intent) = open.intent.clone() else { return self.close(exchange).into_iter().collect() };
        let Some(queue) = self.waiting.remove(&intent) else { return Vec::new() };
        for earlier in queue.iter().filter(|earlier| **earlier < exchange) {
            if let Some(open) = self.open.get(earlier) {
                open.later.open();
            }
        }
        let (finished, waiting) = self.finished(queue);
        if !waiting.is_empty() {
            self.waiting.insert(intent, waiting);
        }
        finished
    }

    /// Closes what has ended, up to the first exchange that has not.
    fn finished(&mut self, mut queue: VecDeque<u64>) -> (Vec<AttemptLine>, VecDeque<u64>) {
        let mut finished = Vec::new();
        while let Some(first) = queue.front().copied().filter(|first| self.open.get(first).is_none_or(|o| o.has_ended))
        {
            queue.pop_front();
            finished.extend(self.close(first));
        }
        (finished, queue)
    }

    fn close(&mut self, exchange: u64) -> Option<AttemptLine> {
        self.open.remove(&exchange).map(|open| open.line)
    }

    /// The attempt's number within its intent, and what a tool's call changes in the first one's arguments.
    fn count(&mut self, intent: &str, call: Option<&Call>) -> (u32, Option<Vec<String>>) {
        self.total += 1;
        if let Some(attempts) = self.attempts.get_mut(intent) {
            attempts.count += 1;
            let first = attempts.first.as_ref();
            return (attempts.count, first.zip(call).map(|(first, call)| call.changed(first)));
        }
        if self.known.len() == INTENTS {
            let oldest = self.known.pop_front();
            oldest.map(|oldest| self.attempts.remove(&oldest));
        }
        self.known.push_back(intent.to_owned());
        self.attempts.insert(intent.to_owned(), Attempts { count: 1, first: call.cloned() });
        (1, None)
    }
}
