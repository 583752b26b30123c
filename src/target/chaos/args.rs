//! The options of seeded exploration. Invariant: text in, values out.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::text::duration::duration;

/// Exploring a target, or without --target the charge server itself.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "Exploring by seeded chaos")]
pub struct ChaosArgs {
    /// Draw schedules of steps from SEED, play and judge them, shrink what breaks an invariant; fixed checks only by --check
    #[arg(long, value_name = "SEED", num_args = 0..=1, conflicts_with_all = ["scenario", "all", "intents", "rounds", "repeat", "ledger_dir", "plan"])]
    pub chaos: Option<Option<u64>>,
    /// How long to explore; confirming and shrinking may take up to 20s more [default: 60s]
    #[arg(long = "for", value_name = "DURATION", value_parser = duration, requires = "chaos")]
    pub time: Option<Duration>,
    /// Write the smallest schedules found to this file
    #[arg(long, value_name = "FILE", requires = "chaos")]
    pub save: Option<PathBuf>,
    /// Play the schedules of a saved file: exit 2 while one breaks an invariant, else 0
    #[arg(long, value_name = "FILE", conflicts_with_all = ["chaos", "scenario", "all", "intents", "rounds", "repeat", "ledger_dir", "plan"])]
    pub replay: Option<PathBuf>,
}

impl ChaosArgs {
    pub fn is_given(&self) -> bool {
        self.chaos.is_some() || self.replay.is_some()
    }
}
