//! The checks, in the order of the report. Invariant: a check provokes and observes; the verdict is the invariants' word.
//! To add one: a file with a `drive` function, and a row here.

mod after_reply;
mod baseline;
mod credentials;
mod crowd;
mod cut;
mod deliver;
mod handler;
mod keys;
mod race;
mod replay;
mod restart;
mod upload;
mod window;

pub use restart::restarted;

use super::case::Case;
use super::join::Local;
use super::options::Options;
use super::session::{SILENT, Session};

/// When a check runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Before all others, which rest on it.
    First,
    /// One after another, as many side by side as --jobs says.
    Staged,
    /// Beside the others: it waits most of its time.
    Beside,
    /// When all others are done: it takes the server away.
    Last,
}

/// What a check sends at least, to a target that answers everything at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Plan {
    pub requests: u64,
    /// Charges that a correct target makes.
    pub charges: u64,
}

impl Plan {
    pub const fn new(requests: u64, charges: u64) -> Plan {
        Plan { requests, charges }
    }
}

/// One check.
pub struct Check {
    pub name: &'static str,
    /// How it is provoked, in a line.
    pub provokes: &'static str,
    /// What a finding means.
    pub means: &'static str,
    /// The usual cure.
    pub cure: &'static str,
    pub turn: Turn,
    /// What has to be given, where it is not.
    pub needs: fn(&Options) -> Option<&'static str>,
    pub plan: fn(&Options) -> Plan,
    pub drive: for<'a> fn(&'a Session) -> Local<'a, Vec<Case>>,
}

/// Whether a sweep should break off: what was seen is a finding already.
fn enough(cases: &[Case]) -> bool {
    cases.iter().filter(|case| case.silent()).count() >= SILENT
}

fn nothing(_: &Options) -> Option<&'static str> {
    None
}

macro_rules! check {
    ($name:literal, $turn:ident, $needs:expr, $plan:expr, $drive:expr, $provokes:literal, $means:literal, $cure:literal) => {
        Check {
            name: $name,
            provokes: $provokes,
            means: $means,
            cure: $cure,
            turn: Turn::$turn,
            needs: $needs,
            plan: $plan,
            drive: |session| Box::pin($drive(session)),
        }
    };
}

/// All checks; `baseline` first, since everything else rests on it.
pub const CHECKS: &[Check] = &[
    check!(
        "baseline",
        First,
        nothing,
        baseline::plan,
        baseline::drive,
        "two intents, two keys, equal amount",
        "two orders with the same content are taken for one",
        "deduplicate by the key, never by the content"
    ),
    check!(
        "replay",
        Staged,
        nothing,
        replay::again_plan,
        replay::again,
        "the same request again after success",
        "any retry after success charges again",
        "store the key with the charge; answer a repeat with the first receipt"
    ),
    check!(
        "replay_elsewhere",
        Staged,
        nothing,
        replay::elsewhere_plan,
        replay::elsewhere,
        "again over another connection, from another address, with another X-Request-Id, with another User-Agent",
        "the key counts only together with something that changes between retries",
        "scope the key to the principal, not to the address or to headers"
    ),
    check!(
        "equivalent_body",
        Staged,
        nothing,
        replay::equivalent_plan,
        replay::equivalent,
        "again with fields reordered and white space changed",
        "the key counts only together with the body's bytes",
        "look up by the key alone; compare a canonical form, and refuse what differs"
    ),
    check!(
        "pre_fail",
        Staged,
        nothing,
        after_reply::pre_fail_plan,
        after_reply::pre_fail,
        "the proxy answers 503 and never forwards; retry",
        "a first delivery by a retry is not charged once",
        "treat the first request that arrives as the first, whatever the client counts"
    ),
    check!(
        "post_drop",
        Staged,
        nothing,
        after_reply::plan,
        after_reply::post_drop,
        "the proxy reads the whole reply, then resets the client; retry",
        "a reply lost on the way costs a second charge",
        "store the key with the charge; answer a repeat with the first receipt"
    ),
    check!(
        "post_slow",
        Staged,
        nothing,
        after_reply::plan,
        after_reply::post_slow,
        "the proxy holds the reply past the client's timeout; retry at once, and again later",
        "a client's timeout costs a second charge",
        "store the key with the charge; answer a repeat with the first receipt"
    ),
    check!(
        "post_error",
        Staged,
        nothing,
        after_reply::plan,
        after_reply::post_error,
        "the target commits and says 200, the proxy says 502; retry",
        "a gateway's error costs a second charge",
        "store the key with the charge; answer a repeat with the first receipt"
    ),
    check!(
        "half_reply",
        Staged,
        nothing,
        after_reply::half_reply_plan,
        after_reply::half_reply,
        "the reply is cut in the middle of its body; retry",
        "a broken reply costs a second charge",
        "store the key with the charge; answer a repeat with the first receipt"
    ),
    check!(
        "half_request",
        Staged,
        nothing,
        upload::plan,
        upload::drive,
        "the upload stops half-way; then the whole request",
        "a request that never came whole charges, or blocks its key",
        "take the key when the request is whole; give it up when the client is gone"
    ),
    check!(
        "cut",
        Staged,
        nothing,
        cut::plan,
        cut::drive,
        "the upstream connection is closed, by FIN and by RST, at swept moments; retry at once and later",
        "a client that goes away in the middle charges twice, or blocks its key",
        "finish the handler whether or not the client is there, or undo all of it, the key included"
    ),
    check!(
        "race_2",
        Staged,
        nothing,
        |o| race::plan(o, 2),
        |s| race::drive(s, 2),
        "two simultaneous duplicates on open connections, in rounds, and swept across the first one's end",
        "look-up and charge are two steps, and a duplicate comes between them",
        "take the key in one atomic step: a unique constraint, a conditional write, SET NX"
    ),
    check!(
        "race_8",
        Staged,
        nothing,
        |o| race::plan(o, 8),
        |s| race::drive(s, 8),
        "eight simultaneous duplicates on open connections, in rounds, and swept across the first one's end",
        "look-up and charge are two steps, and a duplicate comes between them",
        "take the key in one atomic step: a unique constraint, a conditional write, SET NX"
    ),
    check!(
        "double_delivery",
        Staged,
        nothing,
        deliver::double_plan,
        deliver::double,
        "the proxy delivers the same bytes twice, at once and after the first reply",
        "a load balancer that retries costs a second charge",
        "take the key in one atomic step, and store it with the charge"
    ),
    check!(
        "late_arrival",
        Staged,
        nothing,
        deliver::late_plan,
        deliver::late,
        "copy A is held back whole, retry B completes, then A is let go",
        "a packet that comes late costs a second charge",
        "keep keys longer than anything can be under way"
    ),
    check!(
        "key_reuse",
        Staged,
        nothing,
        keys::reuse_plan,
        keys::reuse,
        "same key with another amount and with another intent, after completion and in flight",
        "a client's mistake with keys is answered with an old success, or charges twice",
        "store a fingerprint of the request with the key; refuse another one with 422"
    ),
    check!(
        "no_key",
        Staged,
        nothing,
        keys::none_plan,
        keys::none,
        "two intents without a key",
        "requests without a key are taken for each other",
        "refuse a request without a key, or take each for a new one"
    ),
    check!(
        "crowd",
        Staged,
        nothing,
        crowd::plan,
        crowd::drive,
        "eight intents with eight keys at once, then each once more",
        "under load one key damages another",
        "keep the state of each key apart; no shared current key"
    ),
    check!(
        "odd_keys",
        Staged,
        nothing,
        keys::odd_plan,
        keys::odd,
        "keys that differ in letter case, at the very end, in a second header line, in white space; empty, non-ASCII",
        "two keys are taken for one",
        "compare keys whole and by their bytes; refuse what cannot be stored"
    ),
    check!(
        "bad_credential_first",
        Staged,
        credentials::needs_authorization,
        credentials::missing_plan,
        credentials::missing,
        "first without Authorization, then with it, same key",
        "a refusal is stored under the key, so the valid request never executes",
        "check who asks before the key is looked at"
    ),
    check!(
        "server_error_first",
        Staged,
        handler::needs,
        handler::plan,
        handler::drive,
        "the handler fails once before its side effect; the identical bytes again",
        "a failure is kept under its key, so a retry never succeeds, or the retry charges twice",
        "give the key up when the handler fails before its side effect"
    ),
    check!(
        "principals",
        Staged,
        credentials::needs_other,
        credentials::two_plan,
        credentials::two,
        "same key and body under two credentials",
        "one customer gets another's receipt",
        "make the principal a part of the stored key"
    ),
    check!(
        "window",
        Beside,
        window::needs,
        window::plan,
        window::drive,
        "replay just before and just after the promised window",
        "keys are forgotten before the promised time",
        "keep keys at least for the window, which covers the longest span of retries"
    ),
    check!(
        "replicas",
        Staged,
        race::needs_replicas,
        race::replicas_plan,
        race::replicas,
        "attempt at one address, retry at another; race across addresses",
        "each replica has its own memory of keys",
        "keep keys in one store that all replicas share, with a unique constraint"
    ),
    check!(
        "restart",
        Last,
        restart::needs,
        restart::plan,
        restart::drive,
        "killed after success, in the middle of a request, and when its ledger item appears; replay",
        "the keys die with the process, or are written apart from the charge",
        "write the key in the same transaction as the charge"
    ),
];
