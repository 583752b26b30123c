//! Means and schedules by hand, for the tests of drawing and shrinking.

use std::time::Duration;

use super::means::Means;
use super::schedule::{Body, Order, Schedule};
use super::step::{Kind, Step};
use crate::target::checks::odd_keys::Alike;

/// All that options can allow.
pub fn means() -> Means {
    Means {
        kinds: Kind::ALL.to_vec(),
        variations: vec!["HTTP/1.0", "body in chunks"],
        rewritten: vec!["body in chunks"],
        leaves: vec!["/currency".into()],
        has_amount: true,
        has_ledger: true,
        bodies: vec![Body::Plain, Body::Large, Body::FailsFirst, Body::FailsAfter],
        alike: vec![Alike::LetterCase, Alike::LastOf40],
        disruptions: vec!["pause".into()],
        long_wait: Some(Duration::from_secs(4)),
    }
}

/// These steps over so many plain orders.
pub fn schedule(orders: usize, steps: &[Step]) -> Schedule {
    Schedule { orders: vec![Order::default(); orders], steps: steps.to_vec() }
}
