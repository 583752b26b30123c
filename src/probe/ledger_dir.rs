//! Where a probe's ledgers are. Invariant: a temporary folder is gone when its owner is, however that ends short of a
//! kill -9.

use std::path::{Path, PathBuf};

use anyhow::Context;

/// A folder for ledgers.
#[derive(Debug)]
pub enum LedgerDir {
    /// The user's, kept.
    Kept(PathBuf),
    /// Ours, removed with this value.
    Temporary(tempfile::TempDir),
}

impl LedgerDir {
    /// The user's folder, made where it is missing, or a temporary one for None. Errors name the path.
    pub fn open(kept: Option<&Path>) -> anyhow::Result<LedgerDir> {
        match kept {
            Some(path) => {
                std::fs::create_dir_all(path)
                    .with_context(|| format!("cannot use ledger folder {}", path.display()))?;
                Ok(LedgerDir::Kept(path.to_owned()))
            }
            None => tempfile::Builder::new()
                .prefix("idem-")
                .tempdir()
                .map(LedgerDir::Temporary)
                .with_context(|| format!("cannot make a folder in {}", std::env::temp_dir().display())),
        }
    }

    /// A scenario's ledger.
    pub fn ledger(&self, scenario: &str) -> PathBuf {
        let folder = match self {
            LedgerDir::Kept(path) => path,
            LedgerDir::Temporary(folder) => folder.path(),
        };
        folder.join(format!("{scenario}.jsonl"))
    }
}
