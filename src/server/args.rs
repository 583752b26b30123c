//! Options of `idem serve`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::mcp::tool::{Hints, SPOKEN};
use super::policy::Policy;
use crate::mcp::version::Version;
use crate::terms::named::by_name;
use crate::text::duration::duration;

/// Run the charge server of the scenarios, to try the probe and the proxy on
///
/// POST /charges {"intent":"ord-001","amount":1000} with an Idempotency-Key. Every charge is a line of the ledger; the
/// key store is in memory, but under key_durable, which finds its keys again in the ledger.
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub struct ServeArgs {
    /// Dedup policy: naive, key_atomic, key_racy, key_ttl, content_hash or key_durable
    #[arg(long, value_name = "POLICY", value_parser = Policy::parse)]
    pub policy: Policy,

    /// Address and port; port 0 takes a free one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,

    /// The ledger: JSON lines, made where it is missing, else continued
    #[arg(long, value_name = "FILE")]
    pub ledger: PathBuf,

    /// Window of key_ttl (dedup) or key_racy (check-then-act) instead of 100ms and 50ms
    ///
    /// A dedup window must reach until a client's last attempt can have arrived: (attempts - 1) x (timeout + backoff) after
    /// the first, plus what a packet may be late.
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub window: Option<Duration>,

    /// Be a tool `charge` of the Model Context Protocol at /mcp, with the arguments intent, amount, idempotency_key
    #[arg(long)]
    pub mcp: bool,

    /// Serve the tool over standard input and output instead of HTTP
    #[arg(long, requires = "mcp", conflicts_with = "listen")]
    pub stdio: bool,

    /// What the tool claims of itself: true, none, idempotent or read-only
    #[arg(long, value_name = "HINTS", requires = "mcp", value_parser = Hints::parse, default_value = "true")]
    pub hints: Hints,

    /// Speak only this revision of the protocol: 2025-06-18, 2025-11-25 or 2026-07-28 [default: all three]
    #[arg(long, value_name = "REVISION", requires = "mcp", value_parser = revision)]
    pub revision: Option<Version>,

    /// Answer calls by event streams
    #[arg(long, requires = "mcp", conflicts_with = "stdio")]
    pub events: bool,

    /// Let the tool ask its client to confirm each charge; revision 2026-07-28
    #[arg(long, requires = "mcp")]
    pub asks: bool,
}

fn revision(name: &str) -> Result<Version, String> {
    by_name(name, SPOKEN.into_iter(), |version| version.name())
}
