//! Options of `idem reconcile`.

use std::path::PathBuf;

use clap::ValueEnum;

use crate::text::time::milliseconds;

/// Hold your own ledger to the intents you expect: what was charged twice, what was lost, what nobody ordered
///
/// Exits 0 only when nothing is duplicated, nothing lost, no amount differs, and as many charges were committed as
/// intents were expected.
#[derive(clap::Args, Debug)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// Ledger: a file or a URL with JSON lines, one charge a line, or a JSON array; `-` reads standard input
    #[arg(long, value_name = "FILE|URL", required_unless_present = "ledger_cmd")]
    pub ledger: Option<String>,

    /// Command that prints the ledger, run by /bin/sh
    #[arg(long, value_name = "CMD", conflicts_with = "ledger")]
    pub ledger_cmd: Option<String>,

    /// Where a ledger that is one object holds its array of items
    #[arg(long, value_name = "POINTER", conflicts_with = "csv")]
    pub ledger_items: Option<String>,

    /// Header for the ledger's GET, repeatable
    #[arg(long, value_name = "K: V", requires = "ledger")]
    pub ledger_header: Vec<String>,

    /// Certificate authorities (PEM) to trust for https, beside the built-in ones
    #[arg(long, value_name = "FILE", conflicts_with = "insecure")]
    pub cacert: Option<PathBuf>,

    /// Do not verify certificates; on loopback only
    #[arg(long)]
    pub insecure: bool,

    /// The ledger is CSV (RFC 4180) with a header; columns are given by name where a pointer is asked for
    #[arg(long)]
    pub csv: bool,

    /// Expected intents: JSON lines, a JSON array, JSON strings, or plain names, one a line; `-` reads standard input
    #[arg(long, value_name = "FILE")]
    pub expected: PathBuf,

    /// The expected intents are CSV with a header
    #[arg(long)]
    pub expected_csv: bool,

    /// Where a record names its intent (RFC 6901, or a column); a string or an integer, `7` and `"7"` are one intent [default: /intent]
    #[arg(long, value_name = "POINTER")]
    pub intent_at: Option<String>,

    /// The same for expected intents [default: that of --intent-at]
    #[arg(long, value_name = "POINTER")]
    pub expected_at: Option<String>,

    /// Where a record says the amount, a decimal number; another amount of one intent is a finding
    #[arg(long, value_name = "POINTER")]
    pub amount_at: Option<String>,

    /// The same for expected intents [default: that of --amount-at]
    #[arg(long, value_name = "POINTER", requires = "amount_at")]
    pub expected_amount_at: Option<String>,

    /// Count the ledger's records that have this value alone; repeatable, all must hold
    #[arg(long = "where", value_name = "POINTER=VALUE")]
    pub filters: Vec<String>,

    /// Where a record says its time: RFC 3339 with its zone, or a Unix time
    #[arg(long, value_name = "POINTER")]
    pub time_at: Option<String>,

    /// The same for expected intents [default: that of --time-at]
    #[arg(long, value_name = "POINTER", requires = "time_at")]
    pub expected_time_at: Option<String>,

    /// The first time that is looked at, as 2026-11-02T00:00:00+01:00
    #[arg(long, value_name = "TIME", value_parser = time, requires = "time_at")]
    pub since: Option<i64>,

    /// The first time that is not looked at any more
    #[arg(long, value_name = "TIME", value_parser = time, requires = "time_at")]
    pub until: Option<i64>,

    /// Text names the first 20 offenders, JSON all
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Format,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Format {
    Text,
    Json,
}

/// RFC 3339: its shortest text is longer than any Unix time.
fn time(text: &str) -> Result<i64, String> {
    let time = milliseconds(text).filter(|_| text.len() > 19);
    time.ok_or_else(|| "give a time with its zone (RFC 3339), as 2026-11-02T00:00:00+01:00".to_owned())
}
