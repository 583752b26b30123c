//! The user's own commands, run by /bin/sh. Invariant: a command is waited for by its own exit; a child that it leaves
//! behind, holding its output, holds nobody up.

use std::fs::File;
use std::io::{Read, Seek};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// For a command that changes something at the server.
pub const PATIENCE: Duration = Duration::from_secs(60);
/// Between two looks whether a command has ended.
const LOOK: Duration = Duration::from_millis(1);

/// Runs a command and gives its standard output.
///
/// # Errors
/// Says how it ended where it failed, with the first line of its standard error, or that it took too long.
pub async fn output(command: &str, patience: Duration) -> Result<String, String> {
    let (out, mut text) = scratch()?;
    run(command, Stdio::from(out), Some(scratch()?), patience).await?;
    read_back(&mut text)
}

/// As [`output`], into a file without a name, of which it may be more than memory holds.
///
/// # Errors
/// As [`output`].
pub async fn spooled(command: &str, patience: Duration) -> Result<File, String> {
    let (out, mut file) = scratch()?;
    run(command, Stdio::from(out), Some(scratch()?), patience).await?;
    file.rewind().map_err(|error| format!("cannot read what the command said: {error}"))?;
    Ok(file)
}

/// As [`output`], of a command whose words may be credentials: no error has any of them.
///
/// # Errors
/// Says how it ended where it failed, or that it took too long.
pub async fn secret_output(command: &str, patience: Duration) -> Result<String, String> {
    let (out, mut text) = scratch()?;
    run(command, Stdio::from(out), None, patience).await?;
    read_back(&mut text)
}

/// Runs a command for its effect.
///
/// # Errors
/// As [`output`].
pub async fn effect(command: &str, patience: Duration) -> Result<(), String> {
    run(command, Stdio::null(), Some(scratch()?), patience).await
}

/// A command under way. It is waited for, or it is killed when its time is over; dropping it leaves it alone.
pub struct Started {
    child: Child,
    /// Its standard error; None where that is not to be told.
    complaint: Option<File>,
    end: Instant,
    patience: Duration,
}

impl Started {
    /// Begins a command that a Ctrl-C at the terminal does not reach: it is in a group of its own.
    ///
    /// # Errors
    /// Says that the shell could not be run.
    pub fn apart(command: &str, patience: Duration) -> Result<Started, String> {
        let mut shell = shell(command);
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut shell, 0);
        Started::begin(shell, Stdio::null(), Some(scratch()?), patience)
    }

    fn begin(
        mut shell: Command,
        out: Stdio,
        complaint: Option<(File, File)>,
        patience: Duration,
    ) -> Result<Started, String> {
        let (err, complaint) = complaint.map_or((Stdio::null(), None), |(err, read)| (err.into(), Some(read)));
        let child = shell.stdin(Stdio::null()).stdout(out).stderr(err).spawn();
        let child = child.map_err(|error| format!("cannot run /bin/sh: {error}"))?;
        Ok(Started { child, complaint, end: Instant::now() + patience, patience })
    }

    /// How it ended; None while it goes on.
    fn ended(&mut self) -> Option<Result<(), String>> {
        match self.child.try_wait() {
            Ok(Some(status)) if status.success() => Some(Ok(())),
            Ok(Some(status)) => Some(Err(self.told(status))),
            Ok(None) if Instant::now() > self.end => {
                let _ = self.child.kill();
                let _ = self.child.wait();
                Some(Err(format!("the command has not ended after {:?}", self.patience)))
            }
            Ok(None) => None,
            Err(error) => Some(Err(format!("cannot wait for the command: {error}"))),
        }
    }

    /// How it failed, with the first line that it complained by.
    fn told(&mut self, status: ExitStatus) -> String {
        match self.complaint.as_mut().map(read_back) {
            None => format!("the command ended with {status}"),
            Some(Ok(said)) => format!("the command ended with {status}: {}", said.lines().next().unwrap_or("")),
            Some(Err(why)) => why,
        }
    }

    /// Waits for its end.
    ///
    /// # Errors
    /// As [`output`].
    pub async fn over(&mut self) -> Result<(), String> {
        loop {
            match self.ended() {
                Some(how) => return how,
                None => tokio::time::sleep(LOOK).await,
            }
        }
    }

    /// The same while everything else ends, and nothing else has to go on.
    ///
    /// # Errors
    /// As [`output`].
    pub fn over_at_last(&mut self) -> Result<(), String> {
        loop {
            match self.ended() {
                Some(how) => return how,
                None => std::thread::sleep(LOOK),
            }
        }
    }
}

fn shell(command: &str) -> Command {
    let mut shell = Command::new("/bin/sh");
    shell.arg("-c").arg(command);
    shell
}

/// `complaint` takes its standard error, to be told; None throws it away.
async fn run(command: &str, out: Stdio, complaint: Option<(File, File)>, patience: Duration) -> Result<(), String> {
    Started::begin(shell(command), out, complaint, patience)?.over().await
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
    fn a_command_that_does_not_end_is_killed_when_its_time_is_over() {
        let mut started = Started::apart("sleep 60", Duration::from_millis(50)).unwrap();
        assert_eq!(started.over_at_last().unwrap_err(), "the command has not ended after 50ms");
        let mut started = Started::apart("exit 4", Duration::from_secs(50)).unwrap();
        assert!(started.over_at_last().unwrap_err().contains("exit status: 4"));
    }

    #[test]
    fn what_may_be_a_credential_is_in_no_error() {
        let failed = block(secret_output("echo s3cr3t; echo s3cr3t >&2; exit 3", Duration::from_secs(5))).unwrap_err();
        assert_eq!(failed, "the command ended with exit status: 3");
        assert_eq!(block(secret_output("echo hi", Duration::from_secs(5))).unwrap(), "hi\n");
    }

    #[test]
    fn a_child_left_behind_is_not_waited_for() {
        // The sleeper holds the command's output open; without it the test would time out.
        block(effect("sleep 15 & echo started", Duration::from_secs(10))).unwrap();
    }
}
