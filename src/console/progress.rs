//! How far a long probe is, on standard error. Invariant: only a terminal sees it, and nothing of it stays there.

use std::io::{self, IsTerminal, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Nothing is shown before this, and nothing more often.
const PAUSE: Duration = Duration::from_millis(250);

/// A count of what is done, shown from time to time.
#[derive(Debug)]
pub struct Progress {
    total: u64,
    state: Mutex<State>,
    is_shown: bool,
}

#[derive(Debug)]
struct State {
    done: u64,
    last: Instant,
}

impl Progress {
    /// Progress towards `total` intents.
    pub fn new(total: u64) -> Progress {
        let state = Mutex::new(State { done: 0, last: Instant::now() });
        Progress { total, state, is_shown: io::stderr().is_terminal() }
    }

    /// One more intent is done.
    pub fn step(&self) {
        if !self.is_shown {
            return;
        }
        let mut state = self.state.lock().expect("nobody panics while counting");
        state.done += 1;
        if state.last.elapsed() >= PAUSE {
            state.last = Instant::now();
            // Nobody sees it: then nobody misses it.
            let _ = write!(io::stderr(), "\r{} of {} intents\x1b[K", state.done, self.total);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.is_shown {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}
