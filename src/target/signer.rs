//! The user's command that signs requests, kept running between them. Invariant: one request is one line on its standard
//! input, and its answer ends with an empty line; what it prints is in no error.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use serde::Serialize;
use tokio::sync::oneshot;

use super::request::printed::headers;
use crate::http::client::Request;
use crate::http::header::Header;

/// For the headers of one request, usually.
pub const PATIENCE: Duration = Duration::from_secs(10);
/// Of one answer, in bytes.
const LONGEST: u64 = 64 * 1024;

/// A running command. Dropping it ends its input, which it is to take as its end.
pub struct Signer {
    jobs: mpsc::Sender<Job>,
    child: std::cell::RefCell<Child>,
    patience: Duration,
}

/// A request as a line, and who waits for its headers.
struct Job {
    line: String,
    signed: oneshot::Sender<Result<Vec<Header>, String>>,
}

/// A request as the command reads it: one JSON object.
#[derive(Serialize)]
struct Line<'a> {
    method: &'a str,
    /// Path and query, as they are sent.
    path: &'a str,
    /// The values of a name that comes twice are joined by commas (RFC 9110, 5.3).
    headers: std::collections::BTreeMap<&'a str, String>,
    body: std::borrow::Cow<'a, str>,
}

impl Signer {
    /// `patience` is for the headers of one request.
    ///
    /// # Errors
    /// Where /bin/sh cannot be run.
    pub fn start(command: &str, patience: Duration) -> Result<Signer, String> {
        let mut shell = Command::new("/bin/sh");
        let shell = shell.arg("-c").arg(command).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = shell.spawn().map_err(|error| format!("cannot run /bin/sh: {error}"))?;
        let (to, from) = (child.stdin.take().expect("it is piped"), child.stdout.take().expect("it is piped"));
        let (jobs, waiting) = mpsc::channel();
        // Its pipes block; whoever waits for an answer must not.
        std::thread::spawn(move || answer_all(&waiting, to, BufReader::new(from)));
        Ok(Signer { jobs, child: child.into(), patience })
    }

    /// The headers to add to a request.
    ///
    /// # Errors
    /// Says how it failed: it has ended, takes too long, or prints what is no header.
    pub async fn headers(&self, request: &Request) -> Result<Vec<Header>, String> {
        let (signed, waiting) = oneshot::channel();
        let ended = || format!("the command has ended ({})", self.status());
        self.jobs.send(Job { line: line(request), signed }).map_err(|_| ended())?;
        match tokio::time::timeout(self.patience, waiting).await {
            Ok(Ok(answer)) => answer.map_err(|why| if why.is_empty() { ended() } else { why }),
            Ok(Err(_)) => Err(ended()),
            Err(_) => {
                // The thread that reads from it would wait for ever.
                let _ = self.child.borrow_mut().kill();
                let late = self.patience;
                Err(format!("no empty line came within {late:?}; one has to end each answer, and be flushed"))
            }
        }
    }

    /// How it ended, as far as that is known a moment later.
    fn status(&self) -> String {
        for _ in 0..100 {
            match self.child.borrow_mut().try_wait() {
                Ok(Some(status)) => return status.to_string(),
                Ok(None) => std::thread::sleep(Duration::from_millis(1)),
                Err(error) => return error.to_string(),
            }
        }
        "its output is closed".into()
    }
}

impl Drop for Signer {
    fn drop(&mut self) {
        let child = self.child.get_mut();
        let _ = child.kill();
        let _ = child.wait();
    }
}

fn line(request: &Request) -> String {
    let mut headers = std::collections::BTreeMap::from([("Host", request.host.clone())]);
    for (name, value) in &request.headers {
        let value = String::from_utf8_lossy(value);
        headers.entry(name).and_modify(|all| *all = format!("{all}, {value}")).or_insert_with(|| value.to_string());
    }
    let body = String::from_utf8_lossy(&request.body);
    let line = Line { method: &request.method, path: &request.target, headers, body };
    serde_json::to_string(&line).expect("text has a JSON form") + "\n"
}

/// One answer a job, until nobody asks any more or the command fails.
fn answer_all(jobs: &mpsc::Receiver<Job>, mut to: ChildStdin, mut from: BufReader<ChildStdout>) {
    for job in jobs {
        let answer = exchange(&mut to, &mut from, &job.line);
        let is_over = answer.is_err();
        // Whoever asked may have given up.
        let _ = job.signed.send(answer);
        if is_over {
            return;
        }
    }
}

/// # Errors
/// Empty where it has ended.
fn exchange(to: &mut impl Write, from: &mut impl BufRead, line: &str) -> Result<Vec<Header>, String> {
    to.write_all(line.as_bytes()).and_then(|()| to.flush()).map_err(|_| String::new())?;
    let mut text = String::new();
    let mut limited = from.take(LONGEST);
    loop {
        let before = text.len();
        let read = limited.read_line(&mut text).map_err(|error| format!("cannot read what it prints: {error}"))?;
        match text.get(before..).unwrap_or_default() {
            "" if read == 0 && limited.limit() == 0 => return Err(format!("it prints more than {LONGEST} bytes")),
            "" => return Err(String::new()),
            end if end.trim().is_empty() => return headers(&text),
            _header => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
    }

    fn request() -> Request {
        let headers =
            [("X-A", "1"), ("X-B", "é"), ("X-A", "2")].map(|(name, v)| (name.to_string(), v.as_bytes().to_vec()));
        let (method, host, target) = ("POST".into(), "h:1".into(), "/c?d=e".into());
        Request { method, host, target, headers: headers.into(), body: b"a\"b\n".to_vec() }
    }

    #[test]
    fn a_request_is_one_line_of_json() {
        let expected =
            r#"{"method":"POST","path":"/c?d=e","headers":{"Host":"h:1","X-A":"1, 2","X-B":"é"},"body":"a\"b\n"}"#;
        assert_eq!(line(&request()), format!("{expected}\n"));
    }

    #[test]
    fn one_process_answers_all_requests() {
        let signer =
            Signer::start(r#"n=0; while read -r line; do n=$((n+1)); printf 'X-N: %s\n\n' $n; done"#, PATIENCE)
                .unwrap();
        let values = [(); 3].map(|()| block(signer.headers(&request())).unwrap().remove(0).value);
        assert_eq!(values, ["1", "2", "3"]);
    }

    #[test]
    fn how_it_fails_is_told_without_what_it_printed() {
        let failure = |command: &str| block(Signer::start(command, PATIENCE).unwrap().headers(&request())).unwrap_err();
        assert_eq!(failure("exit 7"), "the command has ended (exit status: 7)");
        assert_eq!(failure("read -r line; printf 'X-A: s3cr3t\\n'; exit 8"), "the command has ended (exit status: 8)");
        let why = failure("read -r line; printf 's3cr3t\\n\\n'");
        assert!(why.contains("line 1") && !why.contains("s3cr3t"), "{why}");
        let why = failure("read -r line; while :; do echo X-A: 0123456789012345678901234567890123456789; done");
        assert!(why.contains("more than 65536 bytes"), "{why}");
    }

    #[test]
    fn what_takes_too_long_is_told_and_ended() {
        let signer = Signer::start("exec sleep 60", Duration::from_millis(50)).unwrap();
        let why = block(signer.headers(&request())).unwrap_err();
        assert!(why.starts_with("no empty line came within 50ms"), "{why}");
        assert_eq!(block(signer.headers(&request())).unwrap_err(), "the command has ended (signal: 9 (SIGKILL))");
    }
}
