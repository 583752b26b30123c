//! The options of `idem classify`.

use std::fs::File;
use std::io::{self, IsTerminal};
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use clap::value_parser;

use crate::classify::{self, Format, Options};
use crate::exit::Exit;
use crate::{input, interrupt};

/// Tells of each failure that a client logged whether the money may have moved, and what to do now.
///
/// Reads JSON lines, a JSON list, one JSON object, or what `idem probe --format json` prints; told apart by content.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct ClassifyArgs {
    /// File to read; `-` or nothing for standard input
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// How to print the results
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Take each line as a plain error message instead of JSON
    #[arg(long)]
    text: bool,
    /// Print the summary alone
    #[arg(long)]
    summary: bool,
    /// Exit with 2 for an unresolved intent as well
    #[arg(long)]
    strict: bool,
    /// Intents, and keys, that findings look back over
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = value_parser!(u32).range(1..=10_000_000))]
    lookback: u32,
}

const EXAMPLES: &str = "\
Examples:
  curl -w '%{json}' ... | idem classify
  idem classify --input payments.log.json --summary
  grep 'charge failed' app.log | idem classify --text

Exit codes: 0 no finding, 2 findings, 3 bad usage or malformed input, 4 no reading at all";

impl ClassifyArgs {
    /// Opens the input and classifies it.
    pub fn run(self) -> anyhow::Result<Exit> {
        interrupt::exit_on_signal()?;
        let options = Options {
            format: self.format,
            summary: self.summary,
            text: self.text,
            strict: self.strict,
            lookback: self.lookback as usize,
        };
        let path = self.input.unwrap_or_else(|| PathBuf::from("-"));
        let name = input::name(&path);
        if !input::is_stdin(&path) {
            // Not through `input::open`: the reader has its own buffer, and a second one costs a copy.
            let file = File::open(&path).with_context(|| format!("cannot open {name}"))?;
            return Ok(classify::run(file, &name, &options));
        }
        if io::stdin().is_terminal() {
            anyhow::bail!("no input: pipe readings in, or give --input FILE; see `idem classify --help`");
        }
        Ok(classify::run(io::stdin().lock(), &name, &options))
    }
}
