//! The faults that `idem proxy` offers by name, and that the probe's checks have in the same sense. Invariant: the fault of
//! a name is put together here alone.

use std::time::Duration;

use super::fault::{CutAt, End, Fault, SecondCopy, Until};
use super::gate::Gate;
use crate::terms::named::named_enum;

named_enum! {
    /// What goes wrong, in the names that the probe's checks have.
    pub enum FaultName {
        /// Nothing; the attempts are only logged.
        None = "none",
        /// The proxy answers 503, and the server never hears of it.
        PreFail = "pre_fail",
        /// The server replies, then the client's connection is reset.
        PostDrop = "post_drop",
        /// The reply is held until the client gives up.
        PostSlow = "post_slow",
        /// The server replies, and the client is told 502.
        PostError = "post_error",
        /// The reply is cut in the middle of its body.
        HalfReply = "half_reply",
        /// The upload stops half-way.
        HalfRequest = "half_request",
        /// The connection to the server ends while the server works.
        Cut = "cut",
        /// The server gets the same bytes twice, together.
        DoubleDelivery = "double_delivery",
        /// The request is held until a later attempt is through, then delivered.
        LateArrival = "late_arrival",
        /// The proxy answers 400, and the server never hears of it: a client must not send the request again.
        Refusal = "refusal",
        /// The proxy answers 429 with a Retry-After, and the server never hears of it.
        Throttle = "throttle",
    }
}

impl FaultName {
    /// The fault without any option: no `Retry-After`, a cut at once.
    pub fn plain(self) -> Fault {
        self.fault(&Gate::new(), None, Duration::ZERO)
    }

    /// The fault itself. `later` opens when a later attempt of the same intent is through; `retry_after` is in seconds.
    pub fn fault(self, later: &Gate, retry_after: Option<u64>, cut_after: Duration) -> Fault {
        match self {
            FaultName::None => Fault::Pass,
            FaultName::PreFail => Fault::Answer { status: 503, retry_after },
            FaultName::PostDrop => Fault::DropAfterReply { by: End::Rst },
            FaultName::PostSlow => Fault::HoldReply { until: Until::ClientGone },
            FaultName::PostError => Fault::ReplaceReply { status: 502, retry_after },
            FaultName::HalfReply => Fault::CutReply { at: CutAt::Body },
            FaultName::HalfRequest => Fault::HalfRequest { after: Duration::ZERO, by: End::Fin },
            FaultName::Cut => Fault::CutUpstream { after: cut_after, by: End::Fin },
            FaultName::DoubleDelivery => Fault::DeliverTwice { second: SecondCopy::Together },
            FaultName::LateArrival => Fault::HoldRequest { until: Until::Opened(later.clone()) },
            FaultName::Refusal => Fault::Answer { status: 400, retry_after: None },
            FaultName::Throttle => Fault::Answer { status: 429, retry_after: retry_after.or(Some(1)) },
        }
    }

    /// The same at the server, for a client that is killed before it is told anything. None where the client would be told
    /// at once, so that nobody could say whether it was killed before.
    pub fn until_killed(self, later: &Gate) -> Option<Fault> {
        match self {
            FaultName::PostDrop | FaultName::PostSlow | FaultName::PostError | FaultName::HalfReply => {
                Some(Fault::HoldReply { until: Until::ClientGone })
            }
            FaultName::LateArrival => Some(Fault::HoldRequest { until: Until::Opened(later.clone()) }),
            FaultName::None
            | FaultName::PreFail
            | FaultName::HalfRequest
            | FaultName::Cut
            | FaultName::DoubleDelivery
            | FaultName::Refusal
            | FaultName::Throttle => None,
        }
    }

    /// Whether the proxy gives an answer of its own, which may carry a `Retry-After`.
    pub fn answers(self) -> bool {
        matches!(self, FaultName::PreFail | FaultName::PostError | FaultName::Throttle)
    }
}
