//! Options of `idem proxy` that concern a command run against it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, value_parser};

use crate::text::duration::duration;

/// A command run against the proxy.
#[derive(Args, Debug)]
#[command(next_help_heading = "Running a command against it")]
pub struct RunArgs {
    /// Where its charges are counted: a file or a URL; DUPLICATE and LOST then come from the records
    #[arg(long, value_name = "FILE|URL", requires = "command")]
    pub ledger: Option<String>,

    /// Command that prints the ledger, run by /bin/sh
    #[arg(long, value_name = "CMD", requires = "command", conflicts_with = "ledger")]
    pub ledger_cmd: Option<String>,

    /// Where a ledger that is one object holds its array of items
    #[arg(long, value_name = "POINTER", requires = "command")]
    pub ledger_items: Option<String>,

    /// Where a ledger item holds the intent [default: /intent]
    #[arg(long, value_name = "POINTER", requires = "command")]
    pub ledger_intent_at: Option<String>,

    /// Header for the ledger's GET
    #[arg(long, value_name = "K: V", requires = "command")]
    pub ledger_header: Vec<String>,

    /// The ledger is read until it has not changed for so long [default: 300ms]
    #[arg(long, value_name = "DURATION", value_parser = duration, requires = "command")]
    pub ledger_lag: Option<Duration>,

    /// Kill the command when the server has replied (with late_arrival: when the request is held), before the command is
    /// told, and run it again once
    #[arg(long, requires = "command", conflicts_with = "audit")]
    pub kill_client: bool,

    /// Run the command under each fault, killed in the middle, and answered 503 for ever, and say for the checklist's
    /// points 3, 9, 10 and 11: held, broken or not shown
    #[arg(long, requires = "command", conflicts_with = "fault")]
    pub audit: bool,

    /// The file that the command's own log goes to: with --audit it must number the attempts
    #[arg(long, value_name = "FILE", requires = "command", conflicts_with = "fault")]
    pub client_log: Option<PathBuf>,

    /// Attempts that one intent may take; more are a finding (with --audit 100, where none is given)
    #[arg(long, value_name = "N", requires = "command", value_parser = value_parser!(u32).range(1..))]
    pub max_attempts: Option<u32>,

    /// Time that one intent may take from its first attempt to its last; longer is a finding (--audit watches 60s of an
    /// endless failure, where none is given)
    #[arg(long, value_name = "DURATION", requires = "command", value_parser = duration)]
    pub max_span: Option<Duration>,

    /// The command and its arguments; it finds the proxy's URL in IDEM_PROXY, and a name in IDEM_RUN that is another one in
    /// each run, for intents that must be new
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

impl RunArgs {
    pub fn is_given(&self) -> bool {
        !self.command.is_empty()
    }

    /// An option that says how a ledger is read.
    pub fn about_ledger(&self) -> Option<&'static str> {
        [
            (self.ledger_items.is_some(), "--ledger-items"),
            (self.ledger_intent_at.is_some(), "--ledger-intent-at"),
            (!self.ledger_header.is_empty(), "--ledger-header"),
            (self.ledger_lag.is_some(), "--ledger-lag"),
        ]
        .into_iter()
        .find_map(|(is_given, option)| is_given.then_some(option))
    }
}
