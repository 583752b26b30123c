//! Dedup policies as data. Invariant: what only one policy needs lives in that policy's variant.

use std::time::Duration;

use crate::terms::named::by_name;

/// The check-then-act window of `key_racy`: one database round trip, made long enough to see.
pub const RACE_WINDOW: Duration = Duration::from_millis(50);
/// The dedup window of `key_ttl`, short so that it is outlived within a second.
pub const TTL_WINDOW: Duration = Duration::from_millis(100);

/// How the charge server recognises a repeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Every request charges.
    Naive,
    /// Look-up and charge in one critical section per key.
    KeyAtomic,
    /// Looks up, waits at least `window`, then charges: check-then-act.
    KeyRacy { window: Duration },
    /// Atomic, but forgets a key when `window` has passed since its charge.
    KeyTtl { window: Duration },
    /// Dedups on a hash of the amount, not on the key.
    ContentHash,
    /// Atomic, and the key is found again in the ledger after a restart.
    KeyDurable,
}

impl Policy {
    /// Every policy, with the windows that the scenarios use.
    pub const ALL: [Policy; 6] = [
        Policy::Naive,
        Policy::KeyAtomic,
        Policy::KeyRacy { window: RACE_WINDOW },
        Policy::KeyTtl { window: TTL_WINDOW },
        Policy::ContentHash,
        Policy::KeyDurable,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Policy::Naive => "naive",
            Policy::KeyAtomic => "key_atomic",
            Policy::KeyRacy { .. } => "key_racy",
            Policy::KeyTtl { .. } => "key_ttl",
            Policy::ContentHash => "content_hash",
            Policy::KeyDurable => "key_durable",
        }
    }

    /// The policy of that name, with the scenarios' windows. The error lists the names.
    pub fn parse(name: &str) -> Result<Policy, String> {
        by_name(name, Policy::ALL.into_iter(), |policy| policy.name())
    }

    /// Whether a request must carry an idempotency key.
    pub fn needs_key(self) -> bool {
        match self {
            Policy::KeyAtomic | Policy::KeyRacy { .. } | Policy::KeyTtl { .. } | Policy::KeyDurable => true,
            Policy::Naive | Policy::ContentHash => false,
        }
    }
}
