//! Ctrl-C and SIGTERM. Invariant: whoever is interrupted leaves with 130 and without temporary files.

use std::future::Future;
use std::io;

use anyhow::Context;

use crate::exit::Exit;
use crate::output::say;

/// Runs `work` on a runtime of this thread until it is done or a signal comes; then it is dropped, with all that it
/// holds, and the exit is 130.
pub fn until_signal(work: impl Future<Output = anyhow::Result<Exit>>) -> anyhow::Result<Exit> {
    Ok(unless_interrupted(work)?.unwrap_or(Exit::Interrupted))
}

/// The same for work that has a result of its own; None where it was interrupted. From then on a signal ends the
/// process, also while it writes to somebody who does not read.
pub fn unless_interrupted<T>(work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<Option<T>> {
    let done = runtime()?.block_on(async {
        tokio::select! {
            biased;
            signalled = signalled() => signalled.map(|()| None).context("cannot watch for ctrl-c"),
            done = work => done.map(Some),
        }
    })?;
    match done {
        Some(_) => exit_on_signal()?,
        None => say!("idem: interrupted"),
    }
    Ok(done)
}

/// For commands that do not wait on anything themselves and hold no temporary files: ends the process with 130 when a
/// signal comes. Errors: the watch cannot be set up.
pub fn exit_on_signal() -> anyhow::Result<()> {
    let runtime = runtime()?;
    std::thread::spawn(move || {
        if runtime.block_on(signalled()).is_ok() {
            say!("idem: interrupted");
            std::process::exit(Exit::Interrupted as i32);
        }
    });
    Ok(())
}

fn runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build().context("cannot start the runtime")
}

#[cfg(unix)]
async fn signalled() -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    tokio::select! {
        _ = interrupt.recv() => Ok(()),
        _ = terminate.recv() => Ok(()),
    }
}

#[cfg(not(unix))]
async fn signalled() -> io::Result<()> {
    tokio::signal::ctrl_c().await
}
