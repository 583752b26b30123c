//! How `post_drop_key_atomic` scales with its intents: time and peak memory of the whole process.
//! `cargo bench --bench scale [-- INTENTS...]`

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn main() {
    let chosen: Vec<u32> = std::env::args().filter_map(|arg| arg.parse().ok()).collect();
    let sizes = if chosen.is_empty() { vec![12_500, 25_000, 50_000, 100_000] } else { chosen };
    println!("{:>8}  {:>8}  {:>12}  {:>9}  {:>12}", "intents", "seconds", "us/request", "peak MiB", "KiB/intent");
    for intents in sizes {
        let (elapsed, peak_kib) = probe(intents);
        let requests = f64::from(intents) * 2.0;
        println!(
            "{intents:>8}  {:>8.2}  {:>12.1}  {:>9.1}  {:>12.2}",
            elapsed.as_secs_f64(),
            elapsed.as_secs_f64() * 1e6 / requests,
            peak_kib / 1024.0,
            peak_kib / f64::from(intents),
        );
    }
}

/// Wall time and peak resident memory in KiB of one probe.
fn probe(intents: u32) -> (Duration, f64) {
    let since = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_idem"))
        .args(["probe", "--scenario", "post_drop_key_atomic", "--format", "table", "--intents", &intents.to_string()])
        .stdout(Stdio::null())
        .spawn()
        .expect("idem starts");
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0.0;
    let exit = loop {
        // The kernel keeps the peak, so the last look before the end is as good as all of them.
        let seen = fs::read_to_string(&status).ok().and_then(|text| {
            text.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse().ok())
        });
        peak = seen.unwrap_or(peak);
        if let Some(exit) = child.try_wait().expect("idem can be waited for") {
            break exit;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    assert!(exit.success(), "{intents} intents: {exit}");
    (since.elapsed(), peak)
}
