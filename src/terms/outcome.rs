//! The retry table: what a symptom says about the money, and what to do about it. Invariant: this is the only place
//! where a symptom or a status becomes an effect or an action; the retrying client and `classify` both read it here.

use super::named::named_enum;

named_enum! {
    /// What an attempt showed to the client.
    pub enum Symptom {
        /// A complete 2xx and no sign of trouble beside it.
        Ok = "ok",
        /// 3xx: another place was named, nothing was done here.
        Redirect = "redirect",
        /// A 4xx that refuses the request as it stands.
        ClientError = "client-error",
        /// 409: an earlier attempt may be in flight.
        Conflict = "conflict",
        /// 408, 425 or 429.
        Throttled = "throttled",
        /// 5xx, or nginx's 499.
        ServerError = "server-error",
        /// The connection was refused: nobody listens, so no request was sent.
        Refused = "refused",
        /// The host name does not resolve, so nobody was asked.
        Dns = "dns",
        /// No route to the host or network.
        Unreachable = "unreachable",
        /// No connection in time, so no request was sent.
        ConnectTimeout = "connect-timeout",
        /// The TLS handshake failed, so no request was sent.
        Tls = "tls",
        /// HTTP/2 REFUSED_STREAM, or GOAWAY below the stream (RFC 9113, 8.7): guaranteed unprocessed.
        NotProcessed = "not-processed",
        /// The request was sent, and no whole reply came in time.
        ReadTimeout = "read-timeout",
        /// The connection ended before a byte of reply.
        Closed = "closed",
        /// The connection was reset, maybe after the request was read.
        Reset = "reset",
        /// The reply began and broke off.
        Truncated = "truncated",
        /// The reply cannot be understood.
        BadReply = "bad-reply",
        /// A timeout that does not say of what.
        Timeout = "timeout",
        /// The reading does not say what happened.
        Unknown = "unknown",
    }
}

named_enum! {
    /// May the request have taken effect?
    pub enum Effect {
        /// It took effect: a complete 2xx, and no sign of trouble beside it.
        Yes = "yes",
        /// Only with evidence that the request cannot have been processed.
        No = "no",
        /// The server turned it away for now; by convention it was not processed.
        Unlikely = "unlikely",
        /// Nothing tells: it may have been processed, or not.
        Maybe = "maybe",
    }
}

named_enum! {
    /// What to do next.
    pub enum Action {
        /// Nothing is left to do.
        Done = "done",
        /// Refused as it stands: sending it again cannot help.
        FixRequest = "fix-request",
        /// Never sent: retry as it is; a key is still advised.
        Retry = "retry",
        /// Back off by `Retry-After`, then the same key.
        RetryLaterSameKey = "retry-later-same-key",
        /// It may have charged: the same key, never a new one and never a new intent.
        RetrySameKey = "retry-same-key",
        /// It may have charged, and the answer says nothing: ask the server what it has before anything else.
        VerifyFirst = "verify-first",
    }
}

named_enum! {
    /// The coarse kind that the text report prints, padded to 9.
    pub enum Kind {
        Ok = "ok",
        ClientError = "client-error",
        ServerError = "server-error",
        Transport = "transport",
        TransportTimeout = "transport-timeout",
        BadReply = "bad-reply",
    }
}

/// One row of the retry table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Advice {
    pub effect: Effect,
    pub action: Action,
}

impl Advice {
    /// Of a complete reply with this status: its symptom's row, but for four statuses that leave open what was done.
    /// 202 takes the request and promises nothing (RFC 9110, 15.3.3); 207 tells of each part by itself (RFC 4918, 13); 302 and 303 are how a form that was worked on sends
    /// the browser on (15.4.3, 15.4.4), where 301, 307 and 308 ask for the request itself elsewhere.
    pub fn of_status(status: u16) -> Advice {
        match status {
            202 | 207 | 302 | 303 => Advice { effect: Effect::Maybe, action: Action::VerifyFirst },
            _ => Symptom::of_status(status).advice(),
        }
    }

    /// Of a call whose earlier attempts are not told: what proves that the last one was not processed proves nothing of
    /// them.
    pub fn of_whole_call(self) -> Advice {
        match (self.effect, self.action) {
            (Effect::No, Action::FixRequest) => Advice { effect: Effect::Maybe, action: Action::VerifyFirst },
            (Effect::No, _) => Advice { effect: Effect::Maybe, action: Action::RetrySameKey },
            (Effect::Yes | Effect::Unlikely | Effect::Maybe, _) => self,
        }
    }
}

impl Symptom {
    /// The symptom of a complete reply with this status. A status that is not a final HTTP status (below 200, above
    /// 599) is a bad reply: it answers nothing.
    pub fn of_status(status: u16) -> Symptom {
        match status {
            200..=299 => Symptom::Ok,
            300..=399 => Symptom::Redirect,
            408 | 425 | 429 => Symptom::Throttled,
            409 => Symptom::Conflict,
            499 => Symptom::ServerError,
            400..=498 => Symptom::ClientError,
            500..=599 => Symptom::ServerError,
            _ => Symptom::BadReply,
        }
    }

    /// The symptom of a status that a proxy writes for a server that it never reached; None for any other status.
    /// Cloudflare (developers.cloudflare.com, "Cloudflare 5xx errors"): 521 the origin refused the connection, 523 the
    /// origin is unreachable, 530 with a 1xxx error such as 1016, the origin's name does not resolve. Of its others,
    /// 520, 522 (which also times an accepted connection), 524, 525, 526 and the 529 of overloaded servers do not prove
    /// that, so they stay server errors.
    pub fn of_proxy_status(status: u16) -> Option<Symptom> {
        match status {
            521 => Some(Symptom::Refused),
            523 => Some(Symptom::Unreachable),
            530 => Some(Symptom::Dns),
            _ => None,
        }
    }

    /// The retry table itself.
    pub fn advice(self) -> Advice {
        use Symptom::*;
        let (effect, action) = match self {
            Ok => (Effect::Yes, Action::Done),
            Redirect | ClientError => (Effect::No, Action::FixRequest),
            Refused | Dns | Unreachable | ConnectTimeout | Tls | NotProcessed => (Effect::No, Action::Retry),
            Throttled => (Effect::Unlikely, Action::RetryLaterSameKey),
            Conflict => (Effect::Maybe, Action::RetryLaterSameKey),
            ServerError | ReadTimeout | Closed | Reset | Timeout => (Effect::Maybe, Action::RetrySameKey),
            Truncated | BadReply | Unknown => (Effect::Maybe, Action::VerifyFirst),
        };
        Advice { effect, action }
    }

    pub fn kind(self) -> Kind {
        use Symptom::*;
        match self {
            Ok => Kind::Ok,
            Redirect | ClientError | Conflict | Throttled => Kind::ClientError,
            ServerError => Kind::ServerError,
            Refused | Dns | Unreachable | Tls | NotProcessed | Closed | Reset | Unknown => Kind::Transport,
            ConnectTimeout | ReadTimeout | Timeout => Kind::TransportTimeout,
            Truncated | BadReply => Kind::BadReply,
        }
    }
}

impl Action {
    /// Whether a client may send the request again without asking anyone first.
    pub fn retries(self) -> bool {
        match self {
            Action::Retry | Action::RetryLaterSameKey | Action::RetrySameKey => true,
            Action::Done | Action::FixRequest | Action::VerifyFirst => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_complete_2xx_is_done() {
        for symptom in Symptom::ALL.iter().copied() {
            let advice = symptom.advice();
            assert_eq!(advice.effect == Effect::Yes, symptom == Symptom::Ok, "{}", symptom.name());
            assert_eq!(advice.action == Action::Done, symptom == Symptom::Ok, "{}", symptom.name());
        }
    }

    #[test]
    fn what_was_only_accepted_or_sent_on_may_have_been_done() {
        let open = Advice { effect: Effect::Maybe, action: Action::VerifyFirst };
        for status in [202, 207, 302, 303] {
            assert_eq!(Advice::of_status(status), open, "{status}");
        }
        for status in [200, 201, 204, 301, 304, 307, 308, 400, 409, 503] {
            assert_eq!(Advice::of_status(status), Symptom::of_status(status).advice(), "{status}");
        }
    }

    #[test]
    fn nothing_is_safe_while_earlier_attempts_are_not_told() {
        for symptom in Symptom::ALL.iter().copied() {
            let (one, call) = (symptom.advice(), symptom.advice().of_whole_call());
            assert_ne!(call.effect, Effect::No, "{symptom}");
            assert!(one.effect == Effect::No || call == one, "{symptom}");
            assert_ne!(call.action, Action::FixRequest, "{symptom}");
        }
    }

    #[test]
    fn statuses_follow_the_table() {
        let table = [
            (100, Symptom::BadReply),
            (200, Symptom::Ok),
            (204, Symptom::Ok),
            (302, Symptom::Redirect),
            (400, Symptom::ClientError),
            (408, Symptom::Throttled),
            (409, Symptom::Conflict),
            (422, Symptom::ClientError),
            (423, Symptom::ClientError),
            (425, Symptom::Throttled),
            (429, Symptom::Throttled),
            (499, Symptom::ServerError),
            (500, Symptom::ServerError),
            (599, Symptom::ServerError),
            (600, Symptom::BadReply),
            (0, Symptom::BadReply),
        ];
        for (status, symptom) in table {
            assert_eq!(Symptom::of_status(status), symptom, "{status}");
        }
    }

    /// Of a proxy's own statuses only those prove that the server was never reached.
    #[test]
    fn a_proxys_status_follows_the_table() {
        let never_reached = [(521, Symptom::Refused), (523, Symptom::Unreachable), (530, Symptom::Dns)];
        for status in 0..=999 {
            let symptom = never_reached.iter().find(|(of, _)| *of == status).map(|(_, symptom)| *symptom);
            assert_eq!(Symptom::of_proxy_status(status), symptom, "{status}");
        }
    }

    /// Symptom, effect, action, kind and whether a client goes on by itself: the contract, written out once more by hand.
    #[test]
    fn advice_and_kind_follow_the_contract() {
        for (symptoms, effect, action, kind, retries) in [
            ("ok", "yes", "done", "ok", false),
            ("redirect client-error", "no", "fix-request", "client-error", false),
            ("refused dns unreachable tls not-processed", "no", "retry", "transport", true),
            ("connect-timeout", "no", "retry", "transport-timeout", true),
            ("throttled", "unlikely", "retry-later-same-key", "client-error", true),
            ("conflict", "maybe", "retry-later-same-key", "client-error", true),
            ("server-error", "maybe", "retry-same-key", "server-error", true),
            ("closed reset", "maybe", "retry-same-key", "transport", true),
            ("read-timeout timeout", "maybe", "retry-same-key", "transport-timeout", true),
            ("truncated bad-reply", "maybe", "verify-first", "bad-reply", false),
            ("unknown", "maybe", "verify-first", "transport", false),
        ] {
            for symptom in symptoms.split(' ').map(|name| Symptom::parse(name).unwrap()) {
                let advice = symptom.advice();
                let row = (advice.effect.name(), advice.action.name(), symptom.kind().name(), advice.action.retries());
                assert_eq!(row, (effect, action, kind, retries), "{symptom}");
            }
        }
    }
}
