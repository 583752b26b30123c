//! The article's twelve points, and what of idem proves each. Invariant: only what a command really shows is called proven.

/// One point of the checklist.
pub struct Point {
    pub asks: &'static str,
    pub proven_by: &'static str,
    /// The checks of a target that hold it when all of them do; empty where no probe shows it.
    pub checks: &'static [&'static str],
    /// Checks that break it too; they have to hold where they were run.
    pub also: &'static [&'static str],
}

/// In the article's order.
pub const POINTS: [Point; 12] = [
    Point {
        asks: "what the side effect is, written down",
        proven_by: "not checkable from outside; --ledger is where you say it",
        checks: &[],
        also: &[],
    },
    Point {
        asks: "the endpoint takes idempotency keys",
        proven_by: "replay, no_key",
        checks: &["replay"],
        also: &["no_key"],
    },
    Point {
        asks: "the key comes from the intent, once, stored before the call",
        proven_by: "your client: idem proxy --audit, which kills it in the middle of a call and runs it again (key-rotated, no-key)",
        checks: &[],
        also: &[],
    },
    Point {
        asks: "the key's canonical form is fixed",
        proven_by: "odd_keys, equivalent_body; your client's form: idem selftest --vectors",
        checks: &["odd_keys", "equivalent_body"],
        also: &[],
    },
    Point {
        asks: "key and side effect in one transaction, found after a restart",
        proven_by: "restart, double_restart, cut, disruption",
        checks: &["restart", "double_restart", "cut"],
        also: &["disruption"],
    },
    Point {
        asks: "dedup window at least the longest span of retries",
        proven_by: "window, with --window; capacity",
        checks: &["window", "capacity"],
        also: &[],
    },
    Point {
        asks: "a replay returns the first receipt",
        proven_by: "replay, replay_elsewhere, replay_rewritten, post_drop, half_reply (CHANGED where it does not)",
        checks: &["replay", "replay_elsewhere", "replay_rewritten", "post_drop", "half_reply"],
        also: &[],
    },
    Point {
        asks: "a unique constraint or conditional write, no check-then-act",
        proven_by: "race_2, race_8, double_delivery, replicas",
        checks: &["race_2", "race_8", "double_delivery"],
        also: &["replicas"],
    },
    Point {
        asks: "4xx is not retried; 408, 425, 429 and 5xx by kind",
        proven_by: "your client: idem proxy --audit (retried-refusal, too-early); the server's side: server_error_first, bad_credential_first",
        checks: &[],
        also: &["server_error_first", "bad_credential_first"],
    },
    Point {
        asks: "a retry budget with an upper bound",
        proven_by: "your client: idem proxy --audit, which answers it 503 for ever; idem classify --max-attempts N --max-span T (budget)",
        checks: &[],
        also: &[],
    },
    Point {
        asks: "each retry logs its number, same key",
        proven_by: "your client: idem proxy --audit --client-log FILE; its own log: idem classify (attempt-gap, key-rotated)",
        checks: &[],
        also: &[],
    },
    Point {
        asks: "a daily reconciliation of duplicates and losses",
        proven_by: "not checkable from outside; idem reconcile is that job",
        checks: &[],
        also: &[],
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::checks::CHECKS;

    #[test]
    fn a_point_names_its_checks_in_words_too() {
        for point in &POINTS {
            for name in point.checks.iter().chain(point.also) {
                assert!(CHECKS.iter().any(|check| check.name == *name), "{name}");
                assert!(point.proven_by.contains(name), "{}: {name}", point.asks);
            }
        }
    }
}
