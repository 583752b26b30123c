//! Stack traces over many lines, joined with the line that they belong to. Invariant: frames and source lines are never
//! kept, so they are no evidence and cost no memory; a line that may tell of a call of its own is not joined.

use super::prefix::Stripped;
use super::reader::{LONGEST, Position};
use crate::classify::judge::chain::names_client;

/// What a line is to the lines above it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// Belongs to them, and says something.
    Words,
    /// Belongs to them, and says only where in the code it was.
    Frame,
    /// Begins something new.
    Apart,
}

/// Which trace is open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Trace {
    #[default]
    Nothing,
    /// Python's, up to the line that names the exception.
    Python,
    /// Go's, whose frames are not indented.
    Go,
    /// Rust's numbered frames.
    Backtrace,
    /// A message follows in the next line (Rust's `panicked at`, Python's `During handling of …`).
    Announced,
    /// Whatever is indented belongs to it (anyhow's `Caused by:`).
    Causes,
}

/// A line of words and what was joined with it.
#[derive(Default)]
pub struct Block {
    pub text: String,
    /// Where its first line stands. None: no block is open.
    pub at: Option<Position>,
    /// The time in front of its first line, as it was written.
    pub time: Option<String>,
    /// Lines that it has taken, frames too.
    pub lines: u64,
    /// Whether what it says is longer than may be kept.
    pub too_long: bool,
    record: bool,
    trace: Trace,
    frames: bool,
    /// Objects and lists that are open in it, as Node prints them.
    braces: u32,
    /// At this many open the object ends that only repeats the request.
    skipped: Option<u32>,
}

impl Block {
    /// Begins a block with its first line. The buffer is kept.
    pub fn begin(&mut self, at: Position, line: &Stripped) {
        self.text.clear();
        let text = std::mem::take(&mut self.text);
        *self =
            Block { text, at: Some(at), time: line.time.map(str::to_owned), record: line.record, ..Block::default() };
        self.keep(line.rest.trim_end());
    }

    /// Takes a line that belongs to the block. False for one that does not.
    pub fn takes(&mut self, line: &Stripped, indented: bool) -> bool {
        if self.at.is_none() {
            return false;
        }
        let words = line.rest.trim().trim_start_matches(['|', '+']).trim_start();
        match self.part(words, line, indented || line.rest.starts_with([' ', '\t'])) {
            Part::Apart => return false,
            Part::Frame => {
                self.frames = true;
                self.lines += 1;
                self.count(words);
                self.name_client(words);
            }
            Part::Words => self.keep(words),
        }
        true
    }

    /// Keeps a frame that names a client which sends again by itself, or one that does not: as a frame, so indented.
    fn name_client(&mut self, words: &str) {
        if self.text.len() + words.len() < LONGEST && names_client(words) {
            self.text.push_str("\n    ");
            self.text.push_str(words);
        }
    }

    fn part(&self, words: &str, line: &Stripped, indented: bool) -> Part {
        if self.braces > 0 && (indented || words.starts_with(['}', ']'])) {
            return if self.skipped.is_some() || is_frame(words) { Part::Frame } else { Part::Words };
        }
        if (indented || words.starts_with(['#', '/'])) && is_frame(words) {
            return Part::Frame;
        }
        let continued = !line.record || self.record;
        match self.trace {
            Trace::Python if indented => return Part::Frame,
            Trace::Python | Trace::Announced if continued => return Part::Words,
            Trace::Go if indented || words.ends_with(')') || words.starts_with("created by ") => return Part::Frame,
            Trace::Go if words.starts_with("exit status ") => return Part::Frame,
            Trace::Backtrace if indented => return Part::Frame,
            Trace::Causes if indented => return Part::Words,
            Trace::Nothing | Trace::Python | Trace::Go | Trace::Backtrace | Trace::Announced | Trace::Causes => {}
        }
        let first = !self.frames && self.trace == Trace::Nothing;
        let joins = is_link(words)
            || (first && is_head(words) && continued)
            || (first && self.record && !line.record && (indented || names_error(words)))
            || (first && indented && !line.record && names_error(behind_level(&self.text)))
            || (self.frames && indented && !line.record);
        if joins { Part::Words } else { Part::Apart }
    }

    /// Keeps what a line says, and what it opens.
    fn keep(&mut self, words: &str) {
        self.lines += 1;
        if self.text.len() + words.len() > LONGEST {
            self.too_long = true;
        } else {
            if !self.text.is_empty() {
                self.text.push('\n');
            }
            self.text.push_str(words);
        }
        self.trace = opened(words).unwrap_or(match self.trace {
            Trace::Causes => Trace::Causes,
            // The line that was waited for has come.
            Trace::Nothing | Trace::Python | Trace::Go | Trace::Backtrace | Trace::Announced => Trace::Nothing,
        });
        self.frames |= self.trace != Trace::Nothing;
        self.count(words);
    }

    fn count(&mut self, words: &str) {
        if words.starts_with(['}', ']']) {
            self.braces = self.braces.saturating_sub(1);
        }
        if self.skipped.is_some_and(|until| self.braces <= until) {
            self.skipped = None;
        }
        if words.ends_with(['{', '[']) {
            let repeats = ["config:", "request:", "options:", "_options:", "headers:"];
            if repeats.iter().any(|name| words.starts_with(name)) {
                self.skipped.get_or_insert(self.braces);
            }
            self.braces += 1;
        }
    }
}

/// What a line opens.
fn opened(words: &str) -> Option<Trace> {
    if is_traceback(words) {
        return Some(Trace::Python);
    }
    let opens = [
        ("goroutine ", Trace::Go),
        ("stack backtrace:", Trace::Backtrace),
        ("Stack backtrace:", Trace::Backtrace),
        ("thread '", Trace::Announced),
        ("During handling of the above exception", Trace::Announced),
        ("The above exception was", Trace::Announced),
    ];
    let found = opens.iter().find(|(start, _)| words.starts_with(start)).map(|(_, trace)| *trace);
    let found = found.or((words == "Caused by:").then_some(Trace::Causes));
    found.or(is_cause_of_r(words).then_some(Trace::Announced))
}

/// Python's head of a trace, whatever stands before it. The place to look is the bracket, which is rarer than letters.
fn is_traceback(words: &str) -> bool {
    let open = memchr::memchr_iter(b'(', words.as_bytes());
    open.into_iter().any(|at| {
        let (before, behind) = words.split_at_checked(at).unwrap_or((words, ""));
        before.ends_with("Traceback ") && behind.starts_with("(most recent call last)")
    })
}

/// A place in the code: never evidence.
fn is_frame(words: &str) -> bool {
    words.starts_with("at ")
        || words.starts_with("File \"")
        || (words.starts_with("from ") && words.contains(":in "))
        || (words.starts_with('/') && (words.contains(":in `") || words.contains(":in '")))
        || words.starts_with("... ")
        || words.starts_with("--- End of ")
        || words.starts_with("thrown in /")
        || words.starts_with("note: run with `RUST_BACKTRACE")
        || is_numbered(words)
        || (!words.is_empty() && words.bytes().all(|b| matches!(b, b'^' | b'~' | b' ' | b'-' | b'+')))
}

/// A frame as PHP and gdb number them: `#0 /app/pay.php(12): charge()`, `#1 {main}`, `#2  0x00007f in charge ()`. A build
/// tool numbers its steps so as well.
fn is_numbered(words: &str) -> bool {
    let behind = words.strip_prefix('#').map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    let Some(place) = behind.filter(|behind| behind.len() + 1 < words.len() && behind.starts_with(' ')) else {
        return false;
    };
    let place = place.trim_start();
    ["/", "{main}", "[internal function]", "0x"].iter().any(|start| place.starts_with(start)) || place.contains("): ")
}

/// Words that only ever go on with an error that was told above.
fn is_link(words: &str) -> bool {
    const LINKS: [&str; 13] = [
        "Caused by:",
        "Suppressed:",
        "[cause]:",
        "--->",
        "During handling of the above exception",
        "The above exception was",
        "Wrapped by:",
        "Next ",
        "[errors]:",
        "Stack trace:",
        "stack backtrace:",
        "Stack backtrace:",
        "goroutine ",
    ];
    // R writes the message in the next line, or all in one, which is then a message like any other.
    if is_cause_of_r(words) {
        return true;
    }
    LINKS.iter().any(|link| words.starts_with(link))
        && (!words.starts_with("Next ") || words.split_once(' ').is_some_and(|(_, error)| names_error(error)))
}

fn is_cause_of_r(words: &str) -> bool {
    words.starts_with("Caused by error in ") && words.ends_with(':')
}

/// Words that begin a trace below the line that it belongs to; two of them are two traces.
fn is_head(words: &str) -> bool {
    words.starts_with("Traceback (most recent call last)")
}

/// What stands behind the level that a line begins with.
fn behind_level(words: &str) -> &str {
    match words.split_once(' ') {
        Some(("ERROR" | "WARN" | "WARNING" | "FATAL" | "CRITICAL", rest)) => rest.trim_start(),
        Some(_) | None => words,
    }
}

/// Whether the first word is the name of an error.
fn names_error(words: &str) -> bool {
    let first = words.split([' ', ':', '(']).next().unwrap_or("");
    let name = first.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'$' | b'\\'));
    const ENDS: [&str; 6] = ["Error", "Exception", "Timeout", "Failure", "Throwable", "Fault"];
    (name && ENDS.iter().any(|end| first.ends_with(end)))
        || ["panic:", "Exception in thread", "Errno::", "Net::", "Faraday::"]
            .iter()
            .any(|start| words.starts_with(start))
}

#[cfg(test)]
mod tests;
