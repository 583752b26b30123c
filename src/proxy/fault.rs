//! What the proxy may do to one exchange, as data. Invariant: a closed set, matched once, in `exchange`.

use std::time::Duration;

use super::gate::Gate;
use crate::terms::named::named_enum;

/// One exchange's fault. Where the upstream gives no reply that a fault could act on, the client is answered 502 (504
/// where the reply did not come in time) whatever the fault is, and an `UpstreamFailed` event says why.
#[derive(Clone, Debug)]
pub enum Fault {
    /// Forwards both ways; the reply's bytes as they come.
    Pass,
    /// Answers by itself; the upstream never hears of the request.
    Answer { status: u16, retry_after: Option<u64> },
    /// The upstream commits and replies whole, then the client's connection ends without a byte.
    DropAfterReply { by: End },
    /// The upstream replies whole; the client gets it only then.
    HoldReply { until: Until },
    /// The upstream replies whole; the client is given this status instead.
    ReplaceReply { status: u16, retry_after: Option<u64> },
    /// The upstream replies whole; the client gets the beginning, then the end of the stream.
    CutReply { at: CutAt },
    /// Half of the request's body (of its head, where there is no body) is forwarded, and the upstream connection ends at a
    /// moment, counted from the last byte of it. The client's connection ends likewise.
    HalfRequest { after: Duration, by: End },
    /// The upstream connection ends at a moment, counted from the last request byte written. The client's ends likewise.
    /// A reply that was whole before that moment is given to the client, and no `UpstreamCut` event is seen.
    CutUpstream { after: Duration, by: End },
    /// The same once a gate is open.
    CutOnceOpened { gate: Gate, by: End },
    /// The same bytes go to the upstream twice, over two connections. The client gets one reply when both are settled:
    /// the one that came first if they were sent together, else the second's.
    DeliverTwice { second: SecondCopy },
    /// The whole request is held back, and then forwarded whether or not the client is still there.
    HoldRequest { until: Until },
}

named_enum! {
    /// How a connection ends.
    pub enum End {
        /// In order: the other side reads an end of stream.
        Fin = "FIN",
        /// By a reset: the other side reads ECONNRESET.
        Rst = "RST",
    }
}

/// Where a reply is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CutAt {
    /// In the middle of the head.
    Head,
    /// In the middle of the body; where there is none, in the head.
    Body,
}

/// When the second copy is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecondCopy {
    /// Both connections are open and hold all but the last byte; then both get it.
    Together,
    /// When the first reply is whole.
    AfterFirstReply,
}

/// What something is held for; never longer than [`super::settings::Settings::hold`].
#[derive(Clone, Debug)]
pub enum Until {
    Opened(Gate),
    /// The client has closed or reset its connection.
    ClientGone,
}
