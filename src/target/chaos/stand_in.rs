//! Plainer schedules that may stand for one whose requests overlap, or whose clients leave. Pure. Invariant: what comes one
//! after the other, and undisturbed, is left as it is.

use super::schedule::{Body, Schedule};
use super::step::{Mishap, Moment, Release, Step, Written};
use crate::proxy::End;

/// For each order: three plain copies at once for all that is done with it, since a request that was cut off, or held up,
/// and its retry are several requests at once too; and a request that is cut off, since a client gives up what is held up.
/// Nothing is disrupted in either.
pub fn stand_ins(schedule: &Schedule) -> Vec<Schedule> {
    let orders = 0..schedule.orders.len();
    orders.flat_map(|order| [at_once(schedule, order), cut_off(schedule, order)]).flatten().collect()
}

pub fn is_disrupted(schedule: &Schedule) -> bool {
    schedule.steps.iter().any(|step| matches!(step, Step::Disrupt { .. }))
}

/// None where nothing overlaps.
fn at_once(schedule: &Schedule, order: usize) -> Option<Schedule> {
    let overlaps = |step: &Step| step.order() == Some(order) && may_overlap(step);
    if !is_disrupted(schedule) && !schedule.steps.iter().any(overlaps) {
        return None;
    }
    instead(schedule, order, Step::Race { order, copies: 3, release: Release::Together, varied: None })
}

/// None where nothing is disrupted.
fn cut_off(schedule: &Schedule, order: usize) -> Option<Schedule> {
    let cut = Mishap::Cut { after: Moment::Micros(0), by: End::Fin };
    let sent = Step::Send { order, written: Written::Same, mishap: Some(cut) };
    is_disrupted(schedule).then(|| instead(schedule, order, sent)).flatten()
}

/// One step for all requests of an order, and nothing disrupted. None where it sends none.
fn instead(schedule: &Schedule, order: usize, step: Step) -> Option<Schedule> {
    let is_sent = |step: &Step| matches!(step, Step::Send { .. } | Step::Race { .. }) && step.order() == Some(order);
    let mut other = schedule.clone();
    other.orders[order].body = Body::Plain;
    other.steps.retain(|step| !matches!(step, Step::Disrupt { .. } | Step::Heal));
    let first = other.steps.iter().position(is_sent)?;
    other.steps.retain(|step| !is_sent(step));
    other.steps.insert(first, step);
    Some(other)
}

/// Whether the step has several requests under way, or may leave one so.
fn may_overlap(step: &Step) -> bool {
    match step {
        Step::Race { .. } => true,
        Step::Send { mishap: Some(mishap), .. } => match mishap {
            Mishap::Cut { .. } | Mishap::HalfRequest { .. } | Mishap::Twice { .. } | Mishap::Late => true,
            Mishap::DropReply | Mishap::HoldReply | Mishap::ErrorReply | Mishap::HalfReply => false,
            Mishap::NeverSent => false,
        },
        Step::Send { mishap: None, .. }
        | Step::Crowd
        | Step::Principal { .. }
        | Step::NoKey
        | Step::FreshKeys { .. }
        | Step::Wait { .. }
        | Step::AwaitItem { .. }
        | Step::Disrupt { .. }
        | Step::Heal
        | Step::Restart
        | Step::RestartDuring { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::chaos::fixtures::schedule;

    fn sent(mishap: Mishap) -> Step {
        Step::Send { order: 0, written: Written::Same, mishap: Some(mishap) }
    }

    /// A fault of the second request after a while is not taken for one of requests at once.
    #[test]
    fn one_after_the_other_is_not_tried_at_once() {
        for mishap in [Mishap::DropReply, Mishap::HoldReply, Mishap::NeverSent] {
            let found = schedule(1, &[sent(mishap), Step::Wait { ms: 4000 }, Step::Restart, Step::plain(0)]);
            assert_eq!(stand_ins(&found), []);
        }
    }

    #[test]
    fn what_may_overlap_becomes_three_copies_and_what_is_disrupted_a_cut_too() {
        let race = Step::Race { order: 0, copies: 3, release: Release::Together, varied: None };
        let mut found = schedule(2, &[Step::NoKey, sent(Mishap::Late), Step::Restart, Step::plain(1), Step::plain(0)]);
        found.orders[0].body = Body::FailsFirst;
        let wanted = schedule(2, &[Step::NoKey, race.clone(), Step::Restart, Step::plain(1)]);
        assert_eq!(stand_ins(&found), [wanted]);
        let paused = [Step::Disrupt { name: "pause".into() }, Step::plain(0), Step::Heal, Step::plain(0)];
        let cut = sent(Mishap::Cut { after: Moment::Micros(0), by: End::Fin });
        assert_eq!(stand_ins(&schedule(1, &paused)), [schedule(1, &[race]), schedule(1, &[cut])]);
    }
}
