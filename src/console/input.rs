//! Inputs by their path. Invariant: `-` is standard input everywhere, and is called that in messages.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use anyhow::Context;

/// Bytes read at a time.
const BUFFER: usize = 256 * 1024;

/// Errors: the file cannot be opened.
pub fn open(path: &Path) -> anyhow::Result<Box<dyn BufRead>> {
    if is_stdin(path) {
        return Ok(Box::new(BufReader::with_capacity(BUFFER, io::stdin().lock())));
    }
    let file = File::open(path).with_context(|| format!("cannot open {}", name(path)))?;
    Ok(Box::new(BufReader::with_capacity(BUFFER, file)))
}

pub fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// How messages call it.
pub fn name(path: &Path) -> String {
    if is_stdin(path) { "standard input".to_owned() } else { path.display().to_string() }
}
