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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::chaos::fixtures::schedule;
    use crate::target::chaos::step::Release;

    #[test]
    fn an_order_ends_with_a_plain_request_and_an_unused_one_goes() {
        let race = |order| Step::Race { order, copies: 2, release: Release::Together, varied: None };
        let tidy = schedule(3, &[race(1), Step::plain(7)]).tidy();
        assert_eq!(tidy, schedule(1, &[race(0), Step::plain(0)]));
    }

    #[test]
    fn a_key_looks_like_that_of_the_order_before_or_like_none() {
        let mut three = schedule(3, &[Step::plain(0), Step::plain(1), Step::plain(2)]);
        three.orders[1].key_alike = Some(Alike::LetterCase);
        assert_eq!(three.clone().tidy(), three);
        three.steps.remove(0);
        assert!(three.tidy().orders.iter().all(|order| order.key_alike.is_none()));
    }

    #[test]
    fn one_holds_another_by_kinds_in_order_about_the_same_orders() {
        let known = schedule(2, &[Step::plain(0), Step::Restart, Step::plain(0), Step::plain(1)]);
        let other = [Step::plain(1), Step::NoKey, Step::Restart, Step::plain(1), Step::plain(0)];
        assert!(schedule(2, &other).holds(&known), "orders may change their names");
        assert!(!known.holds(&schedule(2, &other)), "it lacks a step");
        let mixed = [Step::plain(0), Step::Restart, Step::plain(1), Step::plain(1)];
        assert!(!schedule(2, &mixed).holds(&known), "the retry is another order's");
        let mut made = schedule(2, &other);
        made.orders[0].body = Body::Large;
        assert!(!made.holds(&known), "an order is made otherwise");
    }

    #[test]
    fn a_step_about_an_order_that_is_not_there_is_named() {
        let why = schedule(1, &[Step::plain(0), Step::plain(1)]).check().unwrap_err();
        assert_eq!(why, "step 2 is about an order that is not there");
        assert!(schedule(1, &[]).check().is_err());
        assert!(schedule(5, &[Step::NoKey]).check().is_err());
    }
}
