//! Options of `idem key`.

use clap::ValueEnum;

/// Print the idempotency key and the canonical form of each intent on standard input
///
/// One intent a line: the intent itself as JSON, or a JSON string with its text. Exits 3 when a line is not an intent that
/// has a canonical form; the line is named, and the keys of the others are printed.
#[derive(clap::Args, Debug)]
#[command(verbatim_doc_comment, after_help = EXAMPLES)]
pub struct KeyArgs {
    /// How to print the keys
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// How keys are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Key and canonical form, two spaces apart; what a terminal would act on is escaped
    Text,
    /// One JSON object a line, with `line`, `key` and `canonical`
    Jsonl,
}

const EXAMPLES: &str = "\
Examples:
  echo '{\"intent\": \" ord-001 \", \"amount\": 1000}' | idem key
  jq -c .order orders.json | idem key --format jsonl

Exit codes: 0 every line has a key, 3 bad usage or a bad line, 4 no intent at all";
