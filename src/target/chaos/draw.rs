//! From a seed to schedules. Pure. Invariant: the nth schedule follows from the seed, n and the means alone.

use super::means::Means;
use super::schedule::{Body, ORDERS, Order, Schedule};
use super::small::small;
use super::step::{Difference, Kind, Mishap, Moment, Release, Step, Written};
use crate::proxy::End;
use crate::terms::chance::splitmix;

/// The most steps of a schedule, the closing retries included.
const STEPS: usize = 12;
/// After the last request byte, in µs: a handler has only just begun, or a replay is being answered.
const EARLY: [u64; 6] = [0, 50, 150, 300, 600, 1500];

/// Chance of one schedule.
struct Chance {
    seed: u64,
    drawn: u64,
}

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.drawn += 1;
        (splitmix(self.seed, self.drawn) % end.max(1) as u64) as usize
    }

    /// True in so many of a hundred draws.
    fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn of<T: Clone>(&mut self, all: &[T]) -> T {
        let n = self.below(all.len());
        all[n].clone()
    }
}

/// The nth schedule of a seed: every other one is a small one, until each was there.
pub fn draw(seed: u64, n: u64, means: &Means) -> Schedule {
    let small = small(means);
    match usize::try_from(n / 2) {
        Ok(at) if n.is_multiple_of(2) && at < small.len() => shuffled(small, seed).swap_remove(at),
        Ok(_) | Err(_) => by_chance(seed, n, means),
    }
}

fn shuffled(mut schedules: Vec<Schedule>, seed: u64) -> Vec<Schedule> {
    let mut chance = Chance { seed, drawn: 0 };
    for end in (1..schedules.len()).rev() {
        schedules.swap(end, chance.below(end + 1));
    }
    schedules
}

fn by_chance(seed: u64, n: u64, means: &Means) -> Schedule {
    let mut chance = Chance { seed: splitmix(seed, n + 1), drawn: 0 };
    let orders = orders(&mut chance, means);
    let kinds = kinds(&mut chance, means);
    let length = 1 + chance.below(3) + chance.below(4) + chance.below(3);
    let mut steps: Vec<Step> = Vec::new();
    while steps.len() < length {
        let order = chance.below(orders.len());
        let kind = chance.of(&kinds);
        steps.push(step(&mut chance, kind, order, means));
    }
    for order in 0..orders.len() {
        // Whatever happened, the client may ask once more.
        if chance.percent(60) {
            steps.push(Step::plain(order));
        }
    }
    steps.truncate(STEPS - orders.len());
    if steps.len() < 2 || steps.iter().all(|step| step.order().is_none()) {
        // A retry is the least that there is to see.
        steps.extend([Step::plain(0), Step::plain(0)]);
    }
    Schedule { orders, steps }.tidy()
}

fn orders(chance: &mut Chance, means: &Means) -> Vec<Order> {
    let count = chance.of(&[1, 1, 1, 2, 2, 2, 3, ORDERS]);
    let mut orders: Vec<Order> = Vec::new();
    for n in 0..count {
        let body = if chance.percent(25) { chance.of(&means.bodies) } else { Body::Plain };
        let is_like = n > 0 && orders[n - 1].key_alike.is_none() && !means.alike.is_empty() && chance.percent(25);
        orders.push(Order { body, key_alike: is_like.then(|| chance.of(&means.alike)) });
    }
    orders
}

/// Only some kinds are in one schedule, so that each gets company of every sort (swarm testing, Groce and others 2012).
/// What takes long is in few.
fn kinds(chance: &mut Chance, means: &Means) -> Vec<Kind> {
    let mut chosen = vec![Kind::Send, Kind::Send];
    for &kind in &means.kinds {
        let percent = match kind {
            Kind::FreshKeys => 5,
            Kind::Disrupt => 8,
            Kind::Restart | Kind::RestartDuring => 9,
            Kind::Wait | Kind::AwaitItem => 15,
            Kind::Varied | Kind::OtherPayload => 40,
            Kind::Send
            | Kind::Refreshed
            | Kind::Cut
            | Kind::HalfRequest
            | Kind::LostReply
            | Kind::NeverSent
            | Kind::Twice
            | Kind::Late
            | Kind::Race
            | Kind::Crowd
            | Kind::Principal
            | Kind::Heal
            | Kind::NoKey => 20,
        };
        if chance.percent(percent) {
            chosen.push(kind);
            chosen.extend((kind == Kind::Disrupt).then_some(Kind::Heal));
        }
    }
    chosen
}

fn step(chance: &mut Chance, kind: Kind, order: usize, means: &Means) -> Step {
    let sent = |written, mishap| Step::Send { order, written, mishap };
    let through = |mishap| sent(Written::Same, Some(mishap));
    match kind {
        Kind::Send => Step::plain(order),
        Kind::Varied => sent(Written::Varied(chance.of(&means.variations).to_string()), None),
        Kind::Refreshed => sent(Written::Refreshed, None),
        Kind::OtherPayload => {
            let leaves = chance.percent(30).then(|| cut(chance, means));
            sent(Written::Other(difference(chance, means)), leaves)
        }
        Kind::Cut => through(cut(chance, means)),
        Kind::HalfRequest => through(Mishap::HalfRequest { ms: chance.of(&[0, 5, 50]), by: end(chance) }),
        Kind::LostReply => {
            through(chance.of(&[Mishap::DropReply, Mishap::HoldReply, Mishap::ErrorReply, Mishap::HalfReply]))
        }
        Kind::NeverSent => through(Mishap::NeverSent),
        Kind::Twice => through(Mishap::Twice { together: chance.percent(70) }),
        Kind::Late => through(Mishap::Late),
        Kind::Race => Step::Race {
            order,
            copies: chance.of(&[2, 2, 3, 5, 8]),
            release: release(chance),
            varied: chance.percent(30).then(|| raced(chance, means).to_string()),
        },
        Kind::Crowd => Step::Crowd,
        Kind::Principal => Step::Principal { order },
        Kind::NoKey => Step::NoKey,
        Kind::FreshKeys => Step::FreshKeys { count: chance.of(&[10, 60, 350]) },
        Kind::Wait => Step::Wait { ms: wait(chance, means) },
        Kind::AwaitItem => Step::AwaitItem { order },
        Kind::Disrupt => Step::Disrupt { name: chance.of(&means.disruptions) },
        Kind::Heal => Step::Heal,
        Kind::Restart => Step::Restart,
        Kind::RestartDuring => Step::RestartDuring { order, after: moment(chance, means) },
    }
}

/// How the other copies of a race are written. A lock is more often taken for the content than for anything else.
fn raced(chance: &mut Chance, means: &Means) -> &'static str {
    let all = if chance.percent(40) { &means.rewritten } else { &means.variations };
    chance.of(all)
}

fn difference(chance: &mut Chance, means: &Means) -> Difference {
    match chance.below(3) {
        0 if means.has_amount => Difference::Amount,
        1 if !means.leaves.is_empty() => Difference::Leaf(chance.of(&means.leaves)),
        _ => Difference::Intent,
    }
}

fn cut(chance: &mut Chance, means: &Means) -> Mishap {
    Mishap::Cut { after: moment(chance, means), by: end(chance) }
}

fn moment(chance: &mut Chance, means: &Means) -> Moment {
    match chance.below(5) {
        0 if means.has_ledger => Moment::ItemSeen,
        0..3 => Moment::Micros(chance.of(&EARLY)),
        _ => Moment::Percent(10 * chance.below(15) as u64),
    }
}

fn end(chance: &mut Chance) -> End {
    chance.of(End::ALL)
}

fn release(chance: &mut Chance) -> Release {
    match chance.below(3) {
        0 => Release::Together,
        1 => Release::LastBytes,
        _ => Release::After(5 * (1 + chance.below(21)) as u64),
    }
}

fn wait(chance: &mut Chance, means: &Means) -> u64 {
    match means.long_wait {
        Some(long) if chance.percent(25) => long.as_millis() as u64,
        Some(_) | None => chance.of(&[20, 150, 600]),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::target::chaos::fixtures::means;

    #[test]
    fn a_seed_draws_the_same_schedules_and_another_one_others() {
        let drawn = |seed| (0..50).map(|n| draw(seed, n, &means())).collect::<Vec<_>>();
        assert_eq!(drawn(1), drawn(1));
        assert_ne!(drawn(1), drawn(2));
    }

    #[test]
    fn each_small_schedule_is_drawn_once_in_an_order_of_the_seeds_own() {
        let all = small(&means());
        let drawn = |seed| (0..all.len() as u64).map(|at| draw(seed, 2 * at, &means())).collect::<Vec<_>>();
        assert!(all.iter().all(|one| drawn(1).contains(one)));
        assert_ne!(drawn(1), drawn(2));
        let last = 2 * all.len() as u64;
        assert_eq!(draw(1, last, &means()), by_chance(1, last, &means()));
    }

    #[test]
    fn every_kind_body_and_form_of_key_is_drawn() {
        let drawn: Vec<_> = (0..4000).map(|n| draw(7, n, &means())).collect();
        let steps: Vec<_> = drawn.iter().flat_map(|schedule| &schedule.steps).collect();
        for kind in Kind::ALL {
            assert!(steps.iter().any(|step| step.kind() == *kind), "{kind}");
        }
        let orders: Vec<_> = drawn.iter().flat_map(|schedule| &schedule.orders).collect();
        for body in means().bodies {
            assert!(orders.iter().any(|order| order.body == body), "{body:?}");
        }
        for alike in means().alike {
            assert!(orders.iter().any(|order| order.key_alike == Some(alike)), "{alike}");
        }
        assert!(steps.iter().any(|step| **step == Step::Wait { ms: 4000 }), "the long wait");
    }

    #[test]
    fn nothing_is_drawn_that_there_are_no_means_for() {
        let kinds = vec![Kind::Send, Kind::Cut];
        let few = Means { kinds: kinds.clone(), bodies: vec![Body::Plain], alike: vec![], ..means() };
        for schedule in (0..500).map(|n| draw(3, n, &few)) {
            assert!(schedule.steps.iter().all(|step| kinds.contains(&step.kind())), "{schedule:?}");
            assert!(schedule.orders.iter().all(|order| *order == Order::default()), "{schedule:?}");
        }
    }

    proptest! {
        #[test]
        fn a_schedule_has_2_to_12_steps_over_1_to_4_orders(seed: u64, n in 0..u64::from(u32::MAX)) {
            let schedule = draw(seed, n, &means());
            prop_assert!(schedule.check().is_ok(), "{:?}", schedule);
            prop_assert!((2..=STEPS).contains(&schedule.steps.len()), "{:?}", schedule);
            prop_assert!((1..=ORDERS).contains(&schedule.orders.len()), "{:?}", schedule);
            prop_assert_eq!(schedule.clone().tidy(), schedule);
        }

        /// Any subset of the steps is a schedule again, and is written and read back as itself.
        #[test]
        fn any_subset_is_a_schedule(seed: u64, kept: u16) {
            let mut schedule = draw(seed, 0, &means());
            let mut n = 0;
            schedule.steps.retain(|_| { n += 1; kept >> (n % 16) & 1 == 1 });
            let tidy = schedule.tidy();
            prop_assert!(tidy.steps.is_empty() || tidy.check().is_ok(), "{:?}", tidy);
            let text = serde_json::to_string(&tidy).unwrap();
            prop_assert_eq!(serde_json::from_str::<Schedule>(&text).unwrap(), tidy.clone());
            prop_assert_eq!(tidy.words().len(), tidy.steps.len());
        }
    }
}
