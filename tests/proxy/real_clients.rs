//! What is not a plain reply, with clients that nobody made for us: curl, and Python's and Node's own.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::common::{Running, output};
use crate::support::Proxy;

/// A server of odd replies, behind the proxy.
struct Odd {
    _server: Running,
    proxy: Proxy,
    upstream: SocketAddr,
}

impl Odd {
    fn start(fault: &str) -> Odd {
        Odd::start_with(fault, &[])
    }

    fn start_with(fault: &str, more: &[&str]) -> Odd {
        let mut python = Command::new("python3");
        let mut server = python.arg("tests/proxy/clients/odd_server.py").stdout(Stdio::piped()).spawn().unwrap();
        let mut port = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut port).unwrap();
        let upstream: SocketAddr = format!("127.0.0.1:{}", port.trim()).parse().unwrap();
        Odd { _server: Running(server), proxy: Proxy::start(upstream, fault, more), upstream }
    }

    /// What a program prints, with the proxy's URL as its last argument but for what follows it.
    fn told(&self, program: &str, args: &[&str], path: &str) -> String {
        let url = format!("http://{}{path}", self.proxy.address);
        let told = output(Command::new(program).args(args).arg(url));
        assert!(told.status.success(), "{program} {args:?}: {told:?}");
        String::from_utf8(told.stdout).unwrap()
    }
}

#[test]
fn replies_without_a_body_end_at_their_head_for_curl() {
    let odd = Odd::start("none");
    let head = odd.told("curl", &["-s", "-m", "20", "-I"], "/");
    assert!(head.contains("Content-Length: 1234"), "{head}");
    for path in ["/204", "/304"] {
        let told =
            odd.told("curl", &["-s", "-m", "20", "-o", "/dev/null", "-w", "%{http_code} %{size_download}"], path);
        assert_eq!(told, format!("{} 0", &path.trim_start_matches('/')));
    }
    let old = odd.told("curl", &["-s", "-m", "20", "-0", "-w", " %{http_code}"], "/");
    assert_eq!(old, "ok 200", "HTTP/1.0");
}

#[test]
fn a_client_that_waits_for_leave_is_given_it() {
    let odd = Odd::start("none");
    let body = "x".repeat(2_000_000);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("body");
    std::fs::write(&file, body).unwrap();
    let data = format!("@{}", file.display());
    // curl waits a second for leave, and then goes on without; so it must have been told.
    let args =
        ["-s", "-v", "-m", "20", "--expect100-timeout", "20", "-H", "Expect: 100-continue", "--data-binary", &data];
    let url = format!("http://{}/", odd.proxy.address);
    let told = output(Command::new("curl").args(args).arg(url));
    let (out, err) = (String::from_utf8(told.stdout).unwrap(), String::from_utf8_lossy(&told.stderr).into_owned());
    assert!(out.contains("\"bytes\":2000000") && err.contains("< HTTP/1.1 100 Continue"), "{out}{err}");
}

/// The second event is only sent once the client that has heard the first has asked for it.
#[test]
fn events_come_as_they_are_sent_and_trailers_after_them() {
    let node = "const u = process.argv[1]; const http = require('http'); http.get(u + 'events', r => { r.on('data', d => { \
                process.stdout.write(d); if (String(d).includes('one')) http.get(u + 'on', a => a.resume()); }); \
                r.on('end', () => console.log('trailer', r.trailers['x-sum'])); });";
    let odd = Odd::start("none");
    assert_eq!(odd.told("node", &["-e", node], "/"), "data: one\n\ndata: two\n\ntrailer 2\n");
    let python = "import sys, urllib.request as u\nwith u.urlopen(sys.argv[1] + 'events') as r:\n    print(r.readline())\n    \
                  u.urlopen(sys.argv[1] + 'on').read()\n    print(r.read())";
    let odd = Odd::start("none");
    assert_eq!(odd.told("python3", &["-c", python], "/"), "b'data: one\\n'\nb'\\ndata: two\\n\\n'\n");
}

#[test]
fn another_protocol_is_passed_through_and_is_no_attempt() {
    let node = "const http = require('http'); const r = http.get(process.argv[1], { headers: { Connection: 'Upgrade', Upgrade: 'echo' } }); \
                r.on('upgrade', (m, s) => { console.log(m.statusCode); s.write('a\\n'); s.once('data', d => { \
                process.stdout.write(d); s.end('b\\n'); s.on('data', d => process.stdout.write(d)); }); });";
    for fault in ["none", "post_drop"] {
        let odd = Odd::start(fault);
        assert_eq!(odd.told("node", &["-e", node], "/up"), "101\necho a\necho b\n");
        assert!(odd.proxy.readings().is_empty());
    }
}

/// Clients of the Model Context Protocol keep one open beside their calls.
#[test]
fn a_subscription_lasts_as_long_as_its_reader_and_no_longer() {
    let odd = Odd::start_with("none", &["--timeout", "200ms"]);
    let python = "import sys, urllib.request as u\nwith u.urlopen(sys.argv[1] + 'subscription') as r:\n    \
                  print([r.readline() for _ in range(3)][::2])\nprint(u.urlopen(sys.argv[1].replace(*sys.argv[2:4]) + \
                  'left').read())";
    let Odd { proxy, upstream, _server } = odd;
    let direct = upstream.to_string();
    let url = format!("http://{}/", proxy.address);
    let told = output(Command::new("python3").args(["-c", python, &url, &proxy.address.to_string(), &direct]));
    assert_eq!(String::from_utf8_lossy(&told.stdout), "[b'data: one\\n', b'data: two\\n']\nb'left'\n", "{told:?}");
    let line = &proxy.readings()[0];
    assert_eq!((&line["status"], &line["symptom"], &line["note"]), (&200.into(), &"ok".into(), &Value::Null), "{line}");
}
