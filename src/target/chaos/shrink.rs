//! What might be smaller. Pure. Invariant: every candidate is a schedule that can be played, and each is smaller than what
//! it was made of, so that shrinking ends.

use super::schedule::{Body, Order, Schedule};
use super::step::{Mishap, Moment, Release, Step, Written};

/// Schedules that are a little smaller, the boldest first.
pub fn candidates(schedule: &Schedule) -> Vec<Schedule> {
    let mut smaller = Vec::new();
    let steps = schedule.steps.len();
    if steps > 3 {
        smaller.extend([without(schedule, 0..steps / 2), without(schedule, steps / 2..steps)]);
    }
    if schedule.orders.len() > 1 {
        smaller.extend((0..schedule.orders.len()).map(|order| without_order(schedule, order)));
    }
    smaller.extend((0..steps).map(|n| without(schedule, n..n + 1)));
    smaller.extend((0..schedule.orders.len()).flat_map(|n| plainer(schedule, n)));
    for (n, step) in schedule.steps.iter().enumerate() {
        smaller.extend(simpler(step).into_iter().map(|step| {
            let mut other = schedule.clone();
            other.steps[n] = step;
            other
        }));
    }
    for (n, step) in schedule.steps.iter().enumerate() {
        let mut other = schedule.clone();
        other.steps.splice(n..n + 1, one_by_one(step, schedule.orders.len()));
        smaller.push(other);
    }
    let mut candidates: Vec<Schedule> = Vec::new();
    for candidate in smaller.into_iter().map(Schedule::tidy) {
        if !candidate.steps.is_empty() && size(&candidate) < size(schedule) && !candidates.contains(&candidate) {
            candidates.push(candidate);
        }
    }
    candidates
}

/// How large a schedule is: first by its requests and other steps, then its orders, then what is odd about them.
pub fn size(schedule: &Schedule) -> (usize, usize, u64) {
    let orders = schedule.orders.len();
    let requests = schedule.steps.iter().map(|step| one_by_one(step, orders).len().max(1)).sum();
    let odd = schedule.steps.iter().map(oddity).sum::<u64>() + schedule.orders.iter().map(order_oddity).sum::<u64>();
    (requests, orders, odd)
}

/// A step that sends more than one request as so many steps, for a fault that needs no other than a retry; empty for
/// another step. However many copies race, it is about two.
fn one_by_one(step: &Step, orders: usize) -> Vec<Step> {
    match step {
        Step::Race { order, .. } | Step::Send { order, mishap: Some(Mishap::Twice { .. } | Mishap::Late), .. } => {
            vec![Step::plain(*order); 2]
        }
        Step::Crowd => (0..orders).map(Step::plain).collect(),
        Step::Send { .. }
        | Step::Principal { .. }
        | Step::NoKey
        | Step::FreshKeys { .. }
        | Step::Wait { .. }
        | Step::Disrupt { .. }
        | Step::Heal
        | Step::Restart
        | Step::RestartDuring { .. } => Vec::new(),
    }
}

fn without(schedule: &Schedule, range: std::ops::Range<usize>) -> Schedule {
    let mut other = schedule.clone();
    other.steps.drain(range);
    other
}

fn without_order(schedule: &Schedule, order: usize) -> Schedule {
    let mut other = schedule.clone();
    other.steps.retain(|step| step.order() != Some(order));
    // A crowd keeps every order: then only the steps of this one go.
    other
}

fn plainer(schedule: &Schedule, n: usize) -> Vec<Schedule> {
    let order = &schedule.orders[n];
    let bodies = (order.body != Body::Plain).then(|| Order { body: Body::Plain, ..order.clone() });
    let keys = order.key_alike.map(|_| Order { key_alike: None, ..order.clone() });
    let with = |order: Order| {
        let mut other = schedule.clone();
        other.orders[n] = order;
        other
    };
    bodies.into_iter().chain(keys).map(with).collect()
}

/// The same step with less to it.
fn simpler(step: &Step) -> Vec<Step> {
    match step {
        Step::Send { order, written, mishap } => sends(*order, written, mishap.as_ref()),
        Step::Race { order, copies, release, varied } => races(*order, *copies, *release, varied),
        Step::FreshKeys { count } => [count / 8, count / 2]
            .into_iter()
            .filter(|fewer| *fewer > 0)
            .map(|count| Step::FreshKeys { count })
            .collect(),
        Step::Wait { ms } => [ms / 8, ms / 2].into_iter().filter(|ms| *ms > 0).map(|ms| Step::Wait { ms }).collect(),
        Step::RestartDuring { order, after } => {
            let earlier = |after| Step::RestartDuring { order: *order, after };
            [Step::plain(*order), Step::Restart].into_iter().chain(sooner(*after).map(earlier)).collect()
        }
        Step::Principal { order } => vec![Step::plain(*order)],
        Step::Crowd => vec![Step::plain(0)],
        Step::NoKey | Step::Disrupt { .. } | Step::Heal | Step::Restart => Vec::new(),
    }
}

fn races(order: usize, copies: usize, release: Release, varied: &Option<String>) -> Vec<Step> {
    let with = |copies, release, varied: &Option<String>| {
        let varied = varied.clone();
        Step::Race { order, copies, release, varied }
    };
    let mut steps = vec![Step::plain(order)];
    steps.extend(varied.is_some().then(|| with(copies, release, &None)));
    steps.extend([2, 3].into_iter().filter(|fewer| *fewer < copies).map(|fewer| with(fewer, release, varied)));
    steps.extend((release != Release::Together).then(|| with(copies, Release::Together, varied)));
    steps
}

fn sends(order: usize, written: &Written, mishap: Option<&Mishap>) -> Vec<Step> {
    let with = |written: &Written, mishap| Step::Send { order, written: written.clone(), mishap };
    let mut steps = Vec::new();
    if *written != Written::Same {
        steps.push(with(&Written::Same, mishap.cloned()));
    }
    let Some(mishap) = mishap else { return steps };
    steps.push(with(written, None));
    match mishap {
        Mishap::Cut { after, by } => {
            steps.extend(sooner(*after).map(|after| with(written, Some(Mishap::Cut { after, by: *by }))));
        }
        Mishap::HalfRequest { ms, by } if *ms > 0 => {
            steps.push(with(written, Some(Mishap::HalfRequest { ms: 0, by: *by })));
        }
        Mishap::Twice { .. } | Mishap::Late | Mishap::HoldReply | Mishap::ErrorReply | Mishap::HalfReply => {
            steps.push(with(written, Some(Mishap::DropReply)));
        }
        Mishap::HalfRequest { .. } | Mishap::DropReply | Mishap::NeverSent => {}
    }
    steps
}

/// At once, if it is not.
fn sooner(moment: Moment) -> impl Iterator<Item = Moment> {
    (moment != Moment::Micros(0)).then_some(Moment::Micros(0)).into_iter()
}

fn oddity(step: &Step) -> u64 {
    match step {
        Step::Send { written, mishap, .. } => {
            u64::from(*written != Written::Same) * 10 + mishap.as_ref().map_or(0, |mishap| 4 + mishap_oddity(mishap))
        }
        Step::Race { copies, release, varied, .. } => {
            let odd = u64::from(*release != Release::Together) + u64::from(varied.is_some());
            4 + *copies as u64 * 3 + odd
        }
        Step::FreshKeys { count } => 1 + *count as u64,
        Step::Wait { ms } => 1 + ms,
        Step::Principal { .. } => 4,
        Step::Crowd | Step::NoKey | Step::Disrupt { .. } | Step::Heal | Step::Restart => 1,
        Step::RestartDuring { after, .. } => 4 + u64::from(*after != Moment::Micros(0)),
    }
}

fn mishap_oddity(mishap: &Mishap) -> u64 {
    match mishap {
        Mishap::DropReply | Mishap::NeverSent => 0,
        Mishap::Cut { after, .. } => u64::from(*after != Moment::Micros(0)),
        Mishap::HalfRequest { ms, .. } => u64::from(*ms > 0),
        Mishap::HoldReply | Mishap::ErrorReply | Mishap::HalfReply | Mishap::Twice { .. } | Mishap::Late => 1,
    }
}

fn order_oddity(order: &Order) -> u64 {
    u64::from(order.body != Body::Plain) + u64::from(order.key_alike.is_some())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::proxy::End;
    use crate::target::chaos::draw::draw;
    use crate::target::chaos::fixtures::{means, schedule};
    use crate::target::chaos::step::Kind;

    /// The smallest schedule that still has what `breaks` asks for.
    fn smallest(mut schedule: Schedule, breaks: impl Fn(&Schedule) -> bool) -> Schedule {
        while let Some(smaller) = candidates(&schedule).into_iter().find(&breaks) {
            schedule = smaller;
        }
        schedule
    }

    fn has(schedule: &Schedule, kind: Kind) -> bool {
        schedule.steps.iter().any(|step| step.kind() == kind)
    }

    #[test]
    fn what_does_not_matter_goes() {
        let cut = Mishap::Cut { after: Moment::Percent(70), by: End::Rst };
        let steps = [
            Step::plain(1),
            Step::NoKey,
            Step::Send { order: 0, written: Written::Same, mishap: Some(cut) },
            Step::Race { order: 1, copies: 8, release: Release::After(50), varied: Some("HTTP/1.0".into()) },
            Step::plain(0),
        ];
        let cut = smallest(schedule(2, &steps), |schedule| has(schedule, Kind::Cut));
        let at_once = Mishap::Cut { after: Moment::Micros(0), by: End::Rst };
        let sent = Step::Send { order: 0, written: Written::Same, mishap: Some(at_once) };
        assert_eq!(cut, schedule(1, &[sent, Step::plain(0)]));
        let race = smallest(schedule(2, &steps), |schedule| has(schedule, Kind::Race));
        let pair = Step::Race { order: 0, copies: 2, release: Release::Together, varied: None };
        assert_eq!(race, schedule(1, &[pair, Step::plain(0)]));
    }

    #[test]
    fn what_matters_stays() {
        let order = Order { body: Body::FailsFirst, key_alike: None };
        let failing =
            Schedule { orders: vec![Order::default(), order.clone()], steps: vec![Step::plain(0), Step::plain(1)] };
        let kept = smallest(failing, |schedule| schedule.orders.iter().any(|order| order.body == Body::FailsFirst));
        assert_eq!(kept, Schedule { orders: vec![order], steps: vec![Step::plain(0)] });
    }

    proptest! {
        #[test]
        fn a_candidate_can_be_played_and_is_smaller(seed: u64) {
            let schedule = draw(seed, 0, &means());
            for candidate in candidates(&schedule) {
                prop_assert!(candidate.check().is_ok(), "{:?}", candidate);
                prop_assert!(size(&candidate) < size(&schedule), "{:?} of {:?}", candidate, schedule);
                prop_assert_eq!(candidate.clone().tidy(), candidate);
            }
        }

        /// Where everything breaks it, one plain request is left.
        #[test]
        fn shrinking_ends_at_the_smallest(seed: u64) {
            let least = smallest(draw(seed, 0, &means()), |_| true);
            prop_assert_eq!(least.steps.len(), 1, "{:?}", least);
        }
    }
}
