//! How fast `idem reconcile` streams, and what its memory grows with.
//! `cargo bench --bench reconcile [-- LINES]`, 10 million lines of 91 bytes if not said; needs 1 GB of disk in target/.

mod measure;

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use measure::{Measured, measure};

/// Coprime to every number of lines that is a power of ten, so that its multiples visit each intent once.
const STRIDE: u64 = 7_368_787;

fn main() {
    let lines = std::env::args().find_map(|arg| arg.parse().ok()).unwrap_or(10_000_000);
    println!("{:<34}  {:>8}  {:>14}  {:>9}", "ledger lines", "seconds", "ledger lines/s", "peak MiB");
    bench("of 1000 intents", lines, 1000, |line| line % 1000);
    bench("each another intent, in order", lines, lines, |line| line);
    bench("each another intent, in disorder", lines, lines, |line| line * STRIDE % lines);
}

/// Reconciles a ledger of so many lines, with so many expected intents as plain names.
fn bench(what: &str, lines: u64, intents: u64, intent_of: impl Fn(u64) -> u64) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let ledger = write(&folder.join("bench-ledger.jsonl"), lines, |line| {
        let (intent, receipt) = (intent_of(line), line as u32);
        format!(
            "{{\"intent\":\"ord-{intent:08}\",\"amount\":1000,\"receipt\":\"rcpt_{receipt:08x}\",\"key\":\"{line:016x}\"}}\n"
        )
    });
    let expected = write(&folder.join("bench-expected.txt"), intents, |intent| format!("ord-{intent:08}\n"));
    let Measured { elapsed, peak_kib, .. } = reconcile(&ledger, &expected, if lines == intents { 0 } else { 2 });
    let rate = lines as f64 / elapsed.as_secs_f64();
    println!(
        "{:<34}  {:>8.2}  {rate:>14.0}  {:>9.1}",
        format!("{lines} {what}"),
        elapsed.as_secs_f64(),
        peak_kib / 1024.0
    );
    fs::remove_file(ledger).expect("it was just written");
    fs::remove_file(expected).expect("it was just written");
}

fn write(path: &Path, lines: u64, line: impl Fn(u64) -> String) -> PathBuf {
    let mut file = BufWriter::new(File::create(path).expect("the target folder takes files"));
    for number in 0..lines {
        file.write_all(line(number).as_bytes()).expect("there is room on the disk");
    }
    file.flush().expect("there is room on the disk");
    path.to_owned()
}

/// What reconciling takes; it must end with `code`.
fn reconcile(ledger: &Path, expected: &Path, code: i32) -> Measured {
    let mut command = Command::new(env!("CARGO_BIN_EXE_idem"));
    command.arg("reconcile").arg("--ledger").arg(ledger).arg("--expected").arg(expected).stdout(Stdio::null());
    let measured = measure(&mut command);
    assert_eq!(measured.exit.code(), Some(code), "{}", ledger.display());
    measured
}
