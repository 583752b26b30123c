//! A server that speaks on its standard streams, as a process of ours. Invariant: it ends with its owner, children and all,
//! and whoever waits for an answer of a process that is gone is told so.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, mpsc};

use serde_json::{Value, json};
use tokio::sync::oneshot;

use crate::console::printable::printable;
use crate::mcp::message::{self, Fault, Message, code};

/// Lines of standard error that are kept for a report.
const KEPT: usize = 5;
/// Of one line of a server, in bytes.
const LONGEST: u64 = 16 << 20;

/// A running server.
#[derive(Debug)]
pub struct Process {
    child: Mutex<Child>,
    /// None once nothing more is written.
    input: Mutex<Option<mpsc::Sender<Vec<u8>>>>,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    /// Who waits for which id, in the order in which they asked.
    waiting: Mutex<Vec<(Value, oneshot::Sender<Vec<u8>>)>>,
    is_gone: AtomicBool,
    /// The last lines of its standard error.
    complaints: Mutex<VecDeque<String>>,
}

impl Process {
    /// A server whose answers find who asked.
    ///
    /// # Errors
    /// The command cannot be run.
    pub fn start(command: &[impl AsRef<OsStr>]) -> Result<Process, String> {
        let shared = Arc::new(Shared::default());
        let own = shared.clone();
        let read = move |from, answers: mpsc::Sender<Vec<u8>>| own.read_all(from, &answers);
        let process = Process::spawned(command, shared, Stdio::piped(), read)?;
        let complaints = process.child.lock().expect("nobody has it yet").stderr.take().expect("it is piped");
        let own = process.shared.clone();
        std::thread::spawn(move || own.keep(BufReader::new(complaints)));
        Ok(process)
    }

    /// A server whose lines are heard as they are, without their ends; None at the end. Its standard error is ours.
    ///
    /// # Errors
    /// The command cannot be run.
    pub fn overheard(
        command: &[impl AsRef<OsStr>],
        hear: impl Fn(Option<Vec<u8>>) + Send + 'static,
    ) -> Result<Process, String> {
        Process::spawned(command, Arc::default(), Stdio::inherit(), move |mut from, answers| {
            // Or its input would stay open as long as it does.
            drop(answers);
            while let Some(line) = next_line(&mut from) {
                hear(Some(line));
            }
            hear(None);
        })
    }

    fn spawned(
        command: &[impl AsRef<OsStr>],
        shared: Arc<Shared>,
        stderr: Stdio,
        read: impl FnOnce(BufReader<ChildStdout>, mpsc::Sender<Vec<u8>>) + Send + 'static,
    ) -> Result<Process, String> {
        let (program, args) = command.split_first().ok_or("no command")?;
        let program = program.as_ref();
        let mut started = Command::new(program);
        started.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(stderr);
        // In a group of its own: it ends when we say so, and what it started ends with it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut started, 0);
        let mut child = started.spawn().map_err(|error| format!("cannot run {}: {error}", program.display()))?;
        let (input, lines) = mpsc::channel();
        let to = child.stdin.take().expect("it is piped");
        let from = child.stdout.take().expect("it is piped");
        // Its pipes block; whoever waits for an answer must not.
        std::thread::spawn(move || write_all(to, &lines));
        let answers = input.clone();
        std::thread::spawn(move || read(BufReader::new(from), answers));
        Ok(Process { child: Mutex::new(child), input: Mutex::new(Some(input)), shared })
    }

    /// Nothing more is written to it: it reads to the end, and ends.
    pub fn hang_up(&self) {
        self.input.lock().expect("nobody panics while holding the input").take();
    }

    /// Writes a line that has no answer.
    pub fn tell(&self, line: &[u8]) {
        // Fails where the process is gone, which the next one who asks will see.
        if let Some(input) = &*self.input.lock().expect("nobody panics while holding the input") {
            let _ = input.send(line.to_vec());
        }
    }

    /// Writes a request's line and waits for the line that answers it; None where the process ends before.
    pub async fn ask(&self, id: &Value, line: &[u8]) -> Option<Vec<u8>> {
        let (sender, answer) = oneshot::channel();
        self.shared.lock_waiting().push((id.clone(), sender));
        if self.is_gone() {
            return None;
        }
        self.tell(line);
        answer.await.ok()
    }

    pub fn is_gone(&self) -> bool {
        self.shared.is_gone.load(Ordering::SeqCst)
    }

    /// What it last said on standard error, fit for a terminal; empty where it said nothing.
    pub fn complaint(&self) -> String {
        let complaints = self.shared.complaints.lock().expect("nobody panics while holding the complaints");
        complaints.iter().map(|line| printable(line).into_owned()).collect::<Vec<_>>().join("; ")
    }

    /// Kills it, and what it started.
    pub fn kill(&self) {
        let mut child = self.child.lock().expect("nobody panics while holding the process");
        // Before the rest of the group, so that the moment is the one asked for.
        let _ = child.kill();
        let group = format!("-{}", child.id());
        let _ = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
        let _ = child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

impl Shared {
    fn lock_waiting(&self) -> MutexGuard<'_, Vec<(Value, oneshot::Sender<Vec<u8>>)>> {
        self.waiting.lock().expect("nobody panics while holding those who wait")
    }

    /// Hands each answer to who waits for it, until the process ends.
    fn read_all(&self, mut from: impl BufRead, input: &mpsc::Sender<Vec<u8>>) {
        while let Some(line) = next_line(&mut from) {
            match Message::parse(&line) {
                Ok(Message::Response { id, .. }) => self.answered(&id, line),
                Ok(Message::Request { id, method, .. }) => {
                    let _ = input.send(message::answer(&id, reaction(&method)).to_string().into_bytes());
                }
                // Progress, logs, and what a server writes by mistake.
                Ok(Message::Notification { .. }) | Err(_) => {}
            }
        }
        self.is_gone.store(true, Ordering::SeqCst);
        self.lock_waiting().clear();
    }

    fn answered(&self, id: &Value, line: Vec<u8>) {
        let mut waiting = self.lock_waiting();
        if let Some(first) = waiting.iter().position(|(asked, _)| asked == id) {
            // Whoever asked may have gone.
            let _ = waiting.remove(first).1.send(line);
        }
    }

    fn keep(&self, mut from: impl BufRead) {
        while let Some(line) = next_line(&mut from) {
            let mut complaints = self.complaints.lock().expect("nobody panics while holding the complaints");
            if complaints.len() == KEPT {
                complaints.pop_front();
            }
            complaints.push_back(String::from_utf8_lossy(&line).into_owned());
        }
    }
}

/// The next line, without its end; None at the end of the stream. What was cut off there is no line.
pub fn next_line(from: &mut impl BufRead) -> Option<Vec<u8>> {
    let mut line = Vec::new();
    from.by_ref().take(LONGEST).read_until(b'\n', &mut line).ok()?;
    line.pop_if(|last| *last == b'\n').map(|_| line)
}

/// What a client without any capability answers to a server that asks it something, as those of old may.
fn reaction(method: &str) -> Result<Value, Fault> {
    match method {
        "ping" => Ok(json!({})),
        _ => Err(Fault::new(code::METHOD_NOT_FOUND, format!("this client does not do {method}"))),
    }
}

fn write_all(mut to: ChildStdin, lines: &mpsc::Receiver<Vec<u8>>) {
    for mut line in lines {
        line.push(b'\n');
        if to.write_all(&line).and_then(|()| to.flush()).is_err() {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
    }

    fn shell(script: &str) -> Process {
        Process::start(&["sh", "-c", script].map(str::to_owned)).unwrap()
    }

    const ANSWER: &str = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;

    #[test]
    fn an_answer_finds_who_asked_and_what_was_cut_off_is_none() {
        let process = shell(&format!("read l; echo noise; echo '{ANSWER}'; read l; printf '%s' '{ANSWER}'"));
        block(async {
            assert_eq!(process.ask(&json!(1), b"{}").await.as_deref(), Some(ANSWER.as_bytes()));
            assert_eq!(process.ask(&json!(1), b"{}").await, None, "the line has no end");
            assert!(process.is_gone());
            assert_eq!(process.ask(&json!(2), b"{}").await, None);
        });
    }

    #[test]
    fn a_servers_ping_is_answered_and_what_it_complains_of_is_kept() {
        let ping = r#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#;
        let process = shell(&format!("read l; echo '{ping}'; read pong; echo \"$pong\" >&2; echo '{ANSWER}'; read l"));
        block(async { process.ask(&json!(1), b"{}").await }).unwrap();
        // Its complaint came before its answer, but by another pipe.
        while process.complaint().is_empty() {
            std::thread::yield_now();
        }
        assert_eq!(process.complaint(), r#"{"id":"p","jsonrpc":"2.0","result":{}}"#);
    }

    #[test]
    fn what_it_started_ends_with_it() {
        let process = shell("sleep 60 & echo $! >&2; wait");
        while process.complaint().is_empty() {
            std::thread::yield_now();
        }
        let child = process.complaint();
        drop(process);
        let is_gone = || {
            let status = std::fs::read_to_string(format!("/proc/{child}/status")).unwrap_or_default();
            status.is_empty() || status.contains("State:\tZ") || status.contains("State:\tX")
        };
        // The signal is sent; when it arrives is the system's.
        while !is_gone() {
            std::thread::yield_now();
        }
    }
}
