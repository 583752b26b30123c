//! Small servers with one habit each. They end with the test process.

use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Serves each connection on a thread of its own, until `serve` says to close the listener.
pub fn start(serve: impl Fn(TcpStream) -> bool + Send + Sync + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let serve = Arc::new(serve);
        while let Ok((stream, _)) = listener.accept() {
            if !serve(stream) {
                return;
            }
        }
    });
    address
}

/// A request, as far as these servers care.
pub struct Asked {
    pub method: String,
    fields: Vec<(String, String)>,
    /// Null where there is none.
    pub body: serde_json::Value,
}

impl Asked {
    pub fn field(&self, name: &str) -> Option<&str> {
        let mut found = self.fields.iter().filter(|(field, _)| field.eq_ignore_ascii_case(name));
        found.next().map(|(_, value)| value.as_str())
    }

    pub fn key(&self) -> Option<&str> {
        self.field("idempotency-key")
    }
}

/// Reads a whole request; None where it does not come whole.
pub fn read(stream: &TcpStream) -> Option<Asked> {
    let mut reader = BufReader::new(stream);
    let (mut lines, mut line) = (Vec::new(), String::new());
    while reader.read_line(&mut line).ok()? > 0 && line.trim_end() != "" {
        lines.push(line.trim_end().to_owned());
        line.clear();
    }
    let method = lines.first()?.split(' ').next()?.to_owned();
    let fields = lines.iter().filter_map(|line| line.split_once(": "));
    let fields = fields.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let mut asked = Asked { method, fields, body: serde_json::Value::Null };
    let mut body = vec![0; asked.field("content-length")?.parse().ok()?];
    reader.read_exact(&mut body).ok()?;
    asked.body = serde_json::from_slice(&body).unwrap_or_default();
    Some(asked)
}

/// A correct charge service: one lock around look-up and charge.
#[derive(Clone)]
pub struct Charges {
    ledger: PathBuf,
    keys: Arc<Mutex<HashMap<String, (serde_json::Value, String)>>>,
}

/// What came of a charge.
pub struct Charged {
    pub receipt: String,
    /// The body under which the key came first, where it was another one.
    pub other: bool,
}

impl Charges {
    pub fn new(ledger: &Path) -> Charges {
        std::fs::write(ledger, "").unwrap();
        Charges { ledger: ledger.to_owned(), keys: Arc::default() }
    }

    pub fn charge(&self, asked: &Asked) -> Charged {
        let mut keys = self.keys.lock().unwrap();
        let key = asked.key().map_or_else(|| format!("none-{}", keys.len()), str::to_owned);
        if let Some((body, receipt)) = keys.get(&key) {
            return Charged { receipt: receipt.clone(), other: *body != asked.body };
        }
        let receipt = format!("r-{}", keys.len());
        let line = format!("{{\"intent\":{}}}\n", asked.body["intent"]);
        OpenOptions::new().append(true).open(&self.ledger).unwrap().write_all(line.as_bytes()).unwrap();
        keys.insert(key, (asked.body.clone(), receipt.clone()));
        Charged { receipt, other: false }
    }
}

/// A reply with a length.
pub fn reply(mut stream: &TcpStream, status: u16, body: &str) {
    let head = format!("HTTP/1.1 {status} X\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    let _ = stream.write_all(format!("{head}{body}").as_bytes());
}

/// A correct server that refuses another payload under a used key.
pub fn correct(ledger: &Path) -> SocketAddr {
    let charges = Charges::new(ledger);
    start(move |stream| {
        let charges = charges.clone();
        std::thread::spawn(move || {
            let Some(asked) = read(&stream) else { return };
            let charged = charges.charge(&asked);
            match charged.other {
                true => reply(&stream, 422, "{}"),
                false => reply(&stream, 200, &format!("{{\"receipt\":\"{}\"}}", charged.receipt)),
            }
        });
        true
    })
}
