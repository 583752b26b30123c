//! `idem`: parse, dispatch, print the error chain, return the exit code. Invariant: nothing is decided here.
#![forbid(unsafe_code)]
// Text from outside is never cut by a byte index: half a character would end the run.
#![deny(clippy::string_slice)]

mod classify;
mod cli;
mod console;
mod explain;
mod http;
mod key;
mod probe;
mod proxy;
mod reconcile;
mod selftest;
mod server;
mod target;
mod terms;
mod text;

use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

use cli::Cli;
use console::output::say;
use terms::exit::Exit;

fn main() -> ExitCode {
    let exit = match Cli::try_parse() {
        Ok(cli) => cli.command.run().unwrap_or_else(|error| {
            say!("idem: error: {error:#}");
            Exit::Precondition
        }),
        Err(usage) => refuse(usage),
    };
    exit.into()
}

/// Help goes to standard output; a usage error is one line. The parser's own exit code for it, 2, would collide with
/// a finding's.
fn refuse(usage: clap::Error) -> Exit {
    match usage.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            // A reader that has gone away does not change the exit code.
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
