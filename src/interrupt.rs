//! Ctrl-C and SIGTERM. Invariant: whoever is interrupted leaves with 130 and without temporary files.

use std::future::Future;
use std::io;

use anyhow::Context;

use crate::exit::Exit;

/// Runs `work` on a runtime of this thread until it is done or a signal comes; then it is dropped, with all that it
/// holds, and the exit is 130.
pub fn until_signal(work: impl Future<Output = anyhow::Result<Exit>>) -> anyhow::Result<Exit> {
    runtime()?.block_on(async {
        tokio::select! {
            biased;
            signalled = signalled() => signalled.map(|()| interrupted()).context("cannot watch for ctrl-c"),
            done = work => done,
        }
    })
}

/// For commands that do not wait on anything themselves and hold no temporary files: ends the process with 130 when a
/// signal comes. Errors: the watch cannot be set up.
pub fn exit_on_signal() -> anyhow::Result<()> {
    let runtime = runtime()?;
    std::thread::spawn(move || {
        if runtime.block_on(signalled()).is_ok() {
            std::process::exit(interrupted() as i32);
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

fn interrupted() -> Exit {
    eprintln!("idem: interrupted");
    Exit::Interrupted
}
