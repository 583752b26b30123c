//! The steps that a schedule is made of: the one registry. Invariant: a step means the same wherever it stands, so any
//! subset of a schedule's steps is a schedule.

use serde::{Deserialize, Serialize};

use crate::proxy::End;
use crate::terms::named::named_enum;

/// One step. `order` is the place of an order in its schedule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Step {
    /// One request with the order's key: its first, or a retry.
    Send {
        order: usize,
        written: Written,
        mishap: Option<Mishap>,
    },
    /// The same request over several open connections; all but the first may be written in another way.
    Race {
        order: usize,
        copies: usize,
        release: Release,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        varied: Option<String>,
    },
    /// One request of each order, all at once.
    Crowd,
    /// The order's key and body under the second credential.
    Principal {
        order: usize,
    },
    /// A request of its own without a key, twice.
    NoKey,
    /// Orders of their own, a request each.
    FreshKeys {
        count: usize,
    },
    Wait {
        ms: u64,
    },
    /// Until the ledger shows the order's item.
    AwaitItem {
        order: usize,
    },
    /// One of the user's disruptions begins.
    Disrupt {
        name: String,
    },
    /// It ends, as it does with the schedule.
    Heal,
    /// The server is killed and started again while nothing is under way.
    Restart,
    /// The same so long after a request of the order has gone.
    RestartDuring {
        order: usize,
        after: Moment,
    },
}

/// What a request asks, and how it is written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Written {
    /// As the order's first.
    Same,
    /// The same asked in another way: a label of the variations' registry.
    Varied(String),
    /// The same with a new token of the same principal.
    Refreshed,
    /// Something else under the same key.
    Other(Difference),
}

/// What another payload differs in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Difference {
    Amount,
    Intent,
    /// Pointer to a leaf of the body that no other request varies.
    Leaf(String),
}

/// What goes wrong with one request on its way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Mishap {
    /// The connection to the target ends at a moment.
    Cut {
        after: Moment,
        by: End,
    },
    /// Half of the request comes, and the connection ends after so many ms.
    HalfRequest {
        ms: u64,
        by: End,
    },
    DropReply,
    HoldReply,
    /// 502 instead of the reply.
    ErrorReply,
    HalfReply,
    /// 503 without the target.
    NeverSent,
    Twice {
        together: bool,
    },
    /// Held back until a retry is through.
    Late,
}

/// When, after the last request byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Moment {
    Micros(u64),
    /// Of the target's latency.
    Percent(u64),
    /// When the ledger shows the order's item.
    ItemSeen,
}

/// When the copies of a race go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Release {
    Together,
    LastBytes,
    /// The others after the first, in per cent of the target's latency.
    After(u64),
}

named_enum! {
    /// Steps as drawing chooses them and the coverage table counts them.
    pub enum Kind {
        Send = "send",
        Varied = "retry, varied",
        Refreshed = "refreshed credential",
        OtherPayload = "another payload",
        Cut = "cut",
        HalfRequest = "half request",
        LostReply = "lost reply",
        NeverSent = "never sent",
        Twice = "delivered twice",
        Late = "late arrival",
        Race = "race",
        Crowd = "crowd",
        Principal = "second principal",
        NoKey = "no key",
        FreshKeys = "fresh keys",
        Wait = "wait",
        AwaitItem = "ledger item",
        Disrupt = "disrupt",
        Heal = "heal",
        Restart = "restart",
        RestartDuring = "restart during a request",
    }
}

impl Step {
    pub fn kind(&self) -> Kind {
        match self {
            Step::Send { mishap: Some(mishap), .. } => mishap.kind(),
            Step::Send { written: Written::Same, .. } => Kind::Send,
            Step::Send { written: Written::Varied(_), .. } => Kind::Varied,
            Step::Send { written: Written::Refreshed, .. } => Kind::Refreshed,
            Step::Send { written: Written::Other(_), .. } => Kind::OtherPayload,
            Step::Race { .. } => Kind::Race,
            Step::Crowd => Kind::Crowd,
            Step::Principal { .. } => Kind::Principal,
            Step::NoKey => Kind::NoKey,
            Step::FreshKeys { .. } => Kind::FreshKeys,
            Step::Wait { .. } => Kind::Wait,
            Step::AwaitItem { .. } => Kind::AwaitItem,
            Step::Disrupt { .. } => Kind::Disrupt,
            Step::Heal => Kind::Heal,
            Step::Restart => Kind::Restart,
            Step::RestartDuring { .. } => Kind::RestartDuring,
        }
    }

    /// The order that it is about; None where it is about none, or all.
    pub fn order(&self) -> Option<usize> {
        match self {
            Step::Send { order, .. }
            | Step::Race { order, .. }
            | Step::Principal { order }
            | Step::AwaitItem { order }
            | Step::RestartDuring { order, .. } => Some(*order),
            Step::Crowd
            | Step::NoKey
            | Step::FreshKeys { .. }
            | Step::Wait { .. }
            | Step::Disrupt { .. }
            | Step::Heal
            | Step::Restart => None,
        }
    }

    /// The same about another order.
    pub fn about(mut self, to: usize) -> Step {
        match &mut self {
            Step::Send { order, .. }
            | Step::Race { order, .. }
            | Step::Principal { order }
            | Step::AwaitItem { order }
            | Step::RestartDuring { order, .. } => *order = to,
            Step::Crowd
            | Step::NoKey
            | Step::FreshKeys { .. }
            | Step::Wait { .. }
            | Step::Disrupt { .. }
            | Step::Heal
            | Step::Restart => {}
        }
        self
    }

    /// A plain request of an order.
    pub fn plain(order: usize) -> Step {
        Step::Send { order, written: Written::Same, mishap: None }
    }
}

impl Mishap {
    fn kind(&self) -> Kind {
        match self {
            Mishap::Cut { .. } => Kind::Cut,
            Mishap::HalfRequest { .. } => Kind::HalfRequest,
            Mishap::DropReply | Mishap::HoldReply | Mishap::ErrorReply | Mishap::HalfReply => Kind::LostReply,
            Mishap::NeverSent => Kind::NeverSent,
            Mishap::Twice { .. } => Kind::Twice,
            Mishap::Late => Kind::Late,
        }
    }
}
