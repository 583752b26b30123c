//! How large a schedule is. Pure. Invariant: what a person has to think of more is larger.

use super::schedule::{Body, Order, Schedule};
use super::step::{Difference, Mishap, Moment, Release, Step, Written};
use crate::proxy::End;

/// How large a schedule is: first by its requests and other events, then its orders, then what is odd about them.
pub fn size(schedule: &Schedule) -> (usize, usize, u64) {
    let orders = schedule.orders.len();
    let events = schedule.steps.iter().map(|step| events(step, orders)).sum();
    let odd = schedule.steps.iter().map(oddity).sum::<u64>() + schedule.orders.iter().map(order_oddity).sum::<u64>();
    (events, orders, odd)
}

/// However many copies race, it is about two.
fn events(step: &Step, orders: usize) -> usize {
    match step {
        Step::Send { mishap: None, .. } => 1,
        Step::Send { mishap: Some(_), .. } => 2,
        Step::Race { .. } | Step::RestartDuring { .. } | Step::Disrupt { .. } => 2,
        Step::Crowd => orders,
        Step::Principal { .. } | Step::NoKey | Step::FreshKeys { .. } | Step::Wait { .. } => 1,
        Step::AwaitItem { .. } | Step::Heal | Step::Restart => 1,
    }
}

fn oddity(step: &Step) -> u64 {
    match step {
        // A mishap is odder than three copies at once, which have several requests under way too.
        Step::Send { written, mishap, .. } => {
            written_oddity(written) + mishap.as_ref().map_or(0, |mishap| 12 + mishap_oddity(mishap))
        }
        Step::Race { copies, release, varied, .. } => {
            let odd = u64::from(*release != Release::Together) + u64::from(varied.is_some()) * 12;
            *copies as u64 * 3 + odd
        }
        Step::FreshKeys { count } => 1 + *count as u64,
        Step::Wait { ms } => 1 + ms,
        Step::Principal { .. } => 4,
        Step::AwaitItem { .. } | Step::Crowd | Step::NoKey | Step::Disrupt { .. } | Step::Heal | Step::Restart => 1,
        Step::RestartDuring { after, .. } => 4 + u64::from(*after != Moment::Micros(0)),
    }
}

fn written_oddity(written: &Written) -> u64 {
    match written {
        Written::Same => 0,
        Written::Varied(_) | Written::Refreshed => 10,
        Written::Other(difference) => 10 + difference_oddity(difference) as u64,
    }
}

/// How many differences are simpler.
pub fn difference_oddity(difference: &Difference) -> usize {
    match difference {
        Difference::Amount => 0,
        Difference::Intent => 1,
        Difference::Leaf(_) => 2,
    }
}

fn mishap_oddity(mishap: &Mishap) -> u64 {
    match mishap {
        Mishap::DropReply | Mishap::NeverSent => 0,
        Mishap::Cut { after, by } => u64::from(*after != Moment::Micros(0)) + u64::from(*by != End::Fin),
        Mishap::HalfRequest { ms, .. } => u64::from(*ms > 0),
        Mishap::HoldReply | Mishap::ErrorReply | Mishap::HalfReply | Mishap::Twice { .. } | Mishap::Late => 1,
    }
}

fn order_oddity(order: &Order) -> u64 {
    // A form of key is the simpler the earlier it stands in its list.
    u64::from(order.body != Body::Plain) + order.key_alike.map_or(0, |alike| 1 + alike as u64)
}
