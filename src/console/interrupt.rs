//! Ctrl-C and SIGTERM. Invariant: whoever is interrupted leaves with 130, without temporary files, and at once where it
//! only writes to somebody who does not read. A second signal does not wait for anything.

use std::future::Future;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Notify;

use super::output::say;
use crate::terms::exit::Exit;

/// Runs `work` on a runtime of this thread until it is done or a signal comes; then it is dropped, with all that it
/// holds, and the exit is 130.
pub fn until_signal(work: impl Future<Output = anyhow::Result<Exit>>) -> anyhow::Result<Exit> {
    Ok(unless_interrupted(work)?.unwrap_or(Exit::Interrupted))
}

/// The same for work that has a result of its own; None where it was interrupted. From its end on a signal ends the
/// process.
pub fn unless_interrupted<T>(work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<Option<T>> {
    let stop = Arc::new(Notify::new());
    let under_way = Arc::new(AtomicBool::new(true));
    watch({
        let (stop, under_way) = (stop.clone(), under_way.clone());
        move || match under_way.swap(false, Ordering::SeqCst) {
            true => stop.notify_one(),
            false => std::process::exit(Exit::Interrupted as i32),
        }
    })?;
    let done = runtime()?.block_on(async {
        tokio::select! {
            biased;
            () = stop.notified() => Ok(None),
            done = work => done.map(Some),
        }
    });
    // A signal that came while the work ended was meant for it.
    if under_way.swap(false, Ordering::SeqCst) { done } else { done.map(|_| None) }
}

/// For commands that do not wait on anything themselves and hold no temporary files: ends the process with 130 when a
/// signal comes. Errors: the watch cannot be set up.
pub fn exit_on_signal() -> anyhow::Result<()> {
    watch(|| std::process::exit(Exit::Interrupted as i32))
}

/// Calls back for every signal, from a thread of its own. Signals are caught from the return on.
fn watch(mut signalled: impl FnMut() + Send + 'static) -> anyhow::Result<()> {
    let runtime = runtime()?;
    let mut signals = {
        let _inside = runtime.enter();
        Signals::catch().context("cannot watch for ctrl-c")?
    };
    std::thread::spawn(move || {
        loop {
            runtime.block_on(signals.next());
            say!("idem: interrupted");
            signalled();
        }
    });
    Ok(())
}

fn runtime() -> anyhow::Result<Runtime> {
    Builder::new_current_thread().enable_all().build().context("cannot start the runtime")
}

#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn catch() -> io::Result<Signals> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Signals { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

#[cfg(not(unix))]
struct Signals(tokio::signal::windows::CtrlC);

#[cfg(not(unix))]
impl Signals {
    fn catch() -> io::Result<Signals> {
        tokio::signal::windows::ctrl_c().map(Signals)
    }

    async fn next(&mut self) {
        self.0.recv().await;
    }
}
