//! Results to standard output, everything else to standard error. Invariant: a reader that goes away (`idem probe |
//! head -1`) is not an error, and a word that cannot be said on standard error changes nothing.

use std::fmt::Arguments;
use std::io::{self, BufWriter, Write};

use crate::terms::exit::Exit;

/// Says a line on standard error.
macro_rules! say {
    ($($words:tt)*) => { $crate::console::output::line(format_args!($($words)*)) };
}

pub(crate) use say;

/// Writes results, buffered. A closed pipe ends the writing quietly; any other failure is an error.
pub fn results(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(64 * 1024, io::stdout().lock());
    match write(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// Writes results that end in `exit`. Where they cannot be written that is said, and only a worse exit stands: what was
/// found stays found.
pub fn report(exit: Exit, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Exit {
    match results(write) {
        Ok(()) => exit,
        Err(error) => {
            say!("idem: error: cannot write to standard output: {error}");
            exit.and(Exit::Precondition)
        }
    }
}

/// What `say!` does: a line on standard error, without the panic of `eprintln!` where nobody can hear it.
pub fn line(words: Arguments) {
    let _ = writeln!(io::stderr().lock(), "{words}");
}
