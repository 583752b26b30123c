//! Where the options of a command are read from, beside the command line.

use std::path::PathBuf;

use clap::Args;

/// The file of options.
#[derive(Args, Debug, Clone, Default)]
pub struct ConfigArgs {
    /// File of options, see `idem explain config` [default: idem.toml, where there is one]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}
