//! The scenarios, declared as data. Invariant: no figure that is measured is computed from here; a verdict only compares
//! with it. An eleventh scenario is one more row.

use std::time::Duration;

use crate::server::fault::{FaultPhase, SLOW_REPLY};
use crate::server::policy::{Policy, RACE_WINDOW, TTL_WINDOW};
use crate::terms::figures::Figures;
use crate::terms::intent::{Intent, KeyMode};

/// Wait before a retry.
pub const BACKOFF: Duration = Duration::from_millis(350);
/// Client patience for one attempt; only a reply held on purpose can reach it.
pub const PATIENCE: Duration = Duration::from_secs(5);
/// Client patience in the slow-reply scenarios.
pub const SHORT_PATIENCE: Duration = Duration::from_millis(400);

// A stall of 200 ms turns no verdict over.
const STALL: Duration = Duration::from_millis(200);
const _: () = assert!(TTL_WINDOW.as_millis() + STALL.as_millis() <= BACKOFF.as_millis());
const _: () = assert!(SHORT_PATIENCE.as_millis() + STALL.as_millis() <= SLOW_REPLY.as_millis());
const _: () = assert!(RACE_WINDOW.as_millis() + STALL.as_millis() < PATIENCE.as_millis());

/// One declared scenario.
#[derive(Debug)]
pub struct Scenario {
    pub name: &'static str,
    /// What it teaches, in a line.
    pub teaches: &'static str,
    /// Whether it is one of the ten; the others run when asked for.
    pub of_the_ten: bool,
    pub policy: Policy,
    pub key: KeyMode,
    pub phase: FaultPhase,
    pub intents: u32,
    /// Simultaneous requests of one intent: 2 in a race, else 1.
    pub rivals: u32,
    /// Bound of attempts for one intent.
    pub attempts: u32,
    /// Client patience for one attempt.
    pub patience: Duration,
    /// Whether intents follow one another, because which one is charged depends on their order.
    pub in_order: bool,
    /// Whether the server is restarted after the first attempts: its store is lost, the ledger kept.
    pub restart: bool,
    pub declared: Declared,
}

/// A declared figure as a function of the number of intents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// So many for each intent.
    Each(u64),
    /// So many, however many intents there are.
    Fixed(u64),
    /// One for each intent but so many.
    AllBut(u64),
}

impl Count {
    pub fn of(self, intents: u32) -> u64 {
        match self {
            Count::Each(figure) => figure * u64::from(intents),
            Count::Fixed(figure) => figure,
            Count::AllBut(figure) => u64::from(intents).saturating_sub(figure),
        }
    }
}

/// The declared row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Declared {
    pub requests: Count,
    pub charges: Count,
    pub unique: Count,
    pub duplicates: Count,
    pub lost: Count,
}

impl Declared {
    pub fn figures(&self, intents: u32) -> Figures {
        Figures {
            requests: self.requests.of(intents),
            charges: self.charges.of(intents),
            unique: self.unique.of(intents),
            duplicates: self.duplicates.of(intents),
            lost: self.lost.of(intents),
        }
    }
}

impl Scenario {
    /// Whether `--rounds` scales it, rather than `--intents`.
    pub fn is_race(&self) -> bool {
        self.rivals > 1
    }

    /// The intents, all of one amount, so that a dedup by content shows.
    pub fn intent(&self, number: u32) -> Intent {
        Intent { name: format!("ord-{number:03}"), amount: 1000 }
    }
}

/// Two requests an intent, every one charged once.
const CLEAN: Declared =
    Declared { requests: Each(2), charges: Each(1), unique: Each(1), duplicates: Fixed(0), lost: Fixed(0) };
/// Two requests an intent, both charged.
const TWICE: Declared =
    Declared { requests: Each(2), charges: Each(2), unique: Each(1), duplicates: Each(1), lost: Fixed(0) };

use Count::{AllBut, Each, Fixed};

const PLAIN: Scenario = Scenario {
    name: "",
    teaches: "",
    of_the_ten: true,
    policy: Policy::Naive,
    key: KeyMode::Stable,
    phase: FaultPhase::None,
    intents: 3,
    rivals: 1,
    attempts: 2,
    patience: PATIENCE,
    in_order: false,
    restart: false,
    declared: CLEAN,
};

/// All scenarios in their order in every report: the ten, then those that run when asked for.
pub const SCENARIOS: &[Scenario] = &[
    Scenario {
        name: "pre_fail_naive",
        teaches: "a failure before the commit may be retried even without a key",
        key: KeyMode::None,
        phase: FaultPhase::PreCommitFailure,
        ..PLAIN
    },
    Scenario {
        name: "post_drop_naive",
        teaches: "the same retry after a lost reply charges twice",
        key: KeyMode::None,
        phase: FaultPhase::PostCommitDrop,
        declared: TWICE,
        ..PLAIN
    },
    Scenario {
        name: "post_drop_key_atomic",
        teaches: "a key from the intent and an atomic store make that retry a replay",
        policy: Policy::KeyAtomic,
        phase: FaultPhase::PostCommitDrop,
        ..PLAIN
    },
    Scenario {
        name: "post_drop_key_per_attempt",
        teaches: "a new key for each attempt is no key at all",
        policy: Policy::KeyAtomic,
        key: KeyMode::PerAttempt,
        phase: FaultPhase::PostCommitDrop,
        declared: TWICE,
        ..PLAIN
    },
    Scenario {
        name: "content_hash_two_orders",
        teaches: "dedup by content swallows the second of two equal orders",
        policy: Policy::ContentHash,
        intents: 2,
        in_order: true,
        declared: Declared {
            requests: Each(1),
            charges: Fixed(1),
            unique: Fixed(1),
            duplicates: Fixed(0),
            lost: AllBut(1),
        },
        ..PLAIN
    },
    Scenario {
        name: "race_racy",
        teaches: "check-then-act charges twice in every race, not now and then",
        policy: Policy::KeyRacy { window: RACE_WINDOW },
        intents: 10,
        rivals: 2,
        attempts: 1,
        declared: TWICE,
        ..PLAIN
    },
    Scenario {
        name: "race_atomic",
        teaches: "one critical section per key settles the same race",
        policy: Policy::KeyAtomic,
        intents: 10,
        rivals: 2,
        attempts: 1,
        ..PLAIN
    },
    Scenario {
        name: "at_most_once",
        teaches: "no duplicate is not enough: without a retry every order is lost",
        phase: FaultPhase::PreCommitFailure,
        attempts: 1,
        declared: Declared {
            requests: Each(1),
            charges: Fixed(0),
            unique: Fixed(0),
            duplicates: Fixed(0),
            lost: Each(1),
        },
        ..PLAIN
    },
    Scenario {
        name: "ttl_shorter_than_backoff",
        teaches: "a dedup window shorter than the retry span holds in theory only",
        policy: Policy::KeyTtl { window: TTL_WINDOW },
        phase: FaultPhase::PostCommitDrop,
        declared: TWICE,
        ..PLAIN
    },
    Scenario {
        name: "restart_store_lost",
        teaches: "keys that live in memory die with the process, the charge does not",
        policy: Policy::KeyAtomic,
        phase: FaultPhase::PostCommitDrop,
        intents: 1,
        restart: true,
        declared: TWICE,
        ..PLAIN
    },
    Scenario {
        name: "post_slow_naive",
        teaches: "a reply slower than the client's patience is a lost reply",
        of_the_ten: false,
        key: KeyMode::None,
        phase: FaultPhase::PostCommitSlow,
        patience: SHORT_PATIENCE,
        declared: TWICE,
        ..PLAIN
    },
    Scenario {
        name: "post_slow_key_atomic",
        teaches: "the key settles the slow reply too",
        of_the_ten: false,
        policy: Policy::KeyAtomic,
        phase: FaultPhase::PostCommitSlow,
        patience: SHORT_PATIENCE,
        ..PLAIN
    },
    Scenario {
        name: "restart_key_durable",
        teaches: "a key in the same ledger line as the charge is found again after a restart",
        of_the_ten: false,
        policy: Policy::KeyDurable,
        phase: FaultPhase::PostCommitDrop,
        intents: 1,
        restart: true,
        ..PLAIN
    },
];
