//! What GitHub's runner reads of a step: annotations on a stream, a page in a file. Invariant: nothing that others wrote
//! can end an annotation or begin another, and results stay as they are: all of it goes to standard error.

use std::io::Write;

use super::output::say;

/// How an annotation is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    Error,
    Warning,
}

/// Whether this is a step of a workflow (docs.github.com, default environment variables).
pub fn is_here() -> bool {
    std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true")
}

/// Shows an annotation. The runner reads both streams.
pub fn annotate(level: Level, title: &str, message: &str) {
    say!("{}", annotation(level, title, message));
}

fn annotation(level: Level, title: &str, message: &str) -> String {
    let level = match level {
        Level::Error => "error",
        Level::Warning => "warning",
    };
    let title = data(title).replace(':', "%3A").replace(',', "%2C");
    format!("::{level} title={title}::{}", data(message))
}

/// As the runner unescapes it (actions/toolkit, `command.ts`). A `##[` is the begin of its older form of a command, which
/// it finds anywhere in a line.
fn data(text: &str) -> String {
    let escaped = text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    escaped.replace("##[", "## [")
}

/// Appends a page to the step's summary. One that cannot be written is said.
pub fn summarise(markdown: &str) {
    let Some(path) = std::env::var_os("GITHUB_STEP_SUMMARY") else { return };
    let file = std::fs::OpenOptions::new().append(true).create(true).open(&path);
    if let Err(error) = file.and_then(|mut file| file.write_all(format!("{markdown}\n").as_bytes())) {
        say!("idem: cannot write the step summary {}: {error}", path.display());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_annotation_is_one_line_whatever_is_in_it() {
        let said = annotation(Level::Error, "a: b, c", "100%\r\n::warning::x ##[add-mask]y");
        assert_eq!(said, "::error title=a%3A b%2C c::100%25%0D%0A::warning::x ## [add-mask]y");
        assert_eq!(annotation(Level::Warning, "t", "m"), "::warning title=t::m");
    }
}
