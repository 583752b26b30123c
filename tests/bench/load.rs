//! The ten on a machine that has no core to spare: every run must print the same table.
//! `cargo bench --bench load [-- RUNS [SPINNERS]]`

use std::process::{Child, Command};
use std::time::{Duration, Instant};

const TABLE: &str = include_str!("../data/table.txt");

fn main() {
    if std::env::args().nth(1).as_deref() == Some("spin") {
        loop {
            std::hint::spin_loop();
        }
    }
    let mut numbers = std::env::args().filter_map(|arg| arg.parse().ok());
    let (runs, spinners) = (numbers.next().unwrap_or(300), numbers.next().unwrap_or(4));
    let spinning: Vec<_> = (0..spinners).map(|_| Spinner::start()).collect();
    let mut walls: Vec<Duration> = (0..runs).map(run).collect();
    drop(spinning);
    walls.sort();
    let [least, median, most] = [0, walls.len() / 2, walls.len() - 1].map(|at| walls[at].as_secs_f64());
    println!("{runs} runs beside {spinners} spinning processes: the same table each time");
    println!("wall seconds of the process: min {least:.3}, median {median:.3}, max {most:.3}");
}

fn run(number: usize) -> Duration {
    let since = Instant::now();
    let ran = Command::new(env!("CARGO_BIN_EXE_idem")).args(["probe", "--format", "table"]).output();
    let ran = ran.expect("idem starts");
    let table = String::from_utf8_lossy(&ran.stdout);
    assert_eq!(table, TABLE, "run {number}: {}", String::from_utf8_lossy(&ran.stderr));
    since.elapsed()
}

/// A process that keeps a core busy until it is dropped.
struct Spinner(Child);

impl Spinner {
    fn start() -> Spinner {
        let own = std::env::current_exe().expect("this program has a path");
        Spinner(Command::new(own).arg("spin").spawn().expect("a spinner starts"))
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        // Fails where it has ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
