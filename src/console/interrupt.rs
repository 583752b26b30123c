//! Ctrl-C and SIGTERM. Invariant: whoever is interrupted leaves with 130, without temporary files, and at once where it
//! only writes to somebody who does not read. A second signal waits for nothing but what is [`Held`].

use std::future::Future;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use anyhow::Context;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Notify;

use super::output::say;
use crate::terms::exit::Exit;

/// How many are there now, and the news that one has gone.
static HELD: (Mutex<usize>, Condvar) = (Mutex::new(0), Condvar::new());

/// While one is there, no signal ends the process: something has to be put right before.
pub struct Held(());

impl Held {
    pub fn new() -> Held {
        *HELD.0.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        Held(())
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        *HELD.0.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        HELD.1.notify_all();
    }
}

/// Ends the process once nothing is held. Nothing can be held anew meanwhile.
fn leave() -> ! {
    let held = HELD.0.lock().unwrap_or_else(PoisonError::into_inner);
    let _none = HELD.1.wait_while(held, |held| *held > 0);
    std::process::exit(Exit::Interrupted.code().into())
}

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
            false => leave(),
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
    watch(|| leave())
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
