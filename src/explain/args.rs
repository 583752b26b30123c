//! Options of `idem explain`.

/// Explain a check, verdict, finding, symptom, scenario, fault or exit code, or a whole topic
///
/// `idem explain` names the topics, `idem explain --list` all names that it knows.
#[derive(clap::Args, Debug)]
#[command(verbatim_doc_comment, after_help = EXAMPLES)]
pub struct ExplainArgs {
    /// A topic, or a name from any report, as `key_reuse`, `DUPLICATE`, `key-rotated` or `maybe`
    #[arg(num_args = 1..)]
    pub topic: Vec<String>,
    /// Print every name that can be explained, one a line
    #[arg(long, conflicts_with = "topic")]
    pub list: bool,
}

const EXAMPLES: &str = "\
Examples:
  idem explain checks
  idem explain race_2
  idem explain key-rotated";
