//! `idem`: parse, dispatch, print the error chain, return the exit code. Invariant: nothing is decided here.
#![forbid(unsafe_code)]
// Text from outside is never cut by a byte index: half a character would end the run.
#![deny(clippy::string_slice)]

mod classify;
mod cli;
mod config;
mod console;
mod explain;
mod http;
mod init;
mod key;
mod mcp;
mod probe;
mod proxy;
mod reconcile;
mod selftest;
mod server;
mod target;
mod terms;
mod text;

use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};

use cli::Cli;
use config::Expanded;
use console::output::say;
use terms::exit::Exit;

fn main() -> ExitCode {
    let exit = match config::expand(Cli::command(), std::env::args_os().collect()) {
        Ok(line) => run(&line),
        Err(error) => fail(None, &format!("{error:#}")),
    };
    exit.into()
}

fn run(line: &Expanded) -> Exit {
    match Cli::try_parse_from(&line.arguments) {
        Ok(cli) => cli.command.run().unwrap_or_else(|error| {
            let error = format!("{error:#}");
            fail(line.place(&error), &error)
        }),
        Err(usage) => refuse(usage, line),
    }
}

/// An error in one line, with its place in the file where it is about an option that came from there.
fn fail(place: Option<&str>, error: &str) -> Exit {
    match place {
        Some(place) => say!("idem: error: {place}: {error}"),
        None => say!("idem: error: {error}"),
    }
    Exit::Precondition
}

/// Help goes to standard output; a usage error is one line. The parser's own exit code for it, 2, would collide with
/// a finding's.
fn refuse(usage: clap::Error, line: &Expanded) -> Exit {
    match usage.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            // A reader that has gone away does not change the exit code.
            let _ = usage.print();
            return Exit::Ok;
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => say!("{}", usage.render().to_string().trim_end()),
        _ => {
            let message = one_line(&usage.render().to_string());
            let place = line.place(&message).map_or_else(String::new, |place| format!("{place}: "));
            say!("idem: {place}{message}; see --help");
        }
    }
    Exit::Precondition
}

/// The parser's message and tips, without its usage block.
fn one_line(message: &str) -> String {
    let sayings = message.lines().map(str::trim).take_while(|line| !line.starts_with("Usage:"));
    let sayings = sayings.filter(|line| !line.is_empty() && !line.starts_with("For more information"));
    sayings.collect::<Vec<_>>().join("; ")
}
