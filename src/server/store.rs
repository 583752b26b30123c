//! The key store and the critical sections of the policies. Invariant: under every policy but `naive` and `key_racy`,
//! look-up and charge of one identity happen in one critical section.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hyper::StatusCode;
use tokio::sync::Mutex as Section;
use tokio::time::Instant;

use super::gate::Gates;
use super::ledger::{Charge, Ledger};
use super::policy::Policy;
use super::problem::Problem;
use super::request::ChargeRequest;

/// What a request came to: the charge that stands for it, and whether an earlier request made it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settled {
    pub charge: Charge,
    pub replay: bool,
}

/// What is known of one identity; None until it is charged.
type Entry = Arc<Section<Option<Known>>>;

#[derive(Clone, Debug)]
struct Known {
    charge: Charge,
    since: Instant,
}

/// Where repeats are recognised. In memory: it does not survive its server, the ledger does.
#[derive(Debug)]
pub struct Store {
    policy: Policy,
    entries: Mutex<HashMap<String, Entry>>,
}

impl Store {
    /// A store for a server that starts now. Of the charges that the ledger already holds only `key_durable` knows.
    pub fn new(policy: Policy, charged: &[Charge]) -> Store {
        let mut entries = HashMap::new();
        if policy == Policy::KeyDurable {
            for charge in charged {
                if let Some(key) = &charge.key {
                    let known = Known { charge: charge.clone(), since: Instant::now() };
                    entries.entry(key.clone()).or_insert_with(|| Arc::new(Section::new(Some(known))));
                }
            }
        }
        Store { policy, entries: Mutex::new(entries) }
    }

    /// Charges, or replays the charge of an earlier request with the same identity. Errors: the key came before with
    /// another intent (422), or the ledger could not be written (500); neither charges.
    pub async fn settle(&self, request: &ChargeRequest, ledger: &Ledger, gates: &Gates) -> Result<Settled, Problem> {
        let Some(identity) = self.identity(request) else { return fresh(request, ledger) };
        let entry = self.entry(identity);
        if let Policy::KeyRacy { window } = self.policy {
            return self.check_then_act(&entry, request, ledger, window, gates).await;
        }
        let mut known = entry.lock().await;
        if let Some(known) = known.as_ref().filter(|known| !self.forgotten(known)) {
            return self.replay(known, request);
        }
        // Real code talks to a database here: whoever does not hold the section would get in between.
        tokio::task::yield_now().await;
        let settled = fresh(request, ledger)?;
        *known = Some(Known { charge: settled.charge.clone(), since: Instant::now() });
        Ok(settled)
    }

    /// The fault that `key_racy` stands for: between its look-up and its charge others look up too.
    async fn check_then_act(
        &self,
        entry: &Entry,
        request: &ChargeRequest,
        ledger: &Ledger,
        window: Duration,
        gates: &Gates,
    ) -> Result<Settled, Problem> {
        if let Some(known) = entry.lock().await.as_ref() {
            return self.replay(known, request);
        }
        gates.checked(&request.intent, window).await;
        let settled = fresh(request, ledger)?;
        let known = Known { charge: settled.charge.clone(), since: Instant::now() };
        entry.lock().await.get_or_insert(known);
        Ok(settled)
    }

    /// What makes two requests the same; None where nothing does.
    fn identity(&self, request: &ChargeRequest) -> Option<String> {
        match self.policy {
            Policy::Naive => None,
            Policy::ContentHash => Some(format!("amount {}", request.amount)),
            Policy::KeyAtomic | Policy::KeyRacy { .. } | Policy::KeyTtl { .. } | Policy::KeyDurable => {
                request.key.clone()
            }
        }
    }

    fn entry(&self, identity: String) -> Entry {
        let mut entries = self.entries.lock().expect("no request panics while it holds the store");
        entries.entry(identity).or_default().clone()
    }

    fn forgotten(&self, known: &Known) -> bool {
        match self.policy {
            Policy::KeyTtl { window } => known.since.elapsed() >= window,
            Policy::Naive | Policy::KeyAtomic | Policy::KeyRacy { .. } | Policy::ContentHash | Policy::KeyDurable => {
                false
            }
        }
    }

    fn replay(&self, known: &Known, request: &ChargeRequest) -> Result<Settled, Problem> {
        if self.policy != Policy::ContentHash {
            same_intent(known, request)?;
        }
        Ok(Settled { charge: known.charge.clone(), replay: true })
    }
}

fn fresh(request: &ChargeRequest, ledger: &Ledger) -> Result<Settled, Problem> {
    let charge = ledger
        .append(&request.intent, request.amount, request.key.as_deref())
        .map_err(|error| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, format!("ledger not written: {error}")))?;
    Ok(Settled { charge, replay: false })
}

/// A key stands for one intent (IETF Idempotency-Key draft, 2.7: 422 for a key reused with another payload).
fn same_intent(known: &Known, request: &ChargeRequest) -> Result<(), Problem> {
    if known.charge.intent == request.intent && known.charge.amount == request.amount {
        return Ok(());
    }
    Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "this Idempotency-Key came before with another intent"))
}
