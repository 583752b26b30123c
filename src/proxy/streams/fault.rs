//! What the faults of a proxy are on a line. Invariant: a fault that has no meaning on one ordered channel has no form here.

use std::time::Duration;

use crate::proxy::fault_name::FaultName;

/// The fault of one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineFault {
    Pass,
    /// The server never hears of it; the client is given an error.
    Refuse,
    /// The reply is not handed on.
    Withhold,
    /// The reply is handed on when the client has given up, or the longest time has passed.
    Late,
    /// The client is given an error instead of the reply.
    Replace,
    /// The stream ends in the middle of the reply.
    Tear,
    /// The server is killed: so long after its request, or when it has replied.
    Kill {
        after: Option<Duration>,
    },
}

impl LineFault {
    /// The names that have a form here.
    pub const NAMES: &str = "none, pre_fail, post_drop, post_slow, post_error, half_reply or cut";

    /// None for what needs HTTP, or a second channel.
    pub fn of(name: FaultName, cut_after: Option<Duration>) -> Option<LineFault> {
        match name {
            FaultName::None => Some(LineFault::Pass),
            FaultName::PreFail => Some(LineFault::Refuse),
            FaultName::PostDrop => Some(LineFault::Withhold),
            FaultName::PostSlow => Some(LineFault::Late),
            FaultName::PostError => Some(LineFault::Replace),
            FaultName::HalfReply => Some(LineFault::Tear),
            FaultName::Cut => Some(LineFault::Kill { after: cut_after }),
            FaultName::HalfRequest
            | FaultName::DoubleDelivery
            | FaultName::LateArrival
            | FaultName::Refusal
            | FaultName::Throttle => None,
        }
    }

    /// Whether it ends the server, so that a client has to start it again.
    pub fn ends(self) -> bool {
        match self {
            LineFault::Tear | LineFault::Kill { .. } => true,
            LineFault::Pass | LineFault::Refuse | LineFault::Withhold | LineFault::Late | LineFault::Replace => false,
        }
    }
}
