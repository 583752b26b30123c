//! A schedule: orders, and the steps that are taken with them one after another. Invariant: any subset of the steps, with
//! the orders as they are, can be played.

use serde::{Deserialize, Serialize};

use super::step::Step;
use crate::target::checks::odd_keys::Alike;

/// The most orders of a schedule.
pub const ORDERS: usize = 4;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schedule {
    pub orders: Vec<Order>,
    pub steps: Vec<Step>,
}

/// What a client wants done once: an intent with its key.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Order {
    #[serde(default)]
    pub body: Body,
    /// Its key is another than the one of the order before, but looks like it; None: a key like no other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_alike: Option<Alike>,
}

/// How an order's request is made, each time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Body {
    #[default]
    Plain,
    /// With one more field, which makes it large.
    Large,
    /// The handler fails once before its side effect.
    FailsFirst,
    /// The handler fails once after its side effect.
    FailsAfter,
}

impl Schedule {
    /// Without orders that no step is about, without steps about orders that are not there, and with a plain request at the
    /// end of each order, as I4 asks for.
    pub fn tidy(self) -> Schedule {
        let mut tidy = self.without_unused();
        for order in 0..tidy.orders.len() {
            let last = tidy.steps.iter().rfind(|step| step.order() == Some(order) || **step == Step::Crowd);
            if last != Some(&Step::plain(order)) {
                tidy.steps.push(Step::plain(order));
            }
        }
        tidy
    }

    fn without_unused(mut self) -> Schedule {
        self.steps.retain(|step| step.order().is_none_or(|order| order < self.orders.len()));
        let is_used = |n: usize| {
            let crowd = self.steps.contains(&Step::Crowd);
            crowd || self.steps.iter().any(|step| step.order() == Some(n))
        };
        let used: Vec<usize> = (0..self.orders.len()).filter(|&n| is_used(n)).collect();
        let place = |order: usize| used.iter().position(|&n| n == order).unwrap_or(0);
        let steps = self.steps.iter().map(|step| match step.order() {
            Some(order) => step.clone().about(place(order)),
            None => step.clone(),
        });
        let steps = steps.collect();
        let mut orders: Vec<Order> = used.iter().map(|&n| self.orders[n].clone()).collect();
        for (at, &n) in used.iter().enumerate() {
            // An order that looks like one which is gone looks like none.
            if at == 0 || used[at - 1] + 1 != n {
                orders[at].key_alike = None;
            }
        }
        Schedule { orders, steps }
    }

    /// Whether `other` is in it: steps of the same kinds in the same order, about orders that can stand for its orders.
    pub fn holds(&self, other: &Schedule) -> bool {
        self.holds_with(other, &mut Vec::new())
    }

    /// `standing` says which order of this schedule stands for each of the other's first ones.
    fn holds_with(&self, other: &Schedule, standing: &mut Vec<usize>) -> bool {
        if standing.len() == other.orders.len() {
            return self.holds_steps(other, standing);
        }
        let wanted = &other.orders[standing.len()];
        (0..self.orders.len()).any(|n| {
            let fits = !standing.contains(&n) && self.orders[n] == *wanted;
            standing.push(n);
            let holds = fits && self.holds_with(other, standing);
            standing.pop();
            holds
        })
    }

    fn holds_steps(&self, other: &Schedule, standing: &[usize]) -> bool {
        let mut steps = self.steps.iter();
        other.steps.iter().all(|wanted| {
            let order = wanted.order().map(|order| standing[order]);
            steps.any(|step| step.kind() == wanted.kind() && step.order() == order)
        })
    }

    /// # Errors
    /// Names what cannot be played.
    pub fn check(&self) -> Result<(), String> {
        if self.orders.len() > ORDERS {
            return Err(format!("{} orders; there may be {ORDERS}", self.orders.len()));
        }
        let missing = |step: &&Step| step.order().is_some_and(|order| order >= self.orders.len());
        match self.steps.iter().position(|step| missing(&step)) {
            Some(n) => Err(format!("step {} is about an order that is not there", n + 1)),
            None if self.steps.is_empty() => Err("no steps".into()),
            None => Ok(()),
        }
    }
}
