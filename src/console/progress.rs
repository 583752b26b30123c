//! How far a long probe is, on standard error. Invariant: only a terminal sees it, and nothing of it stays there.

use std::io::{self, IsTerminal, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Nothing is shown before this, and nothing more often.
const PAUSE: Duration = Duration::from_millis(250);

/// A line on a terminal that is written over from time to time.
#[derive(Debug)]
pub struct Line {
    last: Mutex<Instant>,
    is_shown: bool,
}

impl Line {
    pub fn new() -> Line {
        Line { last: Mutex::new(Instant::now()), is_shown: io::stderr().is_terminal() }
    }

    /// Shows the words, unless there is no terminal or others were shown just now.
    pub fn show(&self, words: impl FnOnce() -> String) {
        if !self.is_shown {
            return;
        }
        let mut last = self.last.lock().expect("nobody panics while showing");
        if last.elapsed() >= PAUSE {
            *last = Instant::now();
            // Nobody sees it: then nobody misses it.
            let _ = write!(io::stderr(), "\r{}\x1b[K", words());
        }
    }

    /// Takes it away.
    pub fn clear(&self) {
        if self.is_shown {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.clear();
    }
}

/// A count of what is done, shown from time to time.
#[derive(Debug)]
pub struct Progress {
    total: u64,
    done: AtomicU64,
    line: Line,
}

impl Progress {
    /// Progress towards `total` intents.
    pub fn new(total: u64) -> Progress {
        Progress { total, done: AtomicU64::new(0), line: Line::new() }
    }

    /// One more intent is done.
    pub fn step(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        self.line.show(|| format!("{done} of {} intents", self.total));
    }
}
