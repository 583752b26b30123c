//! The command line: which command, and its arguments. Invariant: nothing is decided here but usage and who is called.

use clap::{Args, CommandFactory, Parser, Subcommand};

use crate::config::args::ConfigArgs;
use crate::probe::args::{EXAMPLES, ProbeArgs};
use crate::target::args::TargetArgs;
use crate::target::chaos;
use crate::target::chaos::args::ChaosArgs;
use crate::target::mcp::args::McpArgs;
use crate::terms::exit::Exit;
use crate::{classify, explain, init, key, probe, proxy, reconcile, selftest, server, target};

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
    Probe(Box<Probe>),
    Selftest(selftest::args::Args),
    Classify(classify::args::ClassifyArgs),
    Reconcile(reconcile::args::Args),
    Serve(server::args::ServeArgs),
    Proxy(Box<proxy::args::ProxyArgs>),
    Init(Box<init::args::InitArgs>),
    Key(key::args::KeyArgs),
    Explain(explain::args::ExplainArgs),
    Completions(explain::manual::CompletionsArgs),
    Man(explain::manual::ManArgs),
}

/// Measure the ten scenarios on real sockets, or with --target your own server
///
/// Each scenario gets a fresh charge server on its own loopback port and a fresh ledger. A failure is provoked, the
/// client retries, and the ledger is read back and counted: requests, charges, unique, duplicates, lost. OK means that
/// the row measured is the row declared.
///
/// With --target the same failures are provoked at your own server, and its own records are counted; with --mcp at the
/// tools of an MCP server.
#[derive(Args)]
#[command(verbatim_doc_comment, after_help = EXAMPLES)]
pub struct Probe {
    /// Probe this target of idem.toml: NAME for [target.NAME], or `target` for [target] itself
    #[arg(value_name = "NAME")]
    name: Option<String>,
    #[command(flatten)]
    config: ConfigArgs,
    #[command(flatten)]
    of_scenarios: ProbeArgs,
    #[command(flatten)]
    of_target: TargetArgs,
    #[command(flatten)]
    of_chaos: ChaosArgs,
    #[command(flatten)]
    of_mcp: McpArgs,
}

impl Command {
    /// # Errors
    /// A precondition failed.
    pub fn run(&self) -> anyhow::Result<Exit> {
        match self {
            Command::Probe(args) if args.of_chaos.is_given() => {
                chaos::command(&args.of_scenarios, &args.of_target, &args.of_chaos)
            }
            Command::Probe(args) if args.of_mcp.is_given() => {
                target::mcp::command(&args.of_scenarios, &args.of_target, &args.of_mcp)
            }
            Command::Probe(args) if args.of_target.is_given() => target::command(&args.of_scenarios, &args.of_target),
            Command::Probe(args) => probe::command(&args.of_scenarios),
            Command::Init(args) => init::command(args),
            Command::Selftest(args) => selftest::command(args),
            Command::Classify(args) => classify::command(args),
            Command::Reconcile(args) => reconcile::command(args),
            Command::Serve(args) => server::command(args),
            Command::Proxy(args) => proxy::command(args),
            Command::Key(args) => key::command(args),
            Command::Explain(args) => explain::command(args),
            Command::Completions(args) => explain::manual::completions(args, Cli::command()),
            Command::Man(args) => explain::manual::man(args, Cli::command()),
        }
    }
}
