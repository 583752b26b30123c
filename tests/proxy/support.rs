//! The proxy as a process, an upstream of raw bytes, and a client of raw bytes. Invariant: nothing here reads or writes
//! with the code under test.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;

pub use crate::common::Running;
use crate::common::{Ran, bounded, ended, idem, output, serve};

pub const CREATED: &str = "HTTP/1.1 201 Created\r\nContent-Length: 16\r\n\r\n{\"receipt\":\"r1\"}";

/// A file name of its own for each caller.
pub fn scratch(name: &str) -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    std::env::temp_dir().join(format!("idem-proxy-test-{}-{number}-{name}", std::process::id()))
}

/// `idem proxy`, running. Killed when dropped.
pub struct Proxy {
    child: Child,
    pub address: SocketAddr,
    pub readings: PathBuf,
}

impl Proxy {
    pub fn start(upstream: SocketAddr, fault: &str, more: &[&str]) -> Proxy {
        Proxy::start_on(scratch("readings.jsonl"), upstream, fault, more)
    }

    pub fn start_on(readings: PathBuf, upstream: SocketAddr, fault: &str, more: &[&str]) -> Proxy {
        Proxy::spawn(Command::new(env!("CARGO_BIN_EXE_idem")), readings, upstream, fault, more)
    }

    /// In front of any URL; `more` may name files of `folder`.
    pub fn start_at(upstream: &str, folder: &Path, fault: &str, more: &[&str]) -> Proxy {
        let mut command = Command::new(env!("CARGO_BIN_EXE_idem"));
        Proxy::launch(command.current_dir(folder), scratch("readings.jsonl"), upstream, fault, more)
    }

    /// A proxy that may open so many files, connections included.
    pub fn start_limited(files: usize, upstream: SocketAddr) -> Proxy {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("ulimit -n {files}; exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_idem")]);
        Proxy::spawn(shell, scratch("readings.jsonl"), upstream, "none", &[])
    }

    fn spawn(mut command: Command, readings: PathBuf, upstream: SocketAddr, fault: &str, more: &[&str]) -> Proxy {
        Proxy::launch(&mut command, readings, &format!("http://{upstream}"), fault, more)
    }

    fn launch(command: &mut Command, readings: PathBuf, upstream: &str, fault: &str, more: &[&str]) -> Proxy {
        let mut child = command
            .args(["proxy", "--listen", "127.0.0.1:0", "--fault", fault, "--upstream", upstream])
            .arg("--readings")
            .arg(&readings)
            .args(more)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        bounded(child.id(), || stdout.read_line(&mut line).unwrap());
        let address = line.trim().strip_prefix("listening on http://").expect("the address line").parse().unwrap();
        Proxy { child, address, readings }
    }

    /// How many of the first `limit` descriptors it has in use; whoever ran the tests may have left it some beyond.
    pub fn descriptors_below(&self, limit: usize) -> usize {
        let open = std::fs::read_dir(format!("/proc/{}/fd", self.child.id())).unwrap();
        open.filter(|file| file.as_ref().unwrap().file_name().to_str().unwrap().parse::<usize>().unwrap() < limit)
            .count()
    }

    /// Interrupts it, and gives its exit code and the readings.
    pub fn stop(mut self) -> (Option<i32>, Vec<Value>) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
        let code = ended(&mut self.child).code();
        let text = std::fs::read_to_string(&self.readings).unwrap();
        (code, text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
    }

    /// The readings after an interruption, which must exit with 130.
    pub fn readings(self) -> Vec<Value> {
        let (code, readings) = self.stop();
        assert_eq!(code, Some(130));
        readings
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream
    }

    /// Sends `request` on a new connection and reads to the end of the stream; a reset is shown by its name.
    pub fn exchange(&self, request: &str) -> String {
        let mut stream = self.connect();
        stream.write_all(request.as_bytes()).unwrap();
        to_end(&mut stream)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_file(&self.readings);
    }
}

/// Closes the connection now. Dropping it alone would leave it open in a child that another test is just starting.
pub fn hang_up(stream: TcpStream) {
    stream.shutdown(Shutdown::Both).unwrap();
}

pub fn to_end(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let result = stream.read_to_end(&mut bytes);
    let mut text = String::from_utf8(bytes).unwrap();
    match result {
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::ConnectionReset => text += "<reset>",
        Err(error) => panic!("{error} after {text:?}"),
    }
    text
}

/// A charge that asks for the connection to be closed after it.
pub fn charge(intent: &str, key: Option<&str>) -> String {
    let body = format!("{{\"intent\":\"{intent}\",\"amount\":5}}");
    let key = key.map(|key| format!("Idempotency-Key: {key}\r\n")).into_iter().collect::<String>();
    let length = body.len();
    format!("POST /charges HTTP/1.1\r\nHost: h\r\nConnection: close\r\n{key}Content-Length: {length}\r\n\r\n{body}")
}

/// Answers each connection's first request with the given bytes, then closes.
pub struct Upstream {
    pub address: SocketAddr,
    /// Each connection's bytes, as far as they came.
    pub seen: Arc<Mutex<Vec<String>>>,
}

impl Upstream {
    pub fn start(reply: &'static str) -> Upstream {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&seen);
        // Ends with the test process.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let kept = Arc::clone(&kept);
                std::thread::spawn(move || answer(stream, reply, &kept));
            }
        });
        Upstream { address, seen }
    }

    pub fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }
}

/// An empty reply is silence up to the end of the connection.
fn answer(mut stream: TcpStream, reply: &str, seen: &Mutex<Vec<String>>) {
    let mut text = String::new();
    let mut piece = [0; 4096];
    while !is_whole(&text) || reply.is_empty() {
        match stream.read(&mut piece) {
            Ok(count) if count > 0 => text += std::str::from_utf8(&piece[..count]).unwrap(),
            Ok(_) | Err(_) => break,
        }
    }
    let was_whole = is_whole(&text);
    seen.lock().unwrap().push(text);
    if was_whole {
        let _ = stream.write_all(reply.as_bytes());
    }
}

/// Knows just what the tests send: content-length, or a chunked body whose last bytes are the last chunk.
fn is_whole(text: &str) -> bool {
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    if head.contains("Transfer-Encoding: chunked") {
        return body.ends_with("0\r\n\r\n");
    }
    let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: ")).map_or(0, |n| n.parse().unwrap());
    body.len() >= length
}

/// `idem serve` with a ledger in a folder of its own, for commands run through the proxy.
pub struct Bench {
    /// None where the server is a thread of ours.
    _server: Option<Running>,
    pub address: SocketAddr,
    pub folder: tempfile::TempDir,
}

impl Bench {
    pub fn new(policy: &str) -> Bench {
        let folder = tempfile::tempdir().unwrap();
        let (server, address) = serve(policy, &folder.path().join("ledger.jsonl"), &[]);
        Bench { _server: Some(server), address, folder }
    }

    /// A server that charges for every request that came whole, whether or not its client is still there; it closes each
    /// connection after one.
    pub fn careless() -> Bench {
        let folder = tempfile::tempdir().unwrap();
        let ledger = folder.path().join("ledger.jsonl");
        std::fs::write(&ledger, "").unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let count = Arc::new(Mutex::new(0));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (ledger, count) = (ledger.clone(), Arc::clone(&count));
                std::thread::spawn(move || charge_for(stream, &ledger, &count));
            }
        });
        Bench { _server: None, address, folder }
    }

    pub fn ledger(&self) -> String {
        self.folder.path().join("ledger.jsonl").display().to_string()
    }

    /// `idem proxy` with these options before its upstream, not yet run; the folder is where it runs.
    pub fn proxy(&self, options: &str, command: &[&str]) -> Command {
        let mut proxy = idem(["proxy", "--upstream", &format!("http://{}", self.address)]);
        proxy.args(options.split_whitespace()).arg("--").args(command).current_dir(self.folder.path());
        proxy
    }

    pub fn run(&self, options: &str, command: &[&str]) -> Ran {
        output(&mut self.proxy(options, command)).into()
    }

    /// The same with a ledger, for a shell script.
    pub fn judge(&self, options: &str, script: &str) -> Ran {
        self.run(&format!("{options} --ledger ledger.jsonl --ledger-lag 0ms"), &["sh", "-c", script])
    }
}

fn charge_for(mut stream: TcpStream, ledger: &Path, count: &Mutex<u32>) {
    let mut text = String::new();
    let mut piece = [0; 4096];
    while !is_whole(&text) {
        match stream.read(&mut piece) {
            Ok(count) if count > 0 => text += std::str::from_utf8(&piece[..count]).unwrap(),
            Ok(_) | Err(_) => return,
        }
    }
    let body: Value = serde_json::from_str(text.split_once("\r\n\r\n").unwrap().1).unwrap();
    let mut count = count.lock().unwrap();
    *count += 1;
    let mut file = std::fs::OpenOptions::new().append(true).open(ledger).unwrap();
    writeln!(file, "{{\"intent\":{}}}", body["intent"]).unwrap();
    let receipt = format!("{{\"receipt\":\"r{count}\"}}");
    let length = receipt.len();
    let reply = format!("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{receipt}");
    let _ = stream.write_all(reply.as_bytes());
}

/// curl paying one order of its own, with these options.
pub fn curl(options: &str) -> String {
    format!(
        "curl -s --max-time 0.3 -H 'Content-Type: application/json' {options} \
         -d \"{{\\\"intent\\\":\\\"$IDEM_RUN\\\",\\\"amount\\\":5}}\" $IDEM_PROXY/charges"
    )
}
