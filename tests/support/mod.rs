//! What the integration tests share: the built binary, its output, temporary folders, processes that end with the test.
#![allow(dead_code)]

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// No process of a test takes longer, nor does anything that a test waits for. Only a regression ever reaches it.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a finished run of `idem` left.
pub struct Ran {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    /// Asserts the exit code and shows both streams where it is another.
    #[track_caller]
    pub fn exits(self, code: i32) -> Ran {
        assert_eq!(self.code, Some(code), "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    #[track_caller]
    pub fn says(self, part: &str) -> Ran {
        assert!(self.stderr.contains(part), "no {part:?} in stderr:\n{}", self.stderr);
        self
    }

    #[track_caller]
    pub fn prints(self, part: &str) -> Ran {
        assert!(self.stdout.contains(part), "no {part:?} in stdout:\n{}", self.stdout);
        self
    }

    /// Standard output as one JSON document.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error} in:\n{}", self.stdout))
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Ran {
        let text = |bytes| String::from_utf8(bytes).expect("idem writes UTF-8");
        Ran { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

/// The binary, not yet run.
pub fn idem<A: AsRef<OsStr>>(args: impl IntoIterator<Item = A>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_idem"));
    command.args(args).stdin(Stdio::null());
    command
}

/// Runs the binary with arguments separated by single spaces.
#[track_caller]
pub fn run(args: &str) -> Ran {
    output(&mut idem(args.split(' '))).into()
}

/// What a command prints. One that does not end, such as a server that should have refused to start, is killed, and the
/// test fails.
#[track_caller]
pub fn output(command: &mut Command) -> Output {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the process starts");
    let pid = child.id();
    bounded(pid, || child.wait_with_output().expect("the process ends"))
}

/// The exit status of a process that is about to end.
#[track_caller]
pub fn ended(child: &mut Child) -> ExitStatus {
    bounded(child.id(), || child.wait().expect("the process ends"))
}

/// Does `work`, which ends when the process does; a process that is too slow for that is killed.
#[track_caller]
pub fn bounded<T>(pid: u32, work: impl FnOnce() -> T) -> T {
    let (done, pending) = mpsc::channel::<()>();
    let watchdog = std::thread::spawn(move || {
        let is_late = pending.recv_timeout(PATIENCE) == Err(mpsc::RecvTimeoutError::Timeout);
        if is_late {
            let _ = Command::new("kill").args(["-KILL", &pid.to_string()]).status();
        }
        is_late
    });
    let result = work();
    drop(done);
    assert!(!watchdog.join().expect("the watchdog ends"), "the process did not end within {PATIENCE:?}");
    result
}

/// Runs the binary with this standard input.
#[track_caller]
pub fn run_with_input(args: &str, input: &[u8]) -> Ran {
    let mut child = idem(args.split(' '))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("idem starts");
    let mut stdin = child.stdin.take().expect("it is piped");
    let input = input.to_vec();
    // Beside the reading, so that neither side waits for a full pipe; an early exit closes it, which is fine.
    let feeder = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = bounded(child.id(), || child.wait_with_output().expect("idem ends"));
    feeder.join().expect("the feeder ends");
    output.into()
}

/// A process that is killed with the test.
pub struct Running(pub Child);

impl Running {
    pub fn spawn(command: &mut Command) -> Running {
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        Running(child.expect("the process starts"))
    }

    /// Sends a signal by its name, such as `INT`.
    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([format!("-{name}"), self.0.id().to_string()]).status();
        assert!(sent.expect("kill runs").success());
    }

    /// Waits until the process catches SIGINT itself, as the kernel tells.
    pub fn awaits_interrupts(&self) {
        let status = format!("/proc/{}/status", self.0.id());
        eventually("SIGINT is caught", || {
            let status = std::fs::read_to_string(&status).expect("the process is there");
            let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).expect("a mask of signals");
            u64::from_str_radix(caught.trim(), 16).expect("a hexadecimal mask") & 0b10 != 0
        });
    }

    /// The first line of standard output.
    pub fn first_line(&mut self) -> String {
        bounded(self.0.id(), || first_line_of(self.0.stdout.as_mut().expect("it is piped")))
    }

    /// The first line of standard error.
    pub fn first_complaint(&mut self) -> String {
        bounded(self.0.id(), || first_line_of(self.0.stderr.as_mut().expect("it is piped")))
    }

    /// Waits for its end.
    pub fn finish(mut self) -> Ran {
        let (mut stdout, mut stderr) = (String::new(), String::new());
        bounded(self.0.id(), || {
            self.0.stdout.take().expect("it is piped").read_to_string(&mut stdout).expect("UTF-8");
            self.0.stderr.take().expect("it is piped").read_to_string(&mut stderr).expect("UTF-8");
            Ran { code: self.0.wait().expect("it ends").code(), stdout, stderr }
        })
    }
}

/// Takes no byte beyond the line.
fn first_line_of(pipe: &mut impl Read) -> String {
    let mut line = String::new();
    BufReader::with_capacity(1, pipe).read_line(&mut line).expect("a line is read");
    line.trim_end().to_owned()
}

impl Drop for Running {
    fn drop(&mut self) {
        // Fails where it has ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// `idem serve` with a policy on a free port, and its address.
pub fn serve(policy: &str, ledger: &Path, more: &[&str]) -> (Running, SocketAddr) {
    let mut command = idem(["serve", "--policy", policy, "--listen", "127.0.0.1:0", "--ledger"]);
    let mut server = Running::spawn(command.arg(ledger).args(more));
    let line = server.first_line();
    let address = line.strip_prefix("listening on http://").and_then(|rest| rest.strip_suffix("/charges"));
    let address = address.unwrap_or_else(|| panic!("no address in {line:?}")).parse().expect("an address");
    (server, address)
}

/// Sends raw bytes and reads until the other side closes.
pub fn converse(to: SocketAddr, request: &[u8]) -> String {
    let mut stream = TcpStream::connect(to).expect("a connection");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
    stream.write_all(request).expect("the request is sent");
    let mut reply = Vec::new();
    stream.read_to_end(&mut reply).expect("a reply");
    String::from_utf8(reply).expect("UTF-8")
}

/// A charge request as bytes.
pub fn charge(body: &str, key: Option<&str>) -> Vec<u8> {
    let key = key.map(|key| format!("Idempotency-Key: {key}\r\n")).unwrap_or_default();
    format!(
        "POST /charges HTTP/1.1\r\nHost: t\r\nContent-Type: application/json\r\n{key}Content-Length: {}\r\n\
         Connection: close\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// Waits until `done`, for a bounded time.
#[track_caller]
pub fn eventually(what: &str, mut done: impl FnMut() -> bool) {
    let until = Instant::now() + PATIENCE;
    while !done() {
        assert!(Instant::now() < until, "never: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
