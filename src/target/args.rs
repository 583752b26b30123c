//! The options of `idem probe --target`. Invariant: text in, text out; what the values mean and which of them go together
//! is decided in `target::options`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::text::duration::duration;

/// Probing a user's own server.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "Probing your own server")]
pub struct TargetArgs {
    /// Endpoint to probe; given more than once, the addresses are replicas of one service
    #[arg(long, value_name = "URL", group = "probed", conflicts_with_all = ["scenario", "all", "policy", "intents", "rounds", "repeat", "ledger_dir"])]
    pub target: Vec<String>,
    /// Path to ask for where the target is a Unix socket, as unix:/run/charges.sock
    #[arg(long, value_name = "PATH", requires = "probed")]
    pub path: Option<String>,
    /// Certificate authorities (PEM) to trust for https, beside the built-in ones
    #[arg(long, value_name = "FILE", requires = "probed", conflicts_with = "insecure")]
    pub cacert: Option<PathBuf>,
    /// Do not verify certificates; on loopback only
    #[arg(long, requires = "probed")]
    pub insecure: bool,
    /// Where side effects are counted: a file, a URL, or `none`; each of several, as charges and e-mails, is judged
    #[arg(long, value_name = "FILE|URL", requires = "probed")]
    pub ledger: Vec<String>,
    /// Command that prints the ledger, run by /bin/sh; repeatable
    #[arg(long, value_name = "CMD", requires = "probed", conflicts_with = "ledger")]
    pub ledger_cmd: Vec<String>,
    /// Where a ledger that is one object holds its array of items; once for all ledgers, or once for each
    #[arg(long, value_name = "POINTER", requires = "probed")]
    pub ledger_items: Vec<String>,
    /// Header for the ledger's GET, which carries no other
    #[arg(long, value_name = "K: V", requires = "probed")]
    pub ledger_header: Vec<String>,
    /// How late the ledger may show an item, beyond what the fence tells
    #[arg(long, value_name = "DURATION", value_parser = duration, requires = "probed")]
    pub ledger_lag: Option<Duration>,
    /// Where a ledger item holds the intent; once for all ledgers, or once for each [default: /intent]
    #[arg(long, value_name = "POINTER", requires = "probed")]
    pub intent_at: Vec<String>,
    /// Where a reply holds the receipt, or `none` where it names none [default: /receipt]
    #[arg(long, value_name = "POINTER|none", requires = "probed")]
    pub receipt_at: Option<String>,
    /// Must be true in a reply, or this value (* for any but null), for it to count as success; without it any 2xx does
    #[arg(long, value_name = "POINTER[=VALUE]", requires = "probed")]
    pub success_at: Option<String>,
    /// Request template with {{intent}}, {{amount}}, {{key}}, {{uuid}}, {{now}}, {{now_epoch}}, as the URL and headers may have too [default: {"intent":"{{intent}}","amount":{{amount}}}]
    #[arg(long, value_name = "TEXT|@FILE", requires = "probed")]
    pub body: Option<String>,
    /// Type of the body, as application/x-www-form-urlencoded [default: told from the body: JSON or a form]
    #[arg(long, value_name = "TYPE", requires = "probed")]
    pub content_type: Option<String>,
    /// Request method [default: POST]
    #[arg(long, value_name = "METHOD", requires = "probed")]
    pub method: Option<String>,
    /// Request header, repeatable; its value is masked in every report
    #[arg(long, value_name = "K: V", requires = "probed")]
    pub header: Vec<String>,
    /// Where a 202 names the URL that tells what became of it: a pointer into its body, or `Location`
    #[arg(long, value_name = "POINTER|Location", requires = "poll_done")]
    pub poll: Option<String>,
    /// What stands in the reply of that URL once it is done: this value, `true` without one, * for any but null
    #[arg(long, value_name = "POINTER[=VALUE]", requires = "poll")]
    pub poll_done: Option<String>,
    /// Command that is kept running and prints headers for each request: reads one JSON line, ends each answer with an empty line
    #[arg(long, value_name = "CMD", requires = "probed")]
    pub sign_cmd: Option<String>,
    /// Command that prints headers for all requests, as after a login; run once before the first
    #[arg(long, value_name = "CMD", requires = "probed")]
    pub before_cmd: Option<String>,
    /// Keep the cookies that the target sets, and send them
    #[arg(long, requires = "probed")]
    pub cookies: bool,
    /// Header that carries the key [default: Idempotency-Key]
    #[arg(long, value_name = "NAME", requires = "probed", conflicts_with = "key_in")]
    pub key_header: Option<String>,
    /// What carries the key instead of a header: a JSON field, form:NAME, query:NAME, or url, whose {{intent}} is the key
    #[arg(long, value_name = "POINTER|form:NAME|query:NAME|url", requires = "probed")]
    pub key_in: Option<String>,
    /// hex, uuid, or quoted (a string of RFC 8941, as the IETF draft asks) [default: hex]
    #[arg(long, value_name = "FORMAT", requires = "probed")]
    pub key_format: Option<String>,
    /// A second principal's header, for the check of isolation
    #[arg(long, value_name = "K: V", requires = "probed")]
    pub other_credential: Option<String>,
    /// Command that kills and restarts the server, run by /bin/sh
    #[arg(long, value_name = "CMD", requires = "probed")]
    pub restart_cmd: Option<String>,
    /// Body that makes the handler fail once for an intent, before its side effect
    #[arg(long, value_name = "TEXT|@FILE", requires = "probed")]
    pub fail_body: Option<String>,
    /// Header that makes the handler fail once for an intent, before its side effect
    #[arg(long, value_name = "K: V", requires = "probed")]
    pub fail_header: Option<String>,
    /// Body that makes the handler fail once for an intent, after its side effect
    #[arg(long, value_name = "TEXT|@FILE", requires = "probed")]
    pub fail_after_body: Option<String>,
    /// Header that makes the handler fail once for an intent, after its side effect
    #[arg(long, value_name = "K: V", requires = "probed")]
    pub fail_after_header: Option<String>,
    /// A new token of the same principal: the key must hold with it too
    #[arg(long, value_name = "K: V", requires = "probed")]
    pub refreshed_credential: Option<String>,
    /// Keys between a first request and its retry, for the check of capacity, 1 to 100000 [default: 200]
    #[arg(long, value_name = "N", requires = "probed")]
    pub keys: Option<u64>,
    /// Command that disrupts what the server rests on, run by /bin/sh; repeatable, each with a --heal of its name
    #[arg(long, value_name = "NAME=CMD", requires = "probed")]
    pub disrupt: Vec<String>,
    /// Command that ends the disruption of this name; it always runs, also on interrupt
    #[arg(long, value_name = "NAME=CMD", requires = "probed")]
    pub heal: Vec<String>,
    /// The dedup window that the server promises
    #[arg(long, value_name = "DURATION", value_parser = duration, requires = "probed")]
    pub window: Option<Duration>,
    /// The client's patience for one attempt [default: from the measured baseline]
    #[arg(long, value_name = "DURATION", value_parser = duration, requires = "probed")]
    pub timeout: Option<Duration>,
    /// How long a crashed attempt's key may stay in flight; Retry-After is added [default: 6s]
    #[arg(long, value_name = "DURATION", value_parser = duration, requires = "probed")]
    pub lease: Option<Duration>,
    /// Run this check, after the baseline on which all rest; repeatable
    #[arg(long, value_name = "NAME", requires = "probed")]
    pub check: Vec<String>,
    /// Print the requests and the charges intended, send nothing
    #[arg(long, requires = "probed")]
    pub plan: bool,
    /// What the service does on purpose: stored-errors, silent-reuse, strict-body; repeatable
    #[arg(long, value_name = "DESIGN", requires = "probed")]
    pub accept: Vec<String>,
    /// Allow a host that is not loopback: a probe makes real charges; repeatable
    #[arg(long, value_name = "HOST", requires = "probed")]
    pub allow_host: Vec<String>,
    /// Checks that may run side by side, 1 to 16 [default: 1]
    #[arg(long, value_name = "N", requires = "probed")]
    pub jobs: Option<usize>,
}

impl TargetArgs {
    /// Whether a target is what is to be probed.
    pub fn is_given(&self) -> bool {
        !self.target.is_empty()
    }
}
