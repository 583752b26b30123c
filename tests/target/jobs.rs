//! Targets that take a request and work on it later: a 202 settles when its status URL says so.

use std::collections::HashMap;
use std::io::Write;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex, mpsc};

use serde_json::{Value, json};

use crate::recipes::recipe;
use crate::servers::{Asked, read, reply, start};
use crate::support::{Ran, idem};
use crate::{row, verdicts};

/// What the jobs of a server do wrong.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    None,
    /// Each request is a job of its own.
    NoKeys,
    /// The jobs of this check are never begun.
    Stuck(&'static str),
}

#[derive(Default)]
struct Jobs {
    /// The payload and the job's number, by key.
    keys: HashMap<String, (Value, usize)>,
    is_done: Vec<bool>,
}

impl Jobs {
    fn take(&mut self, asked: &Asked, fault: Fault) -> Result<(usize, bool), ()> {
        let next = self.is_done.len();
        let known = self.keys.entry(asked.key().unwrap_or_default().to_owned());
        let (payload, job) = known.or_insert_with(|| (asked.body.clone(), next)).clone();
        if payload != asked.body {
            return Err(());
        }
        let job = if fault == Fault::NoKeys { next } else { job };
        if job == next {
            self.is_done.push(false);
        }
        Ok((job, job == next))
    }
}

/// Takes jobs at once; one worker charges for each, and only then it is done.
fn jobs(ledger: &Path, fault: Fault) -> SocketAddr {
    std::fs::write(ledger, "").unwrap();
    let (ledger, jobs) = (ledger.to_owned(), Arc::new(Mutex::new(Jobs::default())));
    let (queue, waiting) = mpsc::channel::<(usize, Value)>();
    let done = jobs.clone();
    std::thread::spawn(move || {
        for (job, intent) in waiting {
            let is_stuck = |check| intent.as_str().unwrap().contains(&format!("-{check}-"));
            if !matches!(fault, Fault::Stuck(check) if is_stuck(check)) {
                let mut file = std::fs::OpenOptions::new().append(true).open(&ledger).unwrap();
                writeln!(file, "{{\"intent\":{intent}}}").unwrap();
                done.lock().unwrap().is_done[job] = true;
            }
        }
    });
    start(move |stream| {
        let Some(asked) = read(&stream) else { return true };
        let mut jobs = jobs.lock().unwrap();
        if let Some(job) = asked.target.strip_prefix("/jobs/") {
            assert!(asked.key().is_none() && asked.field("authorization") == Some("Bearer one"), "asked as the client");
            let job: usize = job.parse().unwrap();
            let state = if jobs.is_done[job] {
                json!({"state": "done", "id": format!("r-{job}")})
            } else {
                json!({"state": "new"})
            };
            reply(&stream, 200, &state.to_string());
            return true;
        }
        match jobs.take(&asked, fault) {
            Ok((job, is_new)) => {
                if is_new {
                    queue.send((job, asked.body["intent"].clone())).unwrap();
                }
                let host = asked.field("host").unwrap();
                let said = json!({"links": {"status": format!("http://{host}/jobs/{job}")}}).to_string();
                let head = format!("HTTP/1.1 202 X\r\nLocation: /jobs/{job}\r\nContent-Length: {}\r\n", said.len());
                let _ = (&stream).write_all(format!("{head}Connection: close\r\n\r\n{said}").as_bytes());
            }
            Err(()) => reply(&stream, 422, "{}"),
        }
        true
    })
}

fn probe(address: SocketAddr, ledger: &Path, options: &str) -> Ran {
    let mut command = idem(["probe", "--format", "json", "--lease", "300ms", "--header", "Authorization: Bearer one"]);
    command.args(["--target", &format!("http://{address}/charges"), "--receipt-at", "/id", "--ledger"]).arg(ledger);
    command.args(options.split(' ')).output().expect("idem starts").into()
}

#[test]
fn a_202_settles_when_its_status_url_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("charges.jsonl");
    let checks = "--check replay --check race_2 --check post_drop --check key_reuse --check crowd --check cut";
    for poll in ["Location", "/links/status"] {
        let options = format!("--poll {poll} --poll-done /state=done {checks}");
        let ran = probe(jobs(&ledger, Fault::None), &ledger, &options).exits(0);
        assert!(verdicts(&ran).values().all(|verdict| verdict == "OK"), "{poll}: {}", ran.stdout);
    }
    let places = [
        ("127.0.0.1:8080", &*jobs(&ledger, Fault::None).to_string()),
        ("30s", "300ms"),
        ("/status=succeeded", "/state=done"),
    ];
    let more = "--header 'Authorization: Bearer one' --format json --check replay";
    let ran = recipe("A 202 and a worker", folder.path(), &places, more).exits(0);
    assert_eq!(verdicts(&ran)["replay"], "OK");
    let lines = std::fs::read_to_string(&ledger).unwrap();
    assert_eq!(lines.lines().count(), lines.lines().collect::<std::collections::HashSet<_>>().len(), "each once");
}

#[test]
fn jobs_without_keys_are_charged_twice_and_without_poll_nothing_is_known() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("charges.jsonl");
    let ran = probe(jobs(&ledger, Fault::NoKeys), &ledger, "--poll Location --poll-done /state=done --check replay");
    assert_eq!(row(&ran.exits(2), "replay")["verdict"], "DUPLICATE");
    let ran = probe(jobs(&ledger, Fault::None), &ledger, "--check replay").exits(3);
    assert_eq!(row(&ran, "baseline")["verdict"], "ERROR");
}

#[test]
fn a_job_that_is_never_done_is_wedged() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("charges.jsonl");
    let stuck = jobs(&ledger, Fault::Stuck("replay"));
    let ran = probe(stuck, &ledger, "--poll Location --poll-done /state=done --check replay").exits(2);
    assert_eq!(row(&ran, "replay")["verdict"], "WEDGED");
    assert!(row(&ran, "replay")["evidence"].to_string().contains("accepted, not done after 300ms, at last: 200"));
    // A status URL that never says it in these words.
    let ran = probe(jobs(&ledger, Fault::None), &ledger, "--poll Location --poll-done /state=ready --check replay");
    assert!(row(&ran.exits(3), "baseline")["evidence"].to_string().contains("not done after 300ms"));
    let ran = probe(jobs(&ledger, Fault::None), &ledger, "--poll /links/none --poll-done /state=done --check replay");
    assert!(row(&ran.exits(3), "baseline")["evidence"].to_string().contains("see --poll"));
}
