//! How `post_drop_key_atomic` scales with its intents: time and peak memory of the whole process.
//! `cargo bench --bench scale [-- INTENTS...]`

mod measure;

use std::process::{Command, Stdio};

use measure::{Measured, measure};

fn main() {
    let chosen: Vec<u32> = std::env::args().filter_map(|arg| arg.parse().ok()).collect();
    let sizes = if chosen.is_empty() { vec![12_500, 25_000, 50_000, 100_000] } else { chosen };
    println!("{:>8}  {:>8}  {:>12}  {:>9}  {:>12}", "intents", "seconds", "us/request", "peak MiB", "KiB/intent");
    for intents in sizes {
        let Measured { elapsed, peak_kib, .. } = probe(intents);
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

fn probe(intents: u32) -> Measured {
    let mut command = Command::new(env!("CARGO_BIN_EXE_idem"));
    command.args(["probe", "--scenario", "post_drop_key_atomic", "--format", "table"]);
    let measured = measure(command.args(["--intents", &intents.to_string()]).stdout(Stdio::null()));
    assert!(measured.exit.success(), "{intents} intents: {}", measured.exit);
    measured
}
