//! Schedules as a file, to be kept and played again. Invariant: what was written is read back as the same schedules, and
//! what cannot be played is refused with its place.

use std::path::Path;

use anyhow::{Context, ensure};
use serde::{Deserialize, Serialize};

use super::finding::Finding;
use super::schedule::Schedule;
use crate::target::judge::verdict::Verdict;

/// The form of the file.
const VERSION: u32 = 1;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    version: u32,
    /// Of the exploration that found them.
    pub seed: u64,
    pub findings: Vec<Saved>,
}

/// One schedule with what it broke.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Saved {
    pub verdict: Verdict,
    /// Of so many plays it broke it in so many.
    pub broke: usize,
    pub of: usize,
    /// For people: the steps say the same.
    #[serde(default)]
    words: Vec<String>,
    pub schedule: Schedule,
}

impl File {
    pub fn of(seed: u64, findings: &[Finding]) -> File {
        let saved = findings.iter().map(|finding| Saved {
            verdict: finding.verdict,
            broke: finding.broke,
            of: finding.of,
            words: finding.schedule.words(),
            schedule: finding.schedule.clone(),
        });
        File { version: VERSION, seed, findings: saved.collect() }
    }

    /// # Errors
    /// The file cannot be written.
    pub fn save(&self, path: &Path) -> anyhow::Result<()> {
        let text = serde_json::to_string_pretty(self)? + "\n";
        std::fs::write(path, text).with_context(|| format!("--save {}", path.display()))
    }

    /// # Errors
    /// Names the file, and the line or the schedule that cannot be played.
    pub fn read(path: &Path) -> anyhow::Result<File> {
        let place = || format!("--replay {}", path.display());
        let text = std::fs::read_to_string(path).with_context(place)?;
        let file: File = serde_json::from_str(&text).with_context(place)?;
        ensure!(file.version == VERSION, "{}: version {}; this is version {VERSION}", place(), file.version);
        ensure!(!file.findings.is_empty(), "{}: no findings; it was saved by a run that had none", place());
        for (n, saved) in file.findings.iter().enumerate() {
            let checked = saved.schedule.check();
            checked.map_err(anyhow::Error::msg).with_context(|| format!("{}: finding {}", place(), n + 1))?;
        }
        Ok(file)
    }
}

impl Saved {
    /// Plays after which a fault that is still there has been seen, but for one time in a million.
    pub fn plays(&self) -> usize {
        let rate = self.broke.max(1) as f64 / (self.of.max(1) + 1) as f64;
        ((-13.8 / (1.0 - rate.min(0.95)).ln()).ceil() as usize).clamp(5, 60)
    }
}
