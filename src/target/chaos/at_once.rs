//! What is due to several requests at once, tried as that. Pure. Invariant: what comes one after the other is left as it is.

use super::schedule::{Body, Schedule};
use super::step::{Mishap, Release, Step};

/// Three plain copies at once for all that is done with an order, and nothing disrupted: a request that was cut off, or
/// held up, and its retry are several requests at once too. None where nothing was.
pub fn all_at_once(schedule: &Schedule, order: usize) -> Option<Schedule> {
    let is_disruption = |step: &Step| matches!(step, Step::Disrupt { .. } | Step::Heal);
    let is_sent = |step: &Step| matches!(step, Step::Send { .. } | Step::Race { .. }) && step.order() == Some(order);
    if !schedule.steps.iter().any(|step| is_disruption(step) || is_sent(step) && may_overlap(step)) {
        return None;
    }
    let mut other = schedule.clone();
    other.orders[order].body = Body::Plain;
    other.steps.retain(|step| !is_disruption(step));
    let first = other.steps.iter().position(is_sent)?;
    other.steps.retain(|step| !is_sent(step));
    other.steps.insert(first, Step::Race { order, copies: 3, release: Release::Together, varied: None });
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
    use crate::target::chaos::step::Written;

    fn sent(mishap: Mishap) -> Step {
        Step::Send { order: 0, written: Written::Same, mishap: Some(mishap) }
    }

    /// A fault of the second request after a while is not taken for one of requests at once.
    #[test]
    fn one_after_the_other_is_not_tried_at_once() {
        for mishap in [Mishap::DropReply, Mishap::HoldReply, Mishap::NeverSent] {
            let found = schedule(1, &[sent(mishap), Step::Wait { ms: 4000 }, Step::Restart, Step::plain(0)]);
            assert_eq!(all_at_once(&found, 0), None);
        }
    }

    #[test]
    fn what_may_overlap_becomes_three_copies_and_what_is_around_them_stays() {
        let race = Step::Race { order: 0, copies: 3, release: Release::Together, varied: None };
        let mut found = schedule(2, &[Step::NoKey, sent(Mishap::Late), Step::Restart, Step::plain(1), Step::plain(0)]);
        found.orders[0].body = Body::FailsFirst;
        let wanted = schedule(2, &[Step::NoKey, race.clone(), Step::Restart, Step::plain(1)]);
        assert_eq!(all_at_once(&found, 0), Some(wanted));
        let paused = [Step::Disrupt { name: "pause".into() }, Step::plain(0), Step::Heal, Step::plain(0)];
        assert_eq!(all_at_once(&schedule(1, &paused), 0), Some(schedule(1, &[race])));
    }
}
