//! The page about `idem.toml`. Invariant: the keys are the options of the commands, with the words of their help.

use clap::{Args, Command};

use super::page::{item, paragraph};
use crate::classify::args::ClassifyArgs;
use crate::config::{self, options};
use crate::proxy::args::ProxyArgs;

pub fn page() -> String {
    let tables = [
        ("[target], [target.NAME]", config::target()),
        ("[classify]", ClassifyArgs::augment_args(Command::new("classify"))),
        ("[proxy]", ProxyArgs::augment_args(Command::new("proxy"))),
    ];
    let tables = tables.map(|(name, command)| format!("{name}\n{}", keys(&command)));
    format!("{}\n\n{}", include_str!("texts/config.txt").trim_end(), tables.join("\n\n"))
}

fn keys(command: &Command) -> String {
    let key = |arg: &clap::Arg| {
        let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
        item(arg.get_long().unwrap_or_default(), 20, &paragraph(&help, 0))
    };
    options(command).map(|arg| format!("  {}", key(arg).replace('\n', "\n  "))).collect::<Vec<_>>().join("\n")
}
