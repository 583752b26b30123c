//! The ledger: append-only JSON lines, one write a line; each line is money that moved. Invariant: only a whole line,
//! newline included, is a charge, and the receipt of a charge is answered only after its line was written.
//!
//! Durable against the death of the process at any moment: a line is handed to the kernel in one write before the
//! reply. Not durable against a power cut: nothing is synced, since what is measured is idempotency, not storage.

use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::text::lines::{LONGEST, Line, Lines};

/// One ledger line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Charge {
    pub intent: String,
    /// Minor units.
    pub amount: i64,
    pub receipt: String,
    /// The idempotency key that came with the request; None when none did.
    pub key: Option<String>,
}

/// How receipts are derived, so that every run gives the same ones.
#[derive(Clone, Debug)]
pub struct ReceiptNames {
    /// The scenario's name, or another name for where the charges are made.
    pub scope: String,
    /// Hex digits, an even number: 8, or 16 where so many charges are made that 8 could collide.
    pub digits: usize,
}

impl ReceiptNames {
    /// The receipt of an intent's `ordinal`th charge, counted from 1.
    pub fn receipt(&self, intent: &str, ordinal: u32) -> String {
        let digest = Sha256::digest(format!("{}\n{intent}\n{ordinal}", self.scope));
        format!("rcpt_{}", hex::encode(&digest[..self.digits / 2]))
    }
}

/// A ledger open for appending.
#[derive(Debug)]
pub struct Ledger {
    path: PathBuf,
    names: ReceiptNames,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    file: File,
    /// Length of the whole lines, bytes.
    length: u64,
    /// Charges so far by intent: the next one's ordinal depends on it.
    ordinals: HashMap<String, u32>,
    /// Why the first charge that could not be written was not.
    failure: Option<String>,
}

/// What is found when a ledger is read back.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct LedgerContents {
    pub charges: Vec<Charge>,
    /// The bytes after the last newline: a line torn by a killed writer, not a charge.
    pub torn: Vec<u8>,
}

impl Ledger {
    /// Opens or creates the ledger and locks it, so that nobody else mixes lines in. A torn last line is cut off, so
    /// that the next append does not glue itself to it; what was cut is returned. Errors: the file cannot be opened or
    /// cut, is not a file, is in use, or a whole line is malformed.
    pub fn open(path: &Path, names: ReceiptNames) -> anyhow::Result<(Ledger, LedgerContents)> {
        let file = lock(path)?;
        let found = read(path)?;
        let length = file.metadata()?.len() - found.torn.len() as u64;
        if !found.torn.is_empty() {
            file.set_len(length).with_context(|| format!("cannot cut the torn line off {}", path.display()))?;
        }
        let mut ordinals = HashMap::new();
        for charge in &found.charges {
            *ordinals.entry(charge.intent.clone()).or_insert(0) += 1;
        }
        let state = Mutex::new(State { file, length, ordinals, failure: None });
        Ok((Ledger { path: path.to_owned(), names, state }, found))
    }

    /// Begins a ledger anew: what stood in the file is gone. Errors: as for `open`.
    pub fn begin(path: &Path, names: ReceiptNames) -> anyhow::Result<Ledger> {
        let file = lock(path)?;
        file.set_len(0).with_context(|| format!("cannot empty ledger {}", path.display()))?;
        let state = Mutex::new(State { file, length: 0, ordinals: HashMap::new(), failure: None });
        Ok(Ledger { path: path.to_owned(), names, state })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Why a charge could not be written; None where all could. A ledger that failed proves nothing about a policy.
    pub fn failure(&self) -> Option<String> {
        self.state.lock().expect("no writer panics while it holds the ledger").failure.clone()
    }

    /// Charges: writes one line and gives its receipt. After an error nothing was charged: what a short write left is
    /// cut off again.
    pub fn append(&self, intent: &str, amount: i64, key: Option<&str>) -> io::Result<Charge> {
        let mut state = self.state.lock().expect("no writer panics while it holds the ledger");
        let ordinal = state.ordinals.get(intent).copied().unwrap_or(0) + 1;
        let receipt = self.names.receipt(intent, ordinal);
        let charge = Charge { intent: intent.to_owned(), amount, receipt, key: key.map(str::to_owned) };
        let mut line = serde_json::to_vec(&charge)?;
        line.push(b'\n');
        if let Err(error) = state.write(&line) {
            state.failure.get_or_insert_with(|| error.to_string());
            return Err(error);
        }
        state.length += line.len() as u64;
        state.ordinals.insert(charge.intent.clone(), ordinal);
        Ok(charge)
    }
}

impl State {
    /// One write for the whole line, or the file as it was.
    fn write(&mut self, line: &[u8]) -> io::Result<()> {
        let written = self.file.write(line)?;
        if written < line.len() {
            self.file.set_len(self.length)?;
            return Err(io::Error::new(io::ErrorKind::WriteZero, "the disk took only part of a line"));
        }
        Ok(())
    }
}

/// Opens the file for appending, by us alone. Where the file system knows no locks there is none.
fn lock(path: &Path) -> anyhow::Result<File> {
    let place = || format!("cannot open ledger {}", path.display());
    // Before it is opened: opening a pipe would wait for its other end.
    if std::fs::metadata(path).is_ok_and(|meta| !meta.is_file()) {
        bail!("ledger {} is not a regular file", path.display());
    }
    let file = OpenOptions::new().read(true).append(true).create(true).open(path).with_context(place)?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => {
            Err(io::Error::new(io::ErrorKind::ResourceBusy, "in use by another process")).with_context(place)
        }
        Ok(()) | Err(TryLockError::Error(_)) => Ok(file),
    }
}

/// Reads a ledger back from disk. Errors name the file and the line.
pub fn read(path: &Path) -> anyhow::Result<LedgerContents> {
    let file = File::open(path).with_context(|| format!("cannot read ledger {}", path.display()))?;
    parse(BufReader::new(file)).with_context(|| format!("ledger {}", path.display()))
}

fn parse(input: impl BufRead) -> anyhow::Result<LedgerContents> {
    let mut reading = LedgerContents::default();
    let mut lines = Lines::new(input);
    while let Some((number, line)) = lines.next()? {
        match line {
            Line::Text { bytes, ended: false } => reading.torn = bytes.to_vec(),
            Line::Text { bytes, ended: true } => {
                let charge = serde_json::from_slice(bytes);
                reading.charges.push(charge.with_context(|| format!("line {number} is not a charge"))?);
            }
            Line::TooLong => bail!("line {number} is longer than {} MiB", LONGEST >> 20),
        }
    }
    Ok(reading)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "{\"intent\":\"a\",\"amount\":1,\"receipt\":\"r\",\"key\":null}\n";

    #[test]
    fn a_torn_last_line_is_no_charge() {
        let begun = LINE.trim_end();
        let reading = parse(format!("{LINE}{begun}").as_bytes()).unwrap();
        assert_eq!(reading.charges.len(), 1);
        assert_eq!(reading.torn, begun.as_bytes());
    }

    #[test]
    fn a_malformed_line_elsewhere_is_an_error_with_its_number() {
        let error = parse(format!("{LINE}{{\"intent\":\n{LINE}").as_bytes()).unwrap_err();
        assert!(error.to_string().contains("line 2"), "{error:#}");
    }

    #[test]
    fn the_next_append_does_not_glue_itself_to_a_torn_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ledger.jsonl");
        std::fs::write(&path, format!("{LINE}{{\"intent\":\"b\",\"am")).unwrap();
        let names = ReceiptNames { scope: "unit".into(), digits: 8 };
        let (ledger, found) = Ledger::open(&path, names).unwrap();
        assert_eq!(found.torn, b"{\"intent\":\"b\",\"am");
        let second = ledger.append("a", 1, Some("k")).unwrap();
        let reading = read(&path).unwrap();
        assert_eq!(reading.charges.len(), 2);
        assert_eq!(reading.charges[1], second);
        assert_eq!(reading.torn, b"");
        assert_eq!(second.receipt, ledger.names.receipt("a", 2), "ordinals go on after a restart");
    }

    #[test]
    fn receipts_differ_by_scope_intent_and_ordinal() {
        let names = |scope: &str| ReceiptNames { scope: scope.into(), digits: 8 };
        let all = [
            names("s").receipt("a", 1),
            names("s").receipt("a", 2),
            names("s").receipt("b", 1),
            names("t").receipt("a", 1),
        ];
        let distinct: std::collections::HashSet<_> = all.iter().collect();
        assert_eq!(distinct.len(), 4);
        assert!(all.iter().all(|receipt| receipt.len() == 13 && receipt.starts_with("rcpt_")));
    }
}
