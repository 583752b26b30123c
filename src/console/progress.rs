//! How far a long probe is, on standard error. Invariant: only a terminal sees it, nothing of it stays there, and what is
//! left is said only once enough was done to tell.

use std::convert::Infallible;
use std::future::Future;
use std::io::{self, IsTerminal, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Nothing is shown before this, and nothing more often.
const PAUSE: Duration = Duration::from_millis(250);

/// Before this nobody knows how fast it goes.
const TOO_EARLY: Duration = Duration::from_secs(1);

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
    began: Instant,
    done: AtomicU64,
    line: Line,
}

impl Progress {
    /// Progress towards `total` intents.
    pub fn new(total: u64) -> Progress {
        Progress { total, began: Instant::now(), done: AtomicU64::new(0), line: Line::new() }
    }

    /// One more intent is done.
    pub fn step(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        self.line.show(|| {
            let left = estimated(done, self.total, self.began.elapsed()).map(left).unwrap_or_default();
            format!("{done} of {} intents{left}", self.total)
        });
    }
}

/// Does `work`, and shows meanwhile what `line` says of it.
pub async fn beside<T>(work: impl Future<Output = T>, line: impl Fn() -> String) -> T {
    tokio::select! {
        biased;
        done = work => done,
        never = showing(line) => match never {},
    }
}

async fn showing(line: impl Fn() -> String) -> Infallible {
    let shown = Line::new();
    loop {
        tokio::time::sleep(PAUSE).await;
        shown.show(&line);
    }
}

/// How long the rest takes at the pace so far; None where that cannot be told yet, or no more.
pub fn estimated(done: u64, total: u64, elapsed: Duration) -> Option<Duration> {
    let is_known = elapsed >= TOO_EARLY && done > 0 && done < total;
    is_known.then(|| elapsed.mul_f64(total.saturating_sub(done) as f64 / done as f64))
}

/// In words, to be said behind others.
pub fn left(time: Duration) -> String {
    match time.as_secs() {
        0 => ", a moment left".to_owned(),
        seconds @ ..100 => format!(", about {seconds} s left"),
        seconds => format!(", about {} min left", (seconds + 30) / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_takes_as_long_as_its_share() {
        let after = |seconds| Duration::from_secs(seconds);
        assert_eq!(estimated(10, 40, after(20)), Some(after(60)));
        assert_eq!((estimated(0, 40, after(20)), estimated(40, 40, after(20))), (None, None));
        assert_eq!(estimated(10, 40, Duration::from_millis(900)), None, "too early to tell");
        assert_eq!(estimated(50, 40, after(20)), None, "more was done than was planned");
    }

    #[test]
    fn time_left_is_said_in_seconds_or_minutes() {
        let said = [300, 1000, 99_900, 100_000, 290_000].map(|ms| left(Duration::from_millis(ms)));
        let wanted =
            [", a moment left", ", about 1 s left", ", about 99 s left", ", about 2 min left", ", about 5 min left"];
        assert_eq!(said, wanted);
    }
}
