//! The user's command, as a client of the proxy. Invariant: it leads a process group of its own, and none of that group
//! outlives us: it is ended with whoever started it.

use std::ffi::OsString;
use std::io;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use anyhow::{Context, ensure};

use crate::console::interrupt::Held;
use crate::console::output::say;

/// Between two looks at whether it has ended.
const LOOK: Duration = Duration::from_millis(2);

/// For a command to end by itself once it is told to.
const LEAVE: Duration = Duration::from_secs(1);

pub struct Client {
    child: Child,
    /// A second Ctrl-C waits until the group is gone.
    _held: Held,
    has_ended: bool,
}

impl Client {
    /// Starts the command. Its output is ours, so that a test suite shows it as it comes; its input is empty.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn start(command: &[OsString], url: &str, run: &str) -> anyhow::Result<Client> {
        let (program, args) = command.split_first().context("no command")?;
        ensure!(!program.is_empty(), "the command behind -- is empty");
        let mut command = Command::new(program);
        command.args(args).env("IDEM_PROXY", url).env("IDEM_RUN", run).stdin(Stdio::null());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let child = command.spawn().with_context(|| format!("cannot run {}", program.display()))?;
        Ok(Client { child, _held: Held::new(), has_ended: false })
    }

    /// Its code, once it has ended: that of a signal is 128 and its number, as shells have it. May be dropped and called
    /// again.
    ///
    /// # Errors
    /// It cannot be waited for.
    pub async fn ended(&mut self) -> anyhow::Result<u8> {
        loop {
            if let Some(status) = self.child.try_wait().context("cannot wait for the command")? {
                self.has_ended = true;
                return Ok(code(status));
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Kills the whole group, and waits for the command.
    ///
    /// # Errors
    /// It cannot be waited for.
    pub fn kill(&mut self) -> anyhow::Result<()> {
        self.signal("KILL");
        self.child.wait().context("cannot wait for the command")?;
        self.has_ended = true;
        Ok(())
    }

    /// Sends a signal to the group. The shell's own kill knows groups, which the standard library does not.
    fn signal(&mut self, name: &str) {
        let group = self.child.id().to_string();
        let mut kill = Command::new("/bin/sh");
        kill.args(["-c", "kill -s $1 -- -$2", "sh", name, &group]).stdout(Stdio::null()).stderr(Stdio::null());
        // Without a shell there is at least the command itself to end.
        if kill.status().is_err() {
            let _ = self.child.kill();
        }
    }

    fn wait_shortly(&mut self) -> io::Result<bool> {
        let end = std::time::Instant::now() + LEAVE;
        while std::time::Instant::now() < end {
            if self.child.try_wait()?.is_some() {
                return Ok(true);
            }
            std::thread::sleep(LOOK);
        }
        Ok(false)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if self.has_ended {
            return;
        }
        self.signal("TERM");
        let _ = self.wait_shortly();
        // What did not listen, and what the command left behind.
        self.signal("KILL");
        if let Err(error) = self.child.wait() {
            say!("idem: error: cannot wait for the command: {error}");
        }
    }
}

#[cfg(unix)]
fn code(status: ExitStatus) -> u8 {
    use std::os::unix::process::ExitStatusExt;
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    u8::try_from(code).unwrap_or(u8::MAX)
}

#[cfg(not(unix))]
fn code(status: ExitStatus) -> u8 {
    u8::try_from(status.code().unwrap_or(1)).unwrap_or(u8::MAX)
}
