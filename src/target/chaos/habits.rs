//! What the target takes when nothing else is wrong: forms of keys and of bodies, each tried once alone. Invariant: an
//! order is made only in a way that was taken alone, so that a refusal in a schedule is due to the schedule.

use std::cell::RefCell;
use std::collections::HashMap;

use super::schedule::{Body, Schedule};
use super::send;
use crate::target::checks::odd_keys::Alike;
use crate::target::drive::session::Session;
use crate::target::facts::case::{Case, Rule};
use crate::target::request::template::Call;

/// What was tried so far.
#[derive(Default)]
pub struct Habits {
    keys: RefCell<HashMap<Alike, bool>>,
    takes_large: RefCell<Option<bool>>,
    /// By the label of the variation.
    rewritten: RefCell<HashMap<String, bool>>,
}

impl Habits {
    /// The identical request of each order. All have the same amount: only names and keys tell them apart.
    pub async fn calls(&self, session: &Session, schedule: &Schedule) -> Vec<Call> {
        let mut calls: Vec<Call> = Vec::new();
        for (n, order) in schedule.orders.iter().enumerate() {
            let fresh = session.call("chaos");
            let amount = calls.first().map_or(fresh.amount, |first: &Call| first.amount);
            let mut call = self.made(session, order.body, Call { amount, ..fresh }).await;
            if let (Some(alike), Some(before)) = (order.key_alike, n.checked_sub(1))
                && self.takes_keys(session, alike).await
            {
                let [first, second] = alike.keys(&calls[before], &session.options.template);
                calls[before].keys = first;
                call.keys = second;
            }
            calls.push(call);
        }
        calls
    }

    async fn made(&self, session: &Session, body: Body, call: Call) -> Call {
        let options = &session.options;
        let with = |body: &Option<_>, header: &Option<_>| Call {
            body: body.clone(),
            extra: call.extra.iter().cloned().chain(header.clone()).collect(),
            ..call.clone()
        };
        match body {
            Body::Plain => call,
            Body::FailsFirst => with(&options.fail_body, &options.fail_header),
            Body::FailsAfter => with(&options.fail_after_body, &options.fail_after_header),
            Body::Large if self.takes_large(session).await => Call { padded: true, ..call },
            Body::Large => call,
        }
    }

    async fn takes_large(&self, session: &Session) -> bool {
        let known = *self.takes_large.borrow();
        match known {
            Some(takes) => takes,
            None => {
                let takes = takes(session, Call { padded: true, ..session.call("control") }).await;
                *self.takes_large.borrow_mut() = Some(takes);
                takes
            }
        }
    }

    /// Whether the content in other bytes is taken for the same request: a retry so written is a replay.
    pub async fn takes_rewritten(&self, session: &Session, label: &str) -> bool {
        let known = self.rewritten.borrow().get(label).copied();
        if let Some(takes) = known {
            return takes;
        }
        let call = session.call("control");
        let takes = match send::varied(session, &call, label) {
            Ok(other) => {
                let mut case = Case::new("control", Rule::Once, vec![call, other]);
                session.send(&mut case, 0, "control").await;
                session.send(&mut case, 1, "control, in other bytes").await;
                case.succeeded(0) && case.succeeded(1) && case.receipts().len() <= 1
            }
            Err(_) => false,
        };
        self.rewritten.borrow_mut().insert(label.to_owned(), takes);
        takes
    }

    /// Whether both forms are taken, each where no key looks like it.
    async fn takes_keys(&self, session: &Session, alike: Alike) -> bool {
        let known = self.keys.borrow().get(&alike).copied();
        if let Some(takes) = known {
            return takes;
        }
        let mut taken = true;
        for form in 0..2 {
            let fresh = session.call("control");
            let keys = alike.keys(&fresh, &session.options.template)[form].clone();
            taken = taken && takes(session, Call { keys, ..fresh }).await;
        }
        self.keys.borrow_mut().insert(alike, taken);
        taken
    }
}

/// Whether a lone order succeeds.
async fn takes(session: &Session, call: Call) -> bool {
    let mut case = Case::new("control", Rule::Once, vec![call]);
    session.send(&mut case, 0, "control").await;
    case.succeeded(0)
}
