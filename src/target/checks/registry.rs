//! The checks as rows, in the order of the report. Invariant: names are part of the interface: --check, the documents
//! and the README name them.

use super::*;

/// What most checks have in common: they need nothing, and run one after another.
const ALWAYS: Check = Check {
    name: "",
    provokes: "",
    means: "",
    cure: "",
    turn: Turn::Staged,
    needs: nothing,
    plan: |_| Plan::new(0, 0),
    drive: |_| Box::pin(async { Vec::new() }),
};

/// All checks; `baseline` first, since everything else rests on it.
pub const CHECKS: &[Check] = &[
    Check {
        name: "baseline",
        provokes: "two intents, two keys, equal amount",
        means: "two orders with the same content are taken for one",
        cure: "deduplicate by the key, never by the content",
        turn: Turn::First,
        needs: nothing,
        plan: baseline::plan,
        drive: |session| Box::pin(baseline::drive(session)),
    },
    Check {
        name: "replay",
        provokes: "the same request again after success",
        means: "any retry after success charges again",
        cure: "store the key with the charge; answer a repeat with the first receipt",
        plan: replay::again_plan,
        drive: |session| Box::pin(replay::again(session)),
        ..ALWAYS
    },
    Check {
        name: "capacity",
        provokes: "a first key again after as many others as --keys says",
        means: "only the newest keys are kept, so a busy hour forgets a retry",
        cure: "bound what is kept by its age, never by its number",
        plan: capacity::plan,
        drive: |session| Box::pin(capacity::drive(session)),
        ..ALWAYS
    },
    Check {
        name: "replay_elsewhere",
        provokes: "again over another connection, from another address, with another X-Request-Id, traceparent, User-Agent, X-Forwarded-For; the first completed or interrupted",
        means: "the key counts only together with something that changes between retries",
        cure: "scope the key to the principal, not to the address or to headers",
        plan: varied::elsewhere_plan,
        drive: |session| Box::pin(varied::elsewhere(session)),
        ..ALWAYS
    },
    Check {
        name: "replay_rewritten",
        provokes: "again in lower case, in chunks, with Expect, by HTTP/1.0, with another Accept, charset, Host or order, body written anew, 100 kB large; the first completed or interrupted",
        means: "the key counts only in the very form that the first request had",
        cure: "read the key and compare the request as HTTP and JSON mean them, not by their bytes",
        plan: varied::written_plan,
        drive: |session| Box::pin(varied::written(session)),
        ..ALWAYS
    },
    Check {
        name: "equivalent_body",
        provokes: "again with fields reordered and white space changed",
        means: "the key counts only together with the body's bytes",
        cure: "look up by the key alone; compare a canonical form, and refuse what differs",
        plan: replay::equivalent_plan,
        drive: |session| Box::pin(replay::equivalent(session)),
        ..ALWAYS
    },
    Check {
        name: "pre_fail",
        provokes: "the proxy answers 503 and never forwards; retry",
        means: "a first delivery by a retry is not charged once",
        cure: "treat the first request that arrives as the first, whatever the client counts",
        plan: after_reply::pre_fail_plan,
        drive: |session| Box::pin(after_reply::pre_fail(session)),
        ..ALWAYS
    },
    Check {
        name: "post_drop",
        provokes: "the proxy reads the whole reply, then resets the client; retry",
        means: "a reply lost on the way costs a second charge",
        cure: "store the key with the charge; answer a repeat with the first receipt",
        plan: after_reply::plan,
        drive: |session| Box::pin(after_reply::post_drop(session)),
        ..ALWAYS
    },
    Check {
        name: "post_slow",
        provokes: "the proxy holds the reply past the client's timeout; retry at once, and again later",
        means: "a client's timeout costs a second charge",
        cure: "store the key with the charge; answer a repeat with the first receipt",
        plan: after_reply::plan,
        drive: |session| Box::pin(after_reply::post_slow(session)),
        ..ALWAYS
    },
    Check {
        name: "post_error",
        provokes: "the target commits and says 200, the proxy says 502; retry",
        means: "a gateway's error costs a second charge",
        cure: "store the key with the charge; answer a repeat with the first receipt",
        plan: after_reply::plan,
        drive: |session| Box::pin(after_reply::post_error(session)),
        ..ALWAYS
    },
    Check {
        name: "half_reply",
        provokes: "the reply is cut in the middle of its body; retry",
        means: "a broken reply costs a second charge",
        cure: "store the key with the charge; answer a repeat with the first receipt",
        plan: after_reply::half_reply_plan,
        drive: |session| Box::pin(after_reply::half_reply(session)),
        ..ALWAYS
    },
    Check {
        name: "left_replay",
        provokes: "the client leaves while a replay, or the refusal of another intent, is answered; then the first request again",
        means: "what a client leaves takes the stored success with it",
        cure: "answer from the store without touching it",
        plan: leave::plan,
        drive: |session| Box::pin(leave::drive(session)),
        ..ALWAYS
    },
    Check {
        name: "half_request",
        provokes: "the upload stops half-way, some halves held for up to 50 ms; the whole request at once or later",
        means: "a request that never came whole charges, or blocks its key",
        cure: "take the key when the request is whole; give it up when the client is gone",
        plan: upload::plan,
        drive: |session| Box::pin(upload::drive(session)),
        ..ALWAYS
    },
    Check {
        name: "cut",
        provokes: "the upstream connection is closed, by FIN and by RST, at swept moments; retry at once and later",
        means: "a client that goes away in the middle charges twice, or blocks its key",
        cure: "finish the handler whether or not the client is there, or undo all of it, the key included",
        plan: cut::plan,
        drive: |session| Box::pin(cut::drive(session)),
        ..ALWAYS
    },
    Check {
        name: "race_2",
        provokes: "two simultaneous duplicates on open connections, in rounds, and swept across the first one's end",
        means: "look-up and charge are two steps, and a duplicate comes between them",
        cure: "take the key in one atomic step: a unique constraint, a conditional write, SET NX",
        plan: |options| race::plan(options, 2),
        drive: |session| Box::pin(race::drive(session, 2)),
        ..ALWAYS
    },
    Check {
        name: "race_8",
        provokes: "eight simultaneous duplicates on open connections, in rounds, and swept across the first one's end",
        means: "look-up and charge are two steps, and a duplicate comes between them",
        cure: "take the key in one atomic step: a unique constraint, a conditional write, SET NX",
        plan: |options| race::plan(options, 8),
        drive: |session| Box::pin(race::drive(session, 8)),
        ..ALWAYS
    },
    Check {
        name: "race_varied",
        provokes: "two simultaneous duplicates, the second from elsewhere or written in another way",
        means: "the lock is taken for the bytes or the sender, not for the key",
        cure: "lock by the key alone, in the scope of the principal",
        plan: varied::race_plan,
        drive: |session| Box::pin(varied::race(session)),
        ..ALWAYS
    },
    Check {
        name: "double_delivery",
        provokes: "the proxy delivers the same bytes twice, at once and after the first reply",
        means: "a load balancer that retries costs a second charge",
        cure: "take the key in one atomic step, and store it with the charge",
        plan: deliver::double_plan,
        drive: |session| Box::pin(deliver::double(session)),
        ..ALWAYS
    },
    Check {
        name: "late_arrival",
        provokes: "copy A is held back whole, retry B completes, then A is let go",
        means: "a packet that comes late costs a second charge",
        cure: "keep keys longer than anything can be under way",
        plan: deliver::late_plan,
        drive: |session| Box::pin(deliver::late(session)),
        ..ALWAYS
    },
    Check {
        name: "key_reuse",
        provokes: "same key with another amount, another intent, and each other field of the body changed; after completion and in flight",
        means: "a client's mistake with keys is answered with an old success, or charges twice",
        cure: "store a fingerprint of the request with the key; refuse another one with 422",
        plan: keys::reuse_plan,
        drive: |session| Box::pin(keys::reuse(session)),
        ..ALWAYS
    },
    Check {
        name: "no_key",
        provokes: "two intents without a key",
        means: "requests without a key are taken for each other",
        cure: "refuse a request without a key, or take each for a new one",
        plan: keys::none_plan,
        drive: |session| Box::pin(keys::none(session)),
        ..ALWAYS
    },
    Check {
        name: "crowd",
        provokes: "eight intents with eight keys at once, then each once more",
        means: "under load one key damages another",
        cure: "keep the state of each key apart; no shared current key",
        plan: crowd::plan,
        drive: |session| Box::pin(crowd::drive(session)),
        ..ALWAYS
    },
    Check {
        name: "odd_keys",
        provokes: "keys that differ in letter case, at the end, in punctuation, in white space, in a second header line; empty, non-ASCII",
        means: "two keys are taken for one",
        cure: "compare keys whole and by their bytes; refuse what cannot be stored",
        plan: odd_keys::plan,
        drive: |session| Box::pin(odd_keys::drive(session)),
        ..ALWAYS
    },
    Check {
        name: "bad_credential_first",
        provokes: "first without Authorization, then with it, same key",
        means: "a refusal is stored under the key, so the valid request never executes",
        cure: "check who asks before the key is looked at",
        turn: Turn::Staged,
        needs: credentials::needs_authorization,
        plan: credentials::missing_plan,
        drive: |session| Box::pin(credentials::missing(session)),
    },
    Check {
        name: "server_error_first",
        provokes: "the handler fails once before its side effect; the identical bytes again",
        means: "a failure is kept under its key, so a retry never succeeds, or the retry charges twice",
        cure: "give the key up when the handler fails before its side effect",
        turn: Turn::Staged,
        needs: handler::needs_before,
        plan: handler::plan,
        drive: |session| Box::pin(handler::before(session)),
    },
    Check {
        name: "server_error_after",
        provokes: "the handler fails once after its side effect; the identical bytes again",
        means: "a failure after the charge gives the key up, and the retry charges again",
        cure: "write the key in the same transaction as the charge, before anything else can fail",
        turn: Turn::Staged,
        needs: handler::needs_after,
        plan: handler::plan,
        drive: |session| Box::pin(handler::after(session)),
    },
    Check {
        name: "refreshed_credential",
        provokes: "the retry with a new token of the same principal",
        means: "the key counts only together with the token, so a retry after a refresh charges again",
        cure: "scope the key to the principal, not to the token",
        turn: Turn::Staged,
        needs: credentials::needs_refreshed,
        plan: credentials::refreshed_plan,
        drive: |session| Box::pin(credentials::refreshed(session)),
    },
    Check {
        name: "principals",
        provokes: "same key and body under two credentials",
        means: "one customer gets another's receipt",
        cure: "make the principal a part of the stored key",
        turn: Turn::Staged,
        needs: credentials::needs_other,
        plan: credentials::two_plan,
        drive: |session| Box::pin(credentials::two(session)),
    },
    Check {
        name: "window",
        provokes: "replay just before and just after the promised window",
        means: "keys are forgotten before the promised time",
        cure: "keep keys at least for the window, which covers the longest span of retries",
        turn: Turn::Beside,
        needs: window::needs,
        plan: window::plan,
        drive: |session| Box::pin(window::drive(session)),
    },
    Check {
        name: "replicas",
        provokes: "attempt at one address, retry at another; race across addresses",
        means: "each replica has its own memory of keys",
        cure: "keep keys in one store that all replicas share, with a unique constraint",
        turn: Turn::Staged,
        needs: race::needs_replicas,
        plan: race::replicas_plan,
        drive: |session| Box::pin(race::replicas(session)),
    },
    Check {
        name: "disruption",
        provokes: "replay, a lost reply and a race while --disrupt lasts, and after --heal",
        means: "a store that is down lets requests through twice, or a lock ends while its holder stands still",
        cure: "refuse what the store cannot answer for; tie the charge to the lock's holder by a fencing token",
        turn: Turn::Last,
        needs: disruption::needs,
        plan: disruption::plan,
        drive: |session| Box::pin(disruption::drive(session)),
    },
    Check {
        name: "restart",
        provokes: "killed after success, in the middle of a request, and when its ledger item appears; replay at once and later, and another payload",
        means: "the keys die with the process, or are written apart from the charge",
        cure: "write the key in the same transaction as the charge",
        turn: Turn::Last,
        needs: restart::needs,
        plan: restart::plan,
        drive: |session| Box::pin(restart::drive(session)),
    },
    Check {
        name: "double_restart",
        provokes: "killed twice after success, asked in between and not; replay",
        means: "a key lives through one restart, not through two",
        cure: "store what is restored as it was stored first",
        turn: Turn::Last,
        needs: restart::needs,
        plan: double_restart::plan,
        drive: |session| Box::pin(double_restart::drive(session)),
    },
];
