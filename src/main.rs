//! `idem`: parse, dispatch, print the error chain, return the exit code. Invariant: nothing is decided here.
#![forbid(unsafe_code)]

mod canonical;
mod classify;
mod cli;
mod exit;
mod http1;
mod intent;
mod named;
mod outcome;
mod output;
mod retry_after;

use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

use cli::{Cli, Command};
use exit::Exit;

fn main() -> ExitCode {
    let exit = match Cli::try_parse() {
        Ok(cli) => run(cli.command).unwrap_or_else(|error| {
            eprintln!("idem: error: {error:#}");
            Exit::Precondition
        }),
        Err(usage) => refuse(usage),
    };
    exit.into()
}

fn run(command: Command) -> anyhow::Result<Exit> {
    match command {
        Command::Classify(args) => args.run(),
    }
}

/// Prints what the parser says. Its own usage code, 2, would collide with a finding's.
fn refuse(usage: clap::Error) -> Exit {
    // A reader that has gone away is no reason for another exit code.
    let _ = usage.print();
    match usage.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Exit::Ok,
        _ => Exit::Precondition,
    }
}
