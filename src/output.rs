//! Results to standard output. Invariant: a reader that goes away (`idem probe | head -1`) is no error.

use std::io::{self, BufWriter, Write};

/// Writes results, buffered. A closed pipe ends the writing quietly; any other failure is an error.
pub fn results(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(64 * 1024, io::stdout().lock());
    quiet(write(&mut out).and_then(|()| out.flush()))
}

/// Turns a closed pipe into the end of the output.
pub fn quiet(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}
