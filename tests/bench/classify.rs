//! How fast `idem classify` is, on one core, with findings on: a million status lines against a bare typed serde_json pass
//! over the same file and against `jq -c '{status,intent}'`, a million error texts (the same ones again, each with a number
//! of its own, and without `--text`), and ten million readings for memory.
//! Run with `cargo bench --bench classify`; everything is measured in one run, pinned with `taskset` where there is one.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const IDEM: &str = env!("CARGO_BIN_EXE_idem");
const LINES: u64 = 1_000_000;
const ROUNDS: usize = 5;

#[derive(serde::Deserialize)]
#[expect(dead_code, reason = "the pass only parses")]
struct Typed {
    time: String,
    intent: String,
    attempt: u32,
    key: String,
    status: u16,
}

fn main() {
    let folder = std::env::temp_dir().join(format!("idem-bench-classify-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the inputs");
    let statuses = status_lines(&folder, LINES);
    let (texts, different) = (text_lines(&folder, LINES, false), text_lines(&folder, LINES, true));
    let bytes = std::fs::metadata(&statuses).expect("just written").len();
    println!("{LINES} status lines of {} bytes, {LINES} error texts, best of {ROUNDS}", bytes / LINES);
    // The bare pass runs in this process, so it is pinned by running the whole bench under taskset.
    let bare = best(|| bare_pass(&statuses));
    let ours = best(|| run(&["classify", "--format", "jsonl", "--input"], &statuses));
    let words = best(|| run(&["classify", "--text", "--format", "jsonl", "--input"], &texts));
    let each_its_own = best(|| run(&["classify", "--text", "--format", "jsonl", "--input"], &different));
    let log = best(|| run(&["classify", "--format", "jsonl", "--input"], &texts));
    rate("bare typed serde_json pass", bare);
    rate("idem classify, status lines", ours);
    println!("  of the bare pass: {:.2} (aim: 0.6)", bare.as_secs_f64() / ours.as_secs_f64());
    if let Some(jq) = jq(&statuses) {
        rate("jq -c '{status,intent}'", jq);
        println!("  against jq: {:.1} times faster (aim: 9)", jq.as_secs_f64() / ours.as_secs_f64());
    }
    rate("idem classify, error texts", words);
    println!("  aim: 1000000 lines/s");
    rate("idem classify, error texts of which none comes twice", each_its_own);
    rate("idem classify, error texts as a log in any form", log);
    memory(&folder);
    std::fs::remove_dir_all(&folder).expect("the folder is ours");
}

fn status_lines(folder: &Path, count: u64) -> PathBuf {
    let path = folder.join(format!("status-{count}.jsonl"));
    let mut out = BufWriter::new(File::create(&path).expect("the folder is there"));
    for i in 0..count {
        // A fixed mix of the number stands for a key, so that two runs measure the same bytes.
        let key = i.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xBEA4_E30D_D4AA_11FF;
        let (minute, second, milli) = (i / 60_000 % 60, i / 1000 % 60, i % 1000);
        writeln!(
            out,
            r#"{{"time":"2026-11-02T10:{minute:02}:{second:02}.{milli:03}Z","intent":"ord-{i:07}","attempt":1,"key":"{key:016x}","status":200}}"#
        )
        .expect("room on the disk");
    }
    path
}

/// Some thousand texts of real clients again and again; `different`: each with a number of its own behind it.
fn text_lines(folder: &Path, count: u64, different: bool) -> PathBuf {
    let texts = include_str!("../data/classify/texts.txt");
    let path = folder.join(format!("texts-{different}.txt"));
    let mut out = BufWriter::new(File::create(&path).expect("the folder is there"));
    for (number, text) in texts.lines().cycle().take(count as usize).enumerate() {
        let number = if different { format!(" {number:07}") } else { String::new() };
        writeln!(out, "{text}{number}").expect("room on the disk");
    }
    path
}

fn bare_pass(path: &Path) -> Duration {
    let from = Instant::now();
    let mut input = BufReader::with_capacity(256 * 1024, File::open(path).expect("just written"));
    let (mut line, mut sum) = (String::new(), 0u64);
    while input.read_line(&mut line).expect("readable") > 0 {
        sum += u64::from(serde_json::from_str::<Typed>(&line).expect("typed").status);
        line.clear();
    }
    assert_eq!(sum, 200 * LINES);
    from.elapsed()
}

fn run(args: &[&str], path: &Path) -> Duration {
    let from = Instant::now();
    let status = Command::new(IDEM).args(args).arg(path).stdout(Stdio::null()).status().expect("idem runs");
    assert!(status.code().is_some(), "{status}");
    from.elapsed()
}

fn jq(path: &Path) -> Option<Duration> {
    let from = Instant::now();
    let status = Command::new("jq").args(["-c", "{status,intent}"]).arg(path).stdout(Stdio::null()).status().ok()?;
    status.success().then(|| from.elapsed())
}

/// The peak memory over ten million readings, as GNU time tells it.
fn memory(folder: &Path) {
    let path = status_lines(folder, 10 * LINES);
    let output = Command::new("/usr/bin/time")
        .args(["-f", "%M", IDEM, "classify", "--format", "jsonl", "--input"])
        .arg(&path)
        .stdout(Stdio::null())
        .output();
    match output {
        Ok(output) => {
            let peak = String::from_utf8_lossy(&output.stderr);
            println!("peak memory over {} readings: {} KiB (aim: under 49152)", 10 * LINES, peak.trim());
        }
        Err(error) => println!("peak memory not measured: /usr/bin/time: {error}"),
    }
}

fn best(measure: impl Fn() -> Duration) -> Duration {
    (0..ROUNDS).map(|_| measure()).min().expect("at least one round")
}

fn rate(what: &str, time: Duration) {
    let seconds = time.as_secs_f64();
    println!("{what}: {seconds:.3} s, {:.2} million lines/s", LINES as f64 / seconds / 1e6);
}
