//! Keys used in other ways than meant: again for something else, and not at all.

use super::race::{Release, Shot, fire};
use super::{Plan, enough};
use crate::target::drive::session::Session;
use crate::target::facts::case::{Case, Rule};
use crate::target::options::Options;
use crate::target::request::key::KeyPlace;
use crate::target::request::template::Call;

const AFTER: u64 = 2;
const IN_FLIGHT: u64 = 4;
/// Leaves of the template that are tried, each once.
const LEAVES: usize = 24;

/// What the second payload differs in.
#[derive(Clone, Debug)]
pub enum Other {
    Amount,
    Intent,
    /// A leaf that is the same in every other request, by its pointer.
    Leaf(String),
}

impl Other {
    pub fn all(options: &Options) -> Vec<Other> {
        let amount = options.template.has_amount().then_some(Other::Amount);
        let leaves = options.template.fixed_leaves().into_iter().take(LEAVES).map(Other::Leaf);
        // Where the URL's intent is the key, another intent has another key.
        let intent = (options.template.key_place != KeyPlace::Url).then_some(Other::Intent);
        amount.into_iter().chain(intent).chain(leaves).collect()
    }

    pub fn label(&self) -> String {
        match self {
            Other::Amount => "another amount".into(),
            Other::Intent => "another intent".into(),
            Other::Leaf(at) => format!("another {at}"),
        }
    }

    /// How often one comes after the other, and both at once.
    fn rounds(&self) -> [u64; 2] {
        match self {
            Other::Amount | Other::Intent => [AFTER, IN_FLIGHT],
            Other::Leaf(_) => [1, 0],
        }
    }
}

pub fn reuse_needs(options: &Options) -> Option<&'static str> {
    let nothing = "the template has nothing but its key that another request could differ in";
    Other::all(options).is_empty().then_some(nothing)
}

pub fn reuse_plan(options: &Options) -> Plan {
    let rounds = Other::all(options).iter().map(Other::rounds).collect::<Vec<_>>();
    let requests = rounds.iter().map(|[after, at_once]| after * 3 + at_once * 4).sum();
    Plan::new(requests, rounds.iter().flatten().sum())
}

/// One key, two payloads: one after the other, and at once.
pub async fn reuse(session: &Session) -> Vec<Case> {
    let mut cases = Vec::new();
    for other in Other::all(&session.options) {
        let [after, at_once] = other.rounds();
        for _ in 0..after {
            cases.push(one_after_the_other(session, &other).await);
        }
        let at_once = if enough(&cases) { 0 } else { at_once };
        for _ in 0..at_once {
            cases.push(both_at_once(session, &other).await);
        }
    }
    cases
}

async fn one_after_the_other(session: &Session, other: &Other) -> Case {
    let mut case = payloads(session, other, "after completion");
    session.send(&mut case, 0, "first payload").await;
    session.send(&mut case, 1, &other.label()).await;
    session.send(&mut case, 0, "first payload again").await;
    case.to_settle = Some(winner(&case));
    case
}

/// The payload that has the key: the other one where the first failed and left nothing behind. The loser is refused for
/// good, whichever came first.
pub fn winner(case: &Case) -> usize {
    usize::from(!case.succeeded(0) && case.succeeded(1))
}

async fn both_at_once(session: &Session, other: &Other) -> Case {
    let mut case = payloads(session, other, "in flight");
    let shots = Shot::volley(session, case.calls.iter().enumerate()).await;
    fire(session, &mut case, shots, Release::Whole).await;
    session.send(&mut case, 0, "first payload again").await;
    session.send(&mut case, 1, &format!("{} again", other.label())).await;
    case.to_settle = Some(winner(&case));
    case
}

/// One key and two payloads, of which none is sent yet.
pub fn payloads(session: &Session, other: &Other, when: &str) -> Case {
    let first = session.call("reuse");
    let second = match other {
        Other::Amount => Call { amount: first.amount + 1, ..first.clone() },
        Other::Intent => Call { keys: first.keys.clone(), amount: first.amount, ..session.call("reuse") },
        Other::Leaf(at) => Call { altered: Some(at.clone()), ..first.clone() },
    };
    Case::new(format!("{}, {when}", other.label()), Rule::Reuse, vec![first, second])
}

const NONE_ROUNDS: u64 = 3;

pub fn none_needs(options: &Options) -> Option<&'static str> {
    let always = "the template has {{key}}, or its URL is the key: no request goes without it";
    (!options.template.can_leave_key_out()).then_some(always)
}

pub fn none_plan(_: &Options) -> Plan {
    // A target that refuses a request without a key charges nothing; one that takes each for new charges all.
    Plan::new(NONE_ROUNDS * 3, NONE_ROUNDS * 3)
}

/// Two intents without a key, the first one twice.
pub async fn none(session: &Session) -> Vec<Case> {
    let mut cases = Vec::new();
    for _ in 0..NONE_ROUNDS {
        let first = Call { keys: Vec::new(), ..session.call("no_key") };
        // Of the same amount: what goes by the content must see no difference but the intent.
        let second = Call { keys: Vec::new(), amount: first.amount, ..session.call("no_key") };
        let mut case = Case::new("without a key", Rule::Keyless, vec![first, second]);
        session.send(&mut case, 0, "without a key").await;
        session.send(&mut case, 0, "the same again, without a key").await;
        session.send(&mut case, 1, "another intent, without a key").await;
        cases.push(case);
    }
    cases
}
