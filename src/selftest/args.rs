//! Options of `idem selftest`.

use std::path::PathBuf;

/// Check the logic that the verdicts rest on: 31 named checks, no port, no file written
///
/// Exits 5 when a check or one of your own vectors fails.
#[derive(clap::Args, Debug)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// Hold your own key function to ours: JSON lines {"intent": {..}, "key": ".."}; `-` reads standard input
    ///
    /// `intent` is the intent itself or a string with its JSON text; `key` is the key your function makes of it, null
    /// where it must refuse.
    #[arg(long, value_name = "FILE")]
    pub vectors: Option<PathBuf>,
}
