//! The file of readings. Invariant: it is appended to, one write a line, and a line is never glued to a torn one.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use anyhow::Context;

use super::attempt_line::AttemptLine;

pub struct Readings {
    file: File,
    name: String,
    /// The file ends in the middle of a line, which the next must not be glued to.
    is_torn: bool,
}

impl Readings {
    /// # Errors
    /// The file cannot be opened or made.
    pub fn open(path: &Path) -> anyhow::Result<Readings> {
        let name = format!("--readings {}", path.display());
        let mut file =
            OpenOptions::new().read(true).append(true).create(true).open(path).with_context(|| name.clone())?;
        let is_torn = ends_torn(&mut file).with_context(|| name.clone())?;
        Ok(Readings { file, name, is_torn })
    }

    /// What stands in a file already, a reading a line; nothing where there is no file.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn before(path: &Path) -> anyhow::Result<Vec<Vec<u8>>> {
        match std::fs::read(path) {
            Ok(text) => {
                Ok(text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(<[u8]>::to_vec).collect())
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error).with_context(|| format!("--readings {}", path.display())),
        }
    }

    /// # Errors
    /// A line cannot be written.
    pub fn append(&mut self, readings: &[AttemptLine]) -> anyhow::Result<()> {
        for line in readings {
            let mut bytes = if std::mem::take(&mut self.is_torn) { b"\n".to_vec() } else { Vec::new() };
            bytes.extend(line.json());
            bytes.push(b'\n');
            self.file.write_all(&bytes).with_context(|| self.name.clone())?;
        }
        Ok(())
    }
}

/// False for an empty file and for what cannot be read back, such as a pipe.
fn ends_torn(file: &mut File) -> std::io::Result<bool> {
    if !file.metadata()?.is_file() || file.metadata()?.len() == 0 {
        return Ok(false);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}
