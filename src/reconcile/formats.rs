//! The options that say how records are read, validated. Invariant: every place is a pointer or a column, as its input
//! asks for, and no option is given that would change nothing.

use anyhow::{Context, anyhow, ensure};

use super::args::Args;
use super::records::{Fields, Format, Window};
use crate::text::pointer::Pointer;

/// A place as it is written, and the option that says so.
#[derive(Clone, Debug)]
struct Place {
    written: String,
    option: &'static str,
}

/// How the ledger and the expected intents are read.
///
/// # Errors
/// Names the option, what is wrong with it, and what to give instead.
pub fn formats(args: &Args) -> anyhow::Result<(Format, Format)> {
    let window = window(args)?;
    let default = if args.csv { "intent" } else { "/intent" };
    let ledger = Fields {
        intent: Place::new(args.intent_at.as_deref().unwrap_or(default), "--intent-at"),
        amount: args.amount_at.as_deref().map(|at| Place::new(at, "--amount-at")),
        time: args.time_at.as_deref().map(|at| (Place::new(at, "--time-at"), window)),
        filters: args.filters.iter().map(|text| filter(text)).collect::<Result<_, _>>()?,
    };
    let of = |own: &Option<String>, option, ledger: &Place| match own {
        Some(at) => Place::new(at, option),
        None => ledger.elsewhere(args.csv, args.expected_csv),
    };
    let expected = Fields {
        intent: of(&args.expected_at, "--expected-at", &ledger.intent),
        amount: ledger.amount.as_ref().map(|at| of(&args.expected_amount_at, "--expected-amount-at", at)),
        time: ledger.time.as_ref().map(|(at, window)| (of(&args.expected_time_at, "--expected-time-at", at), *window)),
        filters: Vec::new(),
    };
    let items = args.ledger_items.as_deref().map(|at| Place::new(at, "--ledger-items").pointer()).transpose()?;
    let ledger = match (args.csv, items) {
        (true, _) => Format::Csv(ledger.at(Place::column)?),
        (false, Some(items)) => Format::Items(ledger.at(Place::pointer)?, items),
        (false, None) => Format::Json(ledger.at(Place::pointer)?),
    };
    let expected = match args.expected_csv {
        true => Format::Csv(expected.at(Place::column)?),
        false => Format::Names(expected.at(Place::pointer)?),
    };
    Ok((ledger, expected))
}

fn window(args: &Args) -> anyhow::Result<Window> {
    let Args { since, until, time_at, .. } = args;
    ensure!(time_at.is_none() || since.or(*until).is_some(), "--time-at changes nothing: give --since or --until");
    let is_empty = since.zip(*until).is_some_and(|(since, until)| since >= until);
    ensure!(!is_empty, "--until: give a time after that of --since");
    Ok(Window { since: *since, until: *until })
}

/// `POINTER=VALUE`.
fn filter(text: &str) -> anyhow::Result<(Place, String)> {
    let (at, value) = text
        .split_once('=')
        .with_context(|| format!("--where {text}: give the place and the value, as /status=captured"))?;
    Ok((Place::new(at, "--where"), value.to_owned()))
}

impl Place {
    fn new(written: &str, option: &'static str) -> Place {
        Place { written: written.to_owned(), option }
    }

    /// The same name in the other input, which may be of the other kind.
    fn elsewhere(&self, from_csv: bool, to_csv: bool) -> Place {
        let written = match (from_csv, to_csv) {
            (true, false) => format!("/{}", self.written.replace('~', "~0").replace('/', "~1")),
            (false, true) => self.written.trim_start_matches('/').to_owned(),
            (true, true) | (false, false) => self.written.clone(),
        };
        Place { written, option: self.option }
    }

    fn pointer(&self) -> anyhow::Result<Pointer> {
        self.written.parse().map_err(|why| anyhow!("{} {}: {why}", self.option, self.written))
    }

    fn column(&self) -> anyhow::Result<String> {
        ensure!(!self.written.is_empty(), "{}: give the name of a column", self.option);
        Ok(self.written.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_keeps_its_name_in_the_other_kind_of_input() {
        let elsewhere = |written, from, to| Place::new(written, "--x").elsewhere(from, to).written;
        assert_eq!(elsewhere("a/b~", true, false), "/a~1b~0");
        assert_eq!(elsewhere("/order", false, true), "order");
        assert_eq!(elsewhere("/order", false, false), "/order");
        assert_eq!(elsewhere("order", true, true), "order");
    }
}
