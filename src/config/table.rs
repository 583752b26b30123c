//! A table's entries as the arguments that they stand for. Invariant: the options of the command are the only list of keys.

use std::ffi::OsString;

use anyhow::{anyhow, bail};
use clap::{Arg, ArgAction, Args, Command};

use super::file::{Entry, Value};
use crate::target::args::TargetArgs;
use crate::target::chaos::args::ChaosArgs;

/// Where an argument came from.
#[derive(Debug)]
pub struct Origin {
    /// `--key`.
    pub option: String,
    /// `idem.toml:7`.
    pub place: String,
}

/// The arguments of a table's entries, but for those that the command line gives, or gives the contrary of.
///
/// # Errors
/// A key is not an option of the command, or its value is not of its kind; the file and the line are named.
pub fn arguments(
    command: &Command,
    (file, table): (&str, &str),
    entries: &[Entry],
    is_given: impl Fn(&Arg) -> bool,
) -> anyhow::Result<(Vec<OsString>, Vec<Origin>)> {
    let (mut arguments, mut origins) = (Vec::new(), Vec::new());
    for entry in entries {
        let place = format!("{file}:{}", entry.line);
        let arg = option(command, &entry.key).map_err(|near| {
            let meant =
                near.map_or_else(|| "see `idem explain config`".to_owned(), |near| format!("did you mean {near}?"));
            anyhow!("{place}: unknown key `{}` in [{table}]: {meant}", entry.key)
        })?;
        if is_given(arg) || command.get_arg_conflicts_with(arg).into_iter().any(&is_given) {
            continue;
        }
        let option = format!("--{}", entry.key);
        let value = |value: &String| OsString::from(format!("{option}={value}"));
        match (&entry.value, arg.get_action()) {
            (Value::Flag(false), ArgAction::SetTrue) => {}
            (Value::Flag(true), ArgAction::SetTrue) => arguments.push(OsString::from(&option)),
            (_, ArgAction::SetTrue) => bail!("{place}: {} in [{table}]: give true or false", entry.key),
            (Value::One(one), _) => arguments.push(value(one)),
            (Value::Many(many), ArgAction::Append) => arguments.extend(many.iter().map(value)),
            (Value::Many(_), _) => bail!("{place}: {} in [{table}]: give one value, not a list", entry.key),
            (Value::Flag(_), _) => bail!("{place}: {} in [{table}]: give a text or a number", entry.key),
        }
        origins.push(Origin { option, place });
    }
    Ok((arguments, origins))
}

/// The options that describe a target, for whoever lists them.
pub fn target() -> Command {
    ChaosArgs::augment_args(TargetArgs::augment_args(Command::new("target")))
}

/// The options that a table may set, in declared order.
pub fn options(command: &Command) -> impl Iterator<Item = &Arg> {
    const OF_THE_LINE_ALONE: [&str; 3] = ["config", "help", "version"];
    command.get_arguments().filter(|arg| arg.get_long().is_some_and(|long| !OF_THE_LINE_ALONE.contains(&long)))
}

/// The option of a key, or the nearest name of one.
fn option<'c>(command: &'c Command, key: &str) -> Result<&'c Arg, Option<&'c str>> {
    let found = options(command).find(|arg| arg.get_long() == Some(key));
    found.ok_or_else(|| {
        let names = options(command).filter_map(Arg::get_long);
        let near = names.map(|name| (distance(name, key), name)).min();
        near.filter(|(distance, name)| *distance <= 1 + name.len() / 4).map(|(_, name)| name)
    })
}

/// Letters to change, take or add to make one word of the other (Levenshtein), `_` and `-` being one.
fn distance(one: &str, other: &str) -> usize {
    let same = |a: char, b: char| a == b || (matches!(a, '-' | '_') && matches!(b, '-' | '_'));
    let mut row: Vec<usize> = (0..=other.chars().count()).collect();
    for (at, a) in one.chars().enumerate() {
        let mut corner = std::mem::replace(&mut row[0], at + 1);
        for (column, b) in other.chars().enumerate() {
            let changed = corner + usize::from(!same(a, b));
            corner = row[column + 1];
            row[column + 1] = changed.min(corner + 1).min(row[column] + 1);
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command() -> Command {
        let many = Arg::new("header").long("header").action(ArgAction::Append);
        let one = Arg::new("ledger").long("ledger").conflicts_with("ledger-cmd");
        let other = Arg::new("ledger-cmd").long("ledger-cmd");
        let flag = Arg::new("cookies").long("cookies").action(ArgAction::SetTrue);
        Command::new("probe").args([many, one, other, flag, Arg::new("config").long("config")])
    }

    fn of(key: &str, value: Value, given: &str) -> Result<Vec<String>, String> {
        let entry = Entry { key: key.to_owned(), value, line: 7 };
        let given = |arg: &Arg| arg.get_long() == Some(given);
        let made = arguments(&command(), ("idem.toml", "target"), &[entry], given);
        made.map(|(made, _)| made.into_iter().map(|a| a.into_string().unwrap()).collect()).map_err(|e| e.to_string())
    }

    #[test]
    fn a_key_is_its_option() {
        let many = Value::Many(vec!["A: 1".to_owned(), "-".to_owned()]);
        assert_eq!(of("header", many.clone(), ""), Ok(vec!["--header=A: 1".to_owned(), "--header=-".to_owned()]));
        assert_eq!(of("ledger", Value::One("x".to_owned()), ""), Ok(vec!["--ledger=x".to_owned()]));
        assert_eq!(of("cookies", Value::Flag(true), ""), Ok(vec!["--cookies".to_owned()]));
        assert_eq!(of("cookies", Value::Flag(false), ""), Ok(vec![]));
        assert_eq!(
            of("ledger", many, ""),
            Err("idem.toml:7: ledger in [target]: give one value, not a list".to_owned())
        );
        assert!(of("cookies", Value::One("yes".to_owned()), "").is_err_and(|why| why.ends_with("give true or false")));
        assert!(of("ledger", Value::Flag(true), "").is_err_and(|why| why.ends_with("give a text or a number")));
    }

    #[test]
    fn the_command_line_goes_before() {
        assert_eq!(of("ledger", Value::One("x".to_owned()), "ledger"), Ok(vec![]));
        assert_eq!(of("ledger", Value::One("x".to_owned()), "ledger-cmd"), Ok(vec![]), "the contrary of it is given");
        assert_eq!(of("ledger", Value::One("x".to_owned()), "header"), Ok(vec!["--ledger=x".to_owned()]));
    }

    #[test]
    fn an_unknown_key_is_named_with_what_was_meant() {
        let unknown = |key: &str| of(key, Value::Flag(true), "").unwrap_err();
        assert_eq!(unknown("ledgr"), "idem.toml:7: unknown key `ledgr` in [target]: did you mean ledger?");
        assert_eq!(
            unknown("ledger_cmd"),
            "idem.toml:7: unknown key `ledger_cmd` in [target]: did you mean ledger-cmd?"
        );
        assert_eq!(unknown("zzz"), "idem.toml:7: unknown key `zzz` in [target]: see `idem explain config`");
        assert_eq!(unknown("config"), "idem.toml:7: unknown key `config` in [target]: see `idem explain config`");
    }
}
