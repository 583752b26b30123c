//! The options of `idem classify`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, value_parser};

/// Read the failures that clients logged: may the money have moved, and what to do now
///
/// Takes JSON lines, a JSON list, one JSON object, or what `idem probe --format json` prints, told apart by content.
#[derive(Args)]
#[command(verbatim_doc_comment, after_help = EXAMPLES)]
pub struct ClassifyArgs {
    /// File to read; `-` or nothing for standard input
    #[arg(long, value_name = "FILE")]
    pub input: Option<PathBuf>,
    /// How to print the results
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Take each line as a plain error message instead of JSON
    #[arg(long)]
    pub text: bool,
    /// Print the summary alone
    #[arg(long)]
    pub summary: bool,
    /// Exit with 2 for an unresolved intent as well
    #[arg(long)]
    pub strict: bool,
    /// Intents, and keys, that findings look back over
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = value_parser!(u32).range(1..=10_000_000))]
    pub lookback: u32,
}

/// How results are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Aligned lines for people
    Text,
    /// One JSON object a line
    Jsonl,
}

const EXAMPLES: &str = "\
Examples:
  curl -w '%{json}' ... | idem classify
  idem classify --input payments.log.json --summary
  grep 'charge failed' app.log | idem classify --text

Exit codes: 0 no finding, 2 findings, 3 bad usage or malformed input, 4 no reading at all";
