//! The command line with the file's options put in. Invariant: `idem probe` probes a server of the file only where its name
//! is given, since a probe makes real charges; whatever comes from a file is said.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail};
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};

use super::file::File;
use super::table::{self, Origin};
use crate::console::output::say;

/// The file that is looked for where none is named.
pub const FILE: &str = "idem.toml";

/// A command line, whole.
#[derive(Debug, Default)]
pub struct Expanded {
    pub arguments: Vec<OsString>,
    origins: Vec<Origin>,
}

impl Expanded {
    /// The place in the file of an option that a message is about; None for one of the command line.
    pub fn place(&self, message: &str) -> Option<&str> {
        let named = |origin: &&Origin| {
            let behind = message.split_once(&origin.option).map(|(_, behind)| behind);
            behind.is_some_and(|behind| !behind.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '-'))
        };
        self.origins.iter().find(named).map(|origin| origin.place.as_str())
    }
}

/// Puts in what the file says for this command.
///
/// # Errors
/// The file cannot be read, or something in it is wrong; or a name is given that it does not have.
pub fn expand(cli: Command, arguments: Vec<OsString>) -> anyhow::Result<Expanded> {
    // Usage is judged when all is there; here only what is given counts.
    let given = cli.clone().ignore_errors(true).try_get_matches_from(&arguments);
    let given = given.ok().and_then(|mut matches| matches.remove_subcommand());
    let Some((name, given)) = given.filter(|(name, _)| matches!(name.as_str(), "probe" | "classify" | "proxy")) else {
        return Ok(Expanded { arguments, ..Expanded::default() });
    };
    let Some((file, table)) = wanted(&name, &given)? else {
        return Ok(Expanded { arguments, ..Expanded::default() });
    };
    let entries = file.entries(&table).unwrap_or_default();
    let mut cli = cli;
    cli.build();
    let command = cli.find_subcommand(&name).expect("it was found in the arguments");
    let is_given = |arg: &Arg| given.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine);
    let (added, origins) = table::arguments(command, (&file.name, &table), &entries, is_given)?;
    if name == "probe" && !entries.iter().any(|entry| entry.key == "target") && !flag(&given, "target") {
        bail!("{}: [{table}] names no endpoint: set target = \"http://...\"", file.name);
    }
    say!("idem: with [{table}] of {}", file.name);
    let at = arguments.iter().position(|argument| argument.to_str() == Some(&name)).map_or(0, |at| at + 1);
    let (head, tail) = arguments.split_at(at);
    Ok(Expanded { arguments: [head, &added, tail].concat(), origins })
}

/// The file and the table in it that the arguments ask for; None where they ask for none.
fn wanted(command: &str, given: &ArgMatches) -> anyhow::Result<Option<(File, String)>> {
    let named = given.try_get_one::<PathBuf>("config").ok().flatten();
    let path = named.map_or(Path::new(FILE), PathBuf::as_path);
    let is_there = named.is_some() || path.exists();
    if command != "probe" {
        let file = if is_there { Some(File::read(path)?) } else { None };
        return Ok(file.filter(|file| file.entries(command).is_some()).map(|file| (file, command.to_owned())));
    }
    let Some(name) = given.try_get_one::<String>("name").ok().flatten() else {
        return match named {
            Some(path) => bail!("--config {}: name the target as well, as in `idem probe NAME`", path.display()),
            None => Ok(None),
        };
    };
    if !is_there {
        bail!("{name}: there is no {FILE} here: `idem init` writes one, and --config names another");
    }
    let file = File::read(path)?;
    let table = if name == "target" { name.clone() } else { format!("target.{name}") };
    if file.entries(&table).is_none() {
        return Err(unknown(name, &file));
    }
    Ok(Some((file, table)))
}

fn unknown(name: &str, file: &File) -> anyhow::Error {
    match file.targets()[..] {
        [] => anyhow!("{name}: {} has no [target]", file.name),
        ref names => anyhow!("{name}: {} has no [target.{name}]; it has {}", file.name, names.join(", ")),
    }
}

fn flag(given: &ArgMatches, id: &str) -> bool {
    given.value_source(id) == Some(ValueSource::CommandLine)
}
