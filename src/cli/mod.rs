//! The command line: one file of options per command. Invariant: nothing is decided here but usage.

pub mod classify;
pub mod duration;
pub mod endpoint;
pub mod probe;
pub mod proxy;
pub mod reconcile;
pub mod selftest;
pub mod serve;

use clap::{Parser, Subcommand};

/// Are we charging twice?
///
/// Provokes each kind of failure on real sockets, retries as a client would, and counts the ledger.
#[derive(Parser)]
#[command(name = "idem", version, verbatim_doc_comment, arg_required_else_help = true, after_help = EXIT_CODES)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

const EXIT_CODES: &str = "\
Exit codes: 0 all as declared, 2 a finding, 3 bad usage or input, 4 nothing to judge, 5 selftest failed, 130 interrupted";

#[derive(Subcommand)]
pub enum Command {
    Probe(Box<probe::ProbeArgs>),
    Selftest(selftest::Args),
    Classify(classify::ClassifyArgs),
    Reconcile(reconcile::Args),
    Serve(serve::ServeArgs),
    Proxy(Box<proxy::ProxyArgs>),
}
