//! What is peculiar about a schedule: by it faults are told apart. Pure. Invariant: the shape does not depend on how many
//! steps there are, on their order, or on what the target cannot see.

use super::schedule::{Body, Schedule};
use super::size::difference_oddity;
use super::step::{Difference, Mishap, Step, Written};
use crate::target::checks::odd_keys::Alike;

/// From so many on, fresh keys may push others out; fewer of them are only several requests at once.
const MANY: usize = 60;
/// From so many ms on, a wait may outlive something.
const LONG: u64 = 1000;

/// What a plain request and its plain retry have not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Peculiar {
    /// Several requests are under way.
    AtOnce,
    CutOff,
    Restarted,
    Disrupted(String),
    Waited,
    ManyKeys,
    NoKey,
    SecondPrincipal,
    Refreshed,
    Varied(String),
    OtherPayload(Difference),
    Made(Body),
    KeysAlike(Alike),
}

/// All that is peculiar, each once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape(Vec<Peculiar>);

impl Shape {
    pub fn of(schedule: &Schedule) -> Shape {
        let mut shape = Shape(Vec::new());
        schedule.steps.iter().for_each(|step| shape.step(step));
        for order in &schedule.orders {
            shape.add((order.body != Body::Plain).then_some(Peculiar::Made(order.body)));
            shape.add(order.key_alike.map(Peculiar::KeysAlike));
        }
        shape
    }

    /// Whether all that is peculiar about it is so about the other as well.
    pub fn is_within(&self, other: &Shape) -> bool {
        self.0.iter().all(|one| other.0.iter().any(|another| one.explains(another)))
    }

    fn add(&mut self, all: impl IntoIterator<Item = Peculiar>) {
        for one in all {
            if !self.0.contains(&one) {
                self.0.push(one);
            }
        }
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Send { written, mishap, .. } => {
                self.add(written_as(written));
                self.add(mishap.as_ref().and_then(seen));
            }
            Step::Race { varied, .. } => {
                self.add([Peculiar::AtOnce]);
                self.add(varied.clone().map(Peculiar::Varied));
            }
            Step::Crowd => self.add([Peculiar::AtOnce]),
            Step::FreshKeys { count } => {
                self.add([Peculiar::AtOnce]);
                self.add((*count >= MANY).then_some(Peculiar::ManyKeys));
            }
            Step::Principal { .. } => self.add([Peculiar::SecondPrincipal]),
            Step::NoKey => self.add([Peculiar::NoKey]),
            Step::Wait { ms } => self.add((*ms >= LONG).then_some(Peculiar::Waited)),
            Step::Disrupt { name } => self.add([Peculiar::Disrupted(name.clone())]),
            // It orders what is around it. A disruption ends with the schedule anyway.
            Step::AwaitItem { .. } | Step::Heal => {}
            Step::Restart | Step::RestartDuring { .. } => self.add([Peculiar::Restarted]),
        }
    }
}

impl Peculiar {
    /// Whether what breaks by this breaks by the other too. What overlooks another amount overlooks other things as well,
    /// since a payload is compared as a whole, or by some of its fields, of which the amount is the first.
    fn explains(&self, other: &Peculiar) -> bool {
        match (self, other) {
            (Peculiar::OtherPayload(one), Peculiar::OtherPayload(another)) => {
                one == another || difference_oddity(one) < difference_oddity(another)
            }
            (one, another) => one == another,
        }
    }
}

fn written_as(written: &Written) -> Option<Peculiar> {
    match written {
        Written::Same => None,
        Written::Varied(label) => Some(Peculiar::Varied(label.clone())),
        Written::Refreshed => Some(Peculiar::Refreshed),
        Written::Other(difference) => Some(Peculiar::OtherPayload(difference.clone())),
    }
}

/// What the target sees of a mishap.
fn seen(mishap: &Mishap) -> Option<Peculiar> {
    match mishap {
        Mishap::Cut { .. } | Mishap::HalfRequest { .. } => Some(Peculiar::CutOff),
        Mishap::Twice { .. } | Mishap::Late => Some(Peculiar::AtOnce),
        Mishap::DropReply | Mishap::HoldReply | Mishap::ErrorReply | Mishap::HalfReply | Mishap::NeverSent => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proxy::End;
    use crate::target::chaos::fixtures::schedule;
    use crate::target::chaos::schedule::Order;
    use crate::target::chaos::step::{Moment, Release};

    fn sent(written: Written, mishap: Option<Mishap>) -> Step {
        Step::Send { order: 0, written, mishap }
    }

    fn shape(steps: &[Step]) -> Shape {
        Shape::of(&schedule(1, steps))
    }

    #[test]
    fn what_the_target_cannot_see_and_how_much_there_is_of_it_is_not_peculiar() {
        let plain = [sent(Written::Same, Some(Mishap::ErrorReply)), Step::Wait { ms: 20 }, Step::plain(0)];
        assert_eq!(shape(&plain), shape(&[Step::plain(0)]));
        let race = |copies, release| Step::Race { order: 0, copies, release, varied: None };
        let one = [race(8, Release::After(30)), Step::plain(0), Step::plain(0)];
        assert_eq!(shape(&one), shape(&[race(2, Release::Together)]));
        let cut = |after, by| sent(Written::Same, Some(Mishap::Cut { after, by }));
        assert_eq!(shape(&[cut(Moment::Percent(80), End::Rst)]), shape(&[cut(Moment::Micros(0), End::Fin)]));
    }

    #[test]
    fn each_kind_of_thing_is_peculiar_in_its_own_way() {
        let race = Step::Race { order: 0, copies: 2, release: Release::Together, varied: None };
        let other = |difference| sent(Written::Other(difference), None);
        let all = [
            Step::plain(0),
            race,
            sent(Written::Same, Some(Mishap::HalfRequest { ms: 0, by: End::Fin })),
            Step::Restart,
            Step::Disrupt { name: "a".into() },
            Step::Disrupt { name: "b".into() },
            Step::Wait { ms: 4000 },
            Step::NoKey,
            Step::Principal { order: 0 },
            sent(Written::Refreshed, None),
            sent(Written::Varied("HTTP/1.0".into()), None),
            other(Difference::Amount),
            other(Difference::Leaf("/currency".into())),
        ];
        for (n, one) in all.iter().enumerate() {
            for (m, another) in all.iter().enumerate() {
                assert_eq!(
                    shape(std::slice::from_ref(one)) == shape(std::slice::from_ref(another)),
                    n == m,
                    "{one:?} {another:?}"
                );
            }
        }
        let large =
            Schedule { orders: vec![Order { body: Body::Large, key_alike: None }], ..schedule(0, &[Step::plain(0)]) };
        assert_ne!(Shape::of(&large), shape(&[Step::plain(0)]));
    }

    #[test]
    fn a_shape_is_within_one_that_has_more() {
        let (few, more) = (shape(&[Step::Crowd]), shape(&[Step::Restart, Step::Crowd]));
        assert!(few.is_within(&more) && !more.is_within(&few));
        assert!(shape(&[Step::plain(0)]).is_within(&few));
        let other = |difference| shape(&[sent(Written::Other(difference), None)]);
        let leaf = |at: &str| Difference::Leaf(at.into());
        assert!(other(Difference::Amount).is_within(&other(leaf("/a"))), "the plainer payload explains the odder one");
        assert!(!other(leaf("/a")).is_within(&other(Difference::Intent)));
        assert!(!other(leaf("/a")).is_within(&other(leaf("/b"))));
        assert!(few.is_within(&shape(&[Step::FreshKeys { count: 350 }])), "they are sent side by side");
    }
}
