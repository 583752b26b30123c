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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::chaos::fixtures::schedule;
    use crate::target::chaos::step::Step;

    fn saved(broke: usize, of: usize) -> Saved {
        let schedule = schedule(1, &[Step::plain(0), Step::plain(0)]);
        Saved { verdict: Verdict::Duplicate, broke, of, words: schedule.words(), schedule }
    }

    #[test]
    fn a_rare_fault_is_played_more_often() {
        assert!((5..=12).contains(&saved(3, 3).plays()), "{}", saved(3, 3).plays());
        assert!(saved(1, 3).plays() > 40, "{}", saved(1, 3).plays());
        assert_eq!(saved(0, 8).plays(), 60);
    }

    #[test]
    fn what_was_written_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("found.json");
        File { version: VERSION, seed: 7, findings: vec![saved(3, 3)] }.save(&path).unwrap();
        let file = File::read(&path).unwrap();
        assert_eq!((file.seed, &file.findings[0].schedule), (7, &saved(3, 3).schedule));
    }

    #[test]
    fn what_cannot_be_played_is_refused_with_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("found.json");
        let refused = |text: &str| {
            std::fs::write(&path, text).unwrap();
            format!("{:#}", File::read(&path).unwrap_err())
        };
        assert!(refused("{\"version\":1,\n\"seed\":}").contains("line 2"));
        assert!(refused(r#"{"version":1,"seed":1,"findings":[]}"#).contains("no findings"));
        assert!(refused(r#"{"version":2,"seed":1,"findings":[]}"#).contains("version 2"));
        let missing = r#"{"version":1,"seed":1,"findings":[{"verdict":"DUPLICATE","broke":1,"of":1,
            "schedule":{"orders":[],"steps":[{"principal":{"order":0}}]}}]}"#;
        assert!(refused(missing).contains("finding 1: step 1 is about an order that is not there"));
    }
}
