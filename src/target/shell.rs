//! The user's own commands, run by /bin/sh. Invariant: a command is waited for by its own exit; a child that it leaves
//! behind, holding its output, holds nobody up.

use std::fs::File;
use std::io::{Read, Seek};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::console::output::say;
use crate::console::printable::printable;

/// For a command that changes something at the server.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Runs a command and gives its standard output.
///
/// # Errors
/// Says how it ended where it failed, with the first line of its standard error, or that it took too long.
pub async fn output(command: &str, patience: Duration) -> Result<String, String> {
    let (out, mut text) = scratch()?;
    run(command, Stdio::from(out), patience).await?;
    read_back(&mut text)
}

/// Runs a command for its effect.
///
/// # Errors
/// As [`output`].
pub async fn effect(command: &str, patience: Duration) -> Result<(), String> {
    run(command, Stdio::null(), patience).await
}

/// Runs a command while everything else ends, and waits for it. Nobody is left to be told how it went but the user.
pub fn at_last(command: &str) {
    let mut shell = Command::new("/bin/sh");
    let ended = shell.arg("-c").arg(command).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    match ended {
        Ok(status) if status.success() => {}
        Ok(status) => say!("idem: error: `{}` ended with {status}", printable(command)),
        Err(error) => say!("idem: error: cannot run /bin/sh: {error}"),
    }
}

async fn run(command: &str, out: Stdio, patience: Duration) -> Result<(), String> {
    let (err, mut complaint) = scratch()?;
    let spawned = Command::new("/bin/sh").arg("-c").arg(command).stdin(Stdio::null()).stdout(out).stderr(err).spawn();
    let mut child = spawned.map_err(|error| format!("cannot run /bin/sh: {error}"))?;
    let end = tokio::time::Instant::now() + patience;
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => {
                let said = read_back(&mut complaint)?;
                return Err(format!("the command ended with {status}: {}", said.lines().next().unwrap_or("")));
            }
            Ok(None) if tokio::time::Instant::now() > end => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("the command has not ended after {patience:?}"));
            }
            Ok(None) => tokio::time::sleep(Duration::from_millis(1)).await,
            Err(error) => return Err(format!("cannot wait for the command: {error}")),
        }
    }
}

/// A file without a name, for writing and for reading back: unlike a pipe it cannot fill, nor be held open against us.
fn scratch() -> Result<(File, File), String> {
    let make = || -> std::io::Result<(File, File)> {
        let file = tempfile::tempfile()?;
        Ok((file.try_clone()?, file))
    };
    make().map_err(|error| format!("cannot make a file in {}: {error}", std::env::temp_dir().display()))
}

fn read_back(file: &mut File) -> Result<String, String> {
    let mut bytes = Vec::new();
    let read = file.rewind().and_then(|()| file.read_to_end(&mut bytes));
    read.map_err(|error| format!("cannot read what the command said: {error}"))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
    }

    #[test]
    fn output_and_failure() {
        assert_eq!(block(output("echo hi", Duration::from_secs(5))).unwrap(), "hi\n");
        let failed = block(output("echo no >&2; exit 3", Duration::from_secs(5))).unwrap_err();
        assert!(failed.contains("3") && failed.ends_with("no"), "{failed}");
    }

    #[test]
    fn a_child_left_behind_is_not_waited_for() {
        // The sleeper holds the command's output open; without it the test would time out.
        block(effect("sleep 15 & echo started", Duration::from_secs(10))).unwrap();
    }
}
