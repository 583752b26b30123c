//! What an exploration did, for the report. Invariant: what did not land is told apart from what did.

use serde::Serialize;

use super::coverage::Coverage;
use super::explore::Explorer;

/// Counts of one exploration.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    pub seed: u64,
    pub schedules: u64,
    /// Not played, since they hold the steps of a known finding.
    pub passed_over: u64,
    /// Verdicts that never came again and prove nothing by themselves.
    pub unconfirmed: u64,
    /// Schedules whose verdict is open: they did not settle, or could not be played again, in time.
    pub undecided: u64,
    pub coverage: Coverage,
}

impl Summary {
    pub fn of(seed: u64, explorer: &Explorer<'_>) -> Summary {
        Summary {
            seed,
            schedules: explorer.played,
            passed_over: explorer.passed_over,
            unconfirmed: explorer.unconfirmed,
            undecided: explorer.undecided,
            coverage: explorer.coverage.clone(),
        }
    }

    /// In a line.
    pub fn line(&self) -> String {
        let landed = self.coverage.landed();
        format!("seed {}: {} schedules, {landed} steps landed", self.seed, self.schedules)
    }

    /// What was left open, in words.
    pub fn undecided(&self) -> String {
        format!("{} schedules did not settle, or could not be played again, before the time was over", self.undecided)
    }

    /// The table, line by line.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = vec![self.line()];
        if self.passed_over > 0 {
            lines.push(format!("{} more hold a known finding and were not played", self.passed_over));
        }
        if self.unconfirmed > 0 {
            lines.push(format!("{} times a key did not settle, and did when played again", self.unconfirmed));
        }
        if self.undecided > 0 {
            lines.push(self.undecided());
        }
        lines.push(format!("{:<26} landed  not landed  most often followed by", "step"));
        for (step, count) in &self.coverage.steps {
            lines.push(format!("{step:<26} {:>6} {:>11}  {}", count.landed, count.missed, self.followers(step)));
        }
        lines
    }

    fn followers(&self, step: &str) -> String {
        let prefix = format!("{step} > ");
        let pairs = self.coverage.pairs.iter();
        let mut after: Vec<_> =
            pairs.filter_map(|(pair, count)| Some((pair.strip_prefix(prefix.as_str())?, *count))).collect();
        after.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let most: Vec<_> = after.iter().take(3).map(|(kind, count)| format!("{kind} {count}")).collect();
        most.join(", ")
    }
}
