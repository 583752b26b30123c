//! Wall time and peak memory of one whole process.

use std::fs;
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

/// What a finished process took.
pub struct Measured {
    pub exit: ExitStatus,
    pub elapsed: Duration,
    /// Peak resident memory, KiB.
    pub peak_kib: f64,
}

/// Runs a command to its end.
pub fn measure(command: &mut Command) -> Measured {
    let since = Instant::now();
    let mut child = command.spawn().expect("the command starts");
    let status = format!("/proc/{}/status", child.id());
    let mut peak_kib = 0.0;
    let exit = loop {
        // The kernel keeps the peak, so the last look before the end is as good as all of them.
        let seen = fs::read_to_string(&status).ok().and_then(|text| {
            text.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse().ok())
        });
        peak_kib = seen.unwrap_or(peak_kib);
        if let Some(exit) = child.try_wait().expect("a child can be waited for") {
            break exit;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    Measured { exit, elapsed: since.elapsed(), peak_kib }
}
