//! `idem`: parse, dispatch, print the error chain, return the exit code. Invariant: nothing is decided here.
#![forbid(unsafe_code)]

mod address;
mod attempt;
mod baseline;
mod canonical;
mod classify;
mod cli;
mod client;
mod endpoint;
mod exit;
mod fault;
mod http1;
mod input;
mod intent;
mod interrupt;
mod ledger;
mod ledger_dir;
mod lines;
mod named;
mod outcome;
mod output;
mod pointer;
mod policy;
mod probe;
mod progress;
mod proxy;
mod reading;
mod reconcile;
mod report;
mod retry;
mod retry_after;
mod run;
mod scenario;
mod selftest;
mod serve;
mod server;
mod trial;
mod ttl;
mod verdict;

use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

use cli::{Cli, Command};
use exit::Exit;
use output::say;

fn main() -> ExitCode {
    let exit = match Cli::try_parse() {
        Ok(cli) => run(cli.command).unwrap_or_else(|error| {
            say!("idem: error: {error:#}");
            Exit::Precondition
        }),
        Err(usage) => refuse(usage),
    };
    exit.into()
}

fn run(command: Command) -> anyhow::Result<Exit> {
    match command {
        Command::Probe(args) => probe::command(&args),
        Command::Serve(args) => serve::command(&args),
        Command::Selftest(args) => selftest::command::run(&args),
        Command::Reconcile(args) => reconcile::command::run(&args),
        Command::Proxy(args) => proxy::command(&args),
        Command::Classify(args) => classify::command(&args),
    }
}

/// Help goes to standard output; a usage error is one line. The parser's own exit code for it, 2, would collide with
/// a finding's.
fn refuse(usage: clap::Error) -> Exit {
    match usage.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            // A reader that has gone away is no reason for another exit code.
            let _ = usage.print();
            return Exit::Ok;
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => say!("{}", usage.render().to_string().trim_end()),
        _ => say!("idem: {}; see --help", one_line(&usage.render().to_string())),
    }
    Exit::Precondition
}

/// The parser's message and tips, without its usage block.
fn one_line(message: &str) -> String {
    let sayings = message.lines().map(str::trim).take_while(|line| !line.starts_with("Usage:"));
    let sayings = sayings.filter(|line| !line.is_empty() && !line.starts_with("For more information"));
    sayings.collect::<Vec<_>>().join("; ")
}
