//! The small schedules: one thing that happens to an order, before its first success or after, and the order again. Pure.
//! Invariant: whatever the means allow stands there once, alone; what needs company is left to chance.

use super::means::Means;
use super::schedule::{Body, ORDERS, Order, Schedule};
use super::step::{Difference, Kind, Mishap, Moment, Release, Step, Written};
use crate::proxy::End;

/// Keys in between, as many as a small store may have room for.
const MANY: usize = 350;

/// All of them, always in the same order.
pub fn small(means: &Means) -> Vec<Schedule> {
    let steps: Vec<_> = means.kinds.iter().flat_map(|kind| all(*kind, means)).collect();
    let mut schedules: Vec<_> = steps.iter().map(|step| around(vec![step.clone()])).collect();
    let happens = |step: &Step| step.order().is_some() && step.kind() != Kind::Send;
    schedules.extend(steps.into_iter().filter(happens).map(first));
    if means.kinds.contains(&Kind::Restart) {
        schedules.push(around(vec![Step::Restart, Step::plain(0), Step::Restart]));
        // What two lives begin with: a counter begins again.
        let lives = vec![Step::Restart, Step::plain(0), Step::Restart, Step::plain(1)];
        schedules.push(Schedule { steps: lives, ..two() });
    }
    schedules.extend(means.bodies.iter().filter(|body| **body != Body::Plain).map(|body| Schedule {
        orders: vec![Order { body: *body, ..Order::default() }],
        steps: vec![Step::plain(0), Step::plain(0)],
    }));
    schedules.extend(means.alike.iter().map(|alike| Schedule {
        orders: vec![Order::default(), Order { key_alike: Some(*alike), ..Order::default() }],
        ..two()
    }));
    schedules.into_iter().map(Schedule::tidy).collect()
}

/// An order, these steps, the order again.
fn around(steps: Vec<Step>) -> Schedule {
    let steps = [vec![Step::plain(0)], steps, vec![Step::plain(0)]].concat();
    Schedule { orders: vec![Order::default()], steps }
}

/// It happens to the first request. A race is run for several orders, since one may end well by luck.
fn first(step: Step) -> Schedule {
    let orders = if step.kind() == Kind::Race { ORDERS } else { 1 };
    let steps = (0..orders).map(|order| step.clone().about(order)).collect();
    Schedule { orders: vec![Order::default(); orders], steps }
}

fn two() -> Schedule {
    let steps = vec![Step::plain(0), Step::plain(1), Step::plain(0)];
    Schedule { orders: vec![Order::default(); 2], steps }
}

/// Every form of a step of this kind, but for its moments.
fn all(kind: Kind, means: &Means) -> Vec<Step> {
    let sent = |written, mishap| Step::Send { order: 0, written, mishap };
    let through = |mishap| sent(Written::Same, Some(mishap));
    let varied = |labels: &[&str]| labels.iter().map(|label| Written::Varied(label.to_string())).collect::<Vec<_>>();
    let race = |varied: Option<&str>| Step::Race {
        order: 0,
        copies: 5,
        release: Release::LastBytes,
        varied: varied.map(str::to_string),
    };
    match kind {
        Kind::Send => vec![Step::plain(0)],
        Kind::Varied => varied(&means.variations).into_iter().map(|written| sent(written, None)).collect(),
        Kind::Refreshed => vec![sent(Written::Refreshed, None)],
        Kind::OtherPayload => {
            let leaves = means.leaves.iter().cloned().map(Difference::Leaf);
            let amount = means.has_amount.then_some(Difference::Amount);
            leaves.chain(amount).chain([Difference::Intent]).map(|other| sent(Written::Other(other), None)).collect()
        }
        Kind::Cut => End::ALL.iter().map(|by| through(Mishap::Cut { after: Moment::Micros(0), by: *by })).collect(),
        Kind::HalfRequest => vec![through(Mishap::HalfRequest { ms: 5, by: End::ALL[0] })],
        Kind::LostReply => {
            [Mishap::DropReply, Mishap::HoldReply, Mishap::ErrorReply, Mishap::HalfReply].map(through).into()
        }
        Kind::NeverSent => vec![through(Mishap::NeverSent)],
        Kind::Twice => [true, false].map(|together| through(Mishap::Twice { together })).into(),
        Kind::Late => vec![through(Mishap::Late)],
        Kind::Race => [None].into_iter().chain(means.rewritten.iter().copied().map(Some)).map(race).collect(),
        Kind::Crowd => vec![Step::Crowd],
        Kind::Principal => vec![Step::Principal { order: 0 }],
        Kind::NoKey => vec![Step::NoKey],
        Kind::FreshKeys => vec![Step::FreshKeys { count: MANY }],
        Kind::Wait => means.long_wait.map(|wait| Step::Wait { ms: wait.as_millis() as u64 }).into_iter().collect(),
        Kind::AwaitItem => vec![Step::AwaitItem { order: 0 }],
        Kind::Disrupt => means.disruptions.iter().map(|name| Step::Disrupt { name: name.clone() }).collect(),
        // It comes with what it ends.
        Kind::Heal => Vec::new(),
        Kind::Restart => vec![Step::Restart],
        Kind::RestartDuring => vec![Step::RestartDuring { order: 0, after: Moment::Percent(50) }],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::chaos::fixtures::means;

    #[test]
    fn every_kind_that_there_are_means_for_stands_alone_between_two_requests() {
        let all = small(&means());
        for schedule in &all {
            assert!(schedule.check().is_ok(), "{schedule:?}");
            assert!((2..=8).contains(&schedule.steps.len()), "{schedule:?}");
        }
        for kind in means().kinds.into_iter().filter(|kind| *kind != Kind::Heal) {
            let found = all.iter().any(|one| one.steps.len() <= 4 && one.steps.iter().any(|step| step.kind() == kind));
            assert!(found, "{kind}");
        }
        for label in &means().variations {
            let is_it = |step: &Step| matches!(step, Step::Send { written: Written::Varied(own), .. } if own == label);
            assert!(all.iter().any(|one| one.steps.iter().any(is_it)), "{label}");
        }
    }

    #[test]
    fn nothing_is_there_without_means() {
        let few = Means { kinds: vec![Kind::Send], bodies: vec![Body::Plain], alike: vec![], ..means() };
        assert_eq!(small(&few), [around(vec![Step::plain(0)])]);
    }
}
