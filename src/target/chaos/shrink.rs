//! What might be smaller. Pure. Invariant: every candidate is a schedule that can be played, and each is smaller than what
//! it was made of, so that shrinking ends.

use super::schedule::{Body, Order, Schedule};
use super::size::{difference_oddity, size};
use super::stand_in::{is_disrupted, stand_ins};
use super::step::{Difference, Kind, Mishap, Moment, Release, Step, Written};
use crate::proxy::End;
use crate::target::checks::odd_keys::Alike;

/// Schedules that are a little smaller, the boldest first.
pub fn candidates(schedule: &Schedule) -> Vec<Schedule> {
    let steps = schedule.steps.len();
    let orders = 0..schedule.orders.len();
    // A disruption takes long.
    let mut smaller = if is_disrupted(schedule) { stand_ins(schedule) } else { Vec::new() };
    smaller.extend(Kind::ALL.iter().filter_map(|kind| without_kind(schedule, *kind)));
    if steps > 3 {
        smaller.extend([without(schedule, 0..steps / 2), without(schedule, steps / 2..steps)]);
    }
    if schedule.orders.len() > 1 {
        smaller.extend(orders.clone().map(|order| without_order(schedule, order)));
    }
    smaller.extend(stand_ins(schedule));
    smaller.extend((0..steps).map(|n| without(schedule, n..n + 1)));
    smaller.extend(orders.flat_map(|n| plainer(schedule, n)));
    for (n, step) in schedule.steps.iter().enumerate() {
        smaller.extend(simpler(step).into_iter().map(|step| with(schedule, n, [step])));
    }
    for (n, step) in schedule.steps.iter().enumerate() {
        smaller.push(with(schedule, n, one_by_one(step, schedule.orders.len())));
    }
    let mut candidates: Vec<Schedule> = Vec::new();
    for candidate in smaller.into_iter().map(Schedule::tidy) {
        if !candidate.steps.is_empty() && size(&candidate) < size(schedule) && !candidates.contains(&candidate) {
            candidates.push(candidate);
        }
    }
    candidates
}

/// A step that does more than send one request as so many steps, for a fault that needs no other than a retry; empty for
/// another step. However many copies race, it is about two.
fn one_by_one(step: &Step, orders: usize) -> Vec<Step> {
    match step {
        Step::Race { order, varied: Some(label), .. } => {
            let varied = Step::Send { order: *order, written: Written::Varied(label.clone()), mishap: None };
            vec![Step::plain(*order), varied]
        }
        Step::Race { order, varied: None, .. }
        | Step::Send { order, mishap: Some(Mishap::Twice { .. } | Mishap::Late), .. } => vec![Step::plain(*order); 2],
        Step::RestartDuring { order, .. } => vec![Step::plain(*order), Step::Restart],
        Step::Crowd => (0..orders).map(Step::plain).collect(),
        Step::Send { .. }
        | Step::Principal { .. }
        | Step::NoKey
        | Step::FreshKeys { .. }
        | Step::Wait { .. }
        | Step::AwaitItem { .. }
        | Step::Disrupt { .. }
        | Step::Heal
        | Step::Restart => Vec::new(),
    }
}

fn with(schedule: &Schedule, n: usize, instead: impl IntoIterator<Item = Step>) -> Schedule {
    let mut other = schedule.clone();
    other.steps.splice(n..n + 1, instead);
    other
}

/// Without all steps of a kind that is about no order; None for another kind, and where there is none of them.
fn without_kind(schedule: &Schedule, kind: Kind) -> Option<Schedule> {
    let goes =
        |step: &Step| step.order().is_none() && (step.kind() == kind || kind == Kind::Disrupt && *step == Step::Heal);
    let mut other = schedule.clone();
    other.steps.retain(|step| !goes(step));
    (other.steps.len() < schedule.steps.len()).then_some(other)
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
    let before = order.key_alike.into_iter().flat_map(|alike| Alike::ALL.iter().take(alike as usize).copied());
    let alike = before.filter(|alike| alike.are_two_keys());
    let alike = alike.map(|alike| Order { key_alike: Some(alike), ..order.clone() });
    let with = |order: Order| {
        let mut other = schedule.clone();
        other.orders[n] = order;
        other
    };
    bodies.into_iter().chain(keys).chain(alike).map(with).collect()
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
        Step::AwaitItem { .. } | Step::NoKey | Step::Disrupt { .. } | Step::Heal | Step::Restart => Vec::new(),
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
    if let Written::Other(difference) = written {
        let simpler = [Difference::Amount, Difference::Intent].into_iter().take(difference_oddity(difference));
        steps.extend(simpler.map(|difference| with(&Written::Other(difference), mishap.cloned())));
    }
    let Some(mishap) = mishap else { return steps };
    steps.push(with(written, None));
    match mishap {
        Mishap::Cut { after, by } => {
            steps.extend(sooner(*after).map(|after| with(written, Some(Mishap::Cut { after, by: *by }))));
            steps.extend((*by != End::Fin).then(|| with(written, Some(Mishap::Cut { after: *after, by: End::Fin }))));
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::target::chaos::draw::draw;
    use crate::target::chaos::fixtures::{means, schedule};

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
        let at_once = Mishap::Cut { after: Moment::Micros(0), by: End::Fin };
        let sent = Step::Send { order: 0, written: Written::Same, mishap: Some(at_once) };
        assert_eq!(cut, schedule(1, &[sent, Step::plain(0)]));
        let race = smallest(schedule(2, &steps), |schedule| has(schedule, Kind::Race));
        let pair = Step::Race { order: 0, copies: 2, release: Release::Together, varied: None };
        assert_eq!(race, schedule(1, &[pair, Step::plain(0)]));
    }

    /// However it was found that two requests are under way: one fault has one smallest schedule.
    #[test]
    fn what_several_requests_at_once_break_ends_as_a_race() {
        let sent = |mishap| Step::Send { order: 0, written: Written::Same, mishap: Some(mishap) };
        let race = |copies| Step::Race { order: 0, copies, release: Release::Together, varied: None };
        let paused = [Step::Disrupt { name: "pause".into() }, Step::plain(0), Step::Heal, Step::plain(0)];
        let cut = [sent(Mishap::Cut { after: Moment::Percent(50), by: End::Rst }), Step::plain(0)];
        for found in [&paused[..], &cut, &[sent(Mishap::Twice { together: true })], &[race(8)]] {
            let breaks = |schedule: &Schedule| {
                let kinds = [Kind::Disrupt, Kind::Cut, Kind::Twice, Kind::Race];
                kinds.into_iter().any(|kind| has(schedule, kind))
            };
            assert_eq!(
                smallest(schedule(1, found).tidy(), breaks),
                schedule(1, &[race(2), Step::plain(0)]),
                "{found:?}"
            );
        }
    }

    #[test]
    fn what_any_other_payload_or_key_that_looks_like_it_breaks_ends_as_the_first_of_them() {
        let sent = |difference| Step::Send { order: 0, written: Written::Other(difference), mishap: None };
        let leaf = || Difference::Leaf("/currency".into());
        let found = schedule(1, &[Step::plain(0), sent(leaf()), Step::plain(0)]);
        let any = smallest(found.clone(), |schedule| has(schedule, Kind::OtherPayload));
        assert_eq!(any.steps[0], sent(Difference::Amount));
        let own = smallest(found, |schedule| schedule.steps.contains(&sent(leaf())));
        assert_eq!(own.steps[0], sent(leaf()));
        let mut alike = schedule(2, &[Step::plain(0), Step::plain(1)]);
        alike.orders[1].key_alike = Some(Alike::LastOf256);
        let form = |breaks: &dyn Fn(Alike) -> bool| {
            let breaks = |schedule: &Schedule| schedule.orders.iter().any(|order| order.key_alike.is_some_and(breaks));
            smallest(alike.clone(), breaks).orders[1].key_alike
        };
        assert_eq!(form(&|_| true), Some(Alike::LetterCase));
        assert_eq!(form(&|alike| alike as u8 >= Alike::LastOf64 as u8), Some(Alike::LastOf64));
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
