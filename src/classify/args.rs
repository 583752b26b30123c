//! The options of `idem classify`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum, value_parser};

use super::extract::mapping::Place;
use super::findings::history::Budget;
use crate::config::args::ConfigArgs;
use crate::text::duration::duration;

/// Read the failures that clients logged: may the money have moved, and what to do now
///
/// Takes a log as it is: JSON, words, stack traces, access logs, tables, HAR, OTLP, what `idem probe` prints, gzip too, each
/// line told apart by its content. A line that tells of no call gets no verdict and is counted.
#[derive(Args)]
#[command(verbatim_doc_comment, after_help = EXAMPLES)]
pub struct ClassifyArgs {
    /// Files to read, in the order of events; `-` or nothing for standard input
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Another way to name a file; it is read first
    #[arg(long, value_name = "FILE")]
    pub input: Option<PathBuf>,
    #[command(flatten)]
    pub config: ConfigArgs,
    /// How to print the results
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Take each line as an error message, and never try JSON
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
    /// The log's own field for the intent: a name or a JSON pointer; may be given again, the first that is there counts
    #[arg(long, value_name = "NAME")]
    pub intent_field: Vec<Place>,
    /// The log's own field for the idempotency key
    #[arg(long, value_name = "NAME")]
    pub key_field: Vec<Place>,
    /// The log's own field for the number of the attempt
    #[arg(long, value_name = "NAME")]
    pub attempt_field: Vec<Place>,
    /// Instead of verdicts print each reading in one line behind its intent and a tab, for an engine to group by
    #[arg(long, conflicts_with = "summary")]
    pub partition_key: bool,
    /// Attempts that one intent may take; more are a finding
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    pub max_attempts: Option<u32>,
    /// Time that one intent may take from its first attempt to its last, as 90s or 15m; longer is a finding
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub max_span: Option<Duration>,
    /// Print what may have moved money first, each group under its own head, when all is read
    #[arg(long)]
    pub worst_first: bool,
}

impl ClassifyArgs {
    /// Those of a run that is read on by idem itself: JSON lines, and nothing else asked for.
    pub fn of_machine() -> ClassifyArgs {
        ClassifyArgs {
            config: ConfigArgs::default(),
            files: Vec::new(),
            input: None,
            format: Format::Jsonl,
            text: false,
            summary: false,
            strict: false,
            lookback: 100_000,
            intent_field: Vec::new(),
            key_field: Vec::new(),
            attempt_field: Vec::new(),
            partition_key: false,
            max_attempts: None,
            max_span: None,
            worst_first: false,
        }
    }

    /// What a client may spend on one intent.
    pub fn budget(&self) -> Budget {
        Budget { attempts: self.max_attempts, span: self.max_span }
    }
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
  idem classify app.log.2.gz app.log.1.gz app.log --summary
  kubectl logs --prefix -l app=pay | idem classify --intent-field order_id
  idem classify --partition-key app.log | sort -t '\t' -s -k 1,1 | cut -f 2- | idem classify

Exit codes: 0 no finding, 2 findings, 3 bad usage or malformed input, 4 no reading at all";
