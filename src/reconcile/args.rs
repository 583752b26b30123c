//! Options of `idem reconcile`.

use std::path::PathBuf;

use clap::ValueEnum;

use crate::text::pointer::Pointer;

/// Hold your own ledger to the intents you expect: what was charged twice, what was lost, what nobody ordered
///
/// Exits 0 only when nothing is duplicated, nothing lost, and as many charges were committed as intents were expected.
#[derive(clap::Args, Debug)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// Ledger: JSON lines, one charge a line; `-` reads standard input
    #[arg(long, value_name = "FILE")]
    pub ledger: PathBuf,

    /// Expected intents: JSON lines, JSON strings, or plain names, one a line; `-` reads standard input
    #[arg(long, value_name = "FILE")]
    pub expected: PathBuf,

    /// Where a line names its intent (RFC 6901); a string or an integer, `7` and `"7"` are one intent
    #[arg(long, value_name = "POINTER", default_value = "/intent")]
    pub intent_at: Pointer,

    /// The same for expected intents given as JSON lines [default: that of --intent-at]
    #[arg(long, value_name = "POINTER")]
    pub expected_at: Option<Pointer>,

    /// Text names the first 20 offenders, JSON all
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Format,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Format {
    Text,
    Json,
}
