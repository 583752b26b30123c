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
    /// Path and query.
    pub target: String,
    /// As `HTTP/1.1`.
    pub version: String,
    fields: Vec<(String, String)>,
    /// The body's bytes.
    pub raw: String,
    /// Null where there is none.
    pub body: serde_json::Value,
}

impl Asked {
    pub fn field(&self, name: &str) -> Option<&str> {
        let mut found = self.fields.iter().filter(|(field, _)| field.eq_ignore_ascii_case(name));
        found.next().map(|(_, value)| value.as_str())
    }

    /// Names of the fields as they were sent.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().map(|(name, _)| name.as_str())
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
    let mut start = lines.first()?.split(' ');
    let [method, target, version] = [start.next()?, start.next()?, start.next()?].map(str::to_owned);
    let fields = lines.iter().filter_map(|line| line.split_once(": "));
    let fields = fields.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let mut asked = Asked { method, target, version, fields, raw: String::new(), body: serde_json::Value::Null };
    let mut body = Vec::new();
    if asked.field("transfer-encoding") == Some("chunked") {
        while let Some(size) = chunk(&mut reader, &mut body).filter(|size| *size > 0) {
            assert!(size < 1 << 20, "a small chunk");
        }
    } else {
        body = vec![0; asked.field("content-length")?.parse().ok()?];
        reader.read_exact(&mut body).ok()?;
    }
    asked.body = serde_json::from_slice(&body).unwrap_or_default();
    asked.raw = String::from_utf8_lossy(&body).into_owned();
    Some(asked)
}

/// Reads one chunk; gives its size, None where it does not come whole.
fn chunk(reader: &mut impl BufRead, body: &mut Vec<u8>) -> Option<usize> {
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let size = usize::from_str_radix(line.trim_end(), 16).ok()?;
    let mut part = vec![0; size + 2];
    reader.read_exact(&mut part).ok()?;
    body.extend(&part[..size]);
    Some(size)
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

    /// Keys that were charged. Not every suite that has these servers asks for it.
    #[allow(dead_code)]
    pub fn count(&self) -> usize {
        self.keys.lock().unwrap().len()
    }

    pub fn forget(&self, asked: &Asked) {
        self.keys.lock().unwrap().remove(asked.key().unwrap_or_default());
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

/// One lock for each body's bytes; the key is looked up inside of it, and stored a while later.
pub fn locked_by_bytes(ledger: &Path) -> SocketAddr {
    let charges = Charges::new(ledger);
    let locks: Arc<Mutex<HashMap<String, Arc<Mutex<()>>>>> = Arc::default();
    start(move |stream| {
        let (charges, locks) = (charges.clone(), locks.clone());
        std::thread::spawn(move || {
            let Some(asked) = read(&stream) else { return };
            let lock = locks.lock().unwrap().entry(asked.raw.clone()).or_default().clone();
            let _held = lock.lock().unwrap();
            let key = asked.key().unwrap_or_default().to_owned();
            let known = charges.keys.lock().unwrap().get(&key).map(|(_, receipt)| receipt.clone());
            let receipt = known.unwrap_or_else(|| {
                std::thread::sleep(std::time::Duration::from_millis(20));
                charges.keys.lock().unwrap().remove(&key);
                charges.charge(&asked).receipt
            });
            reply(&stream, 200, &format!("{{\"receipt\":\"{receipt}\"}}"));
        });
        true
    })
}

/// Forgets a key when the client that it is to be replayed to, or refused, has gone within 2 ms.
pub fn forgets_who_leaves(ledger: &Path) -> SocketAddr {
    let charges = Charges::new(ledger);
    start(move |stream| {
        let charges = charges.clone();
        std::thread::spawn(move || {
            let Some(asked) = read(&stream) else { return };
            let key = asked.key().unwrap_or_default().to_owned();
            let is_known = charges.keys.lock().unwrap().contains_key(&key);
            if is_known {
                std::thread::sleep(std::time::Duration::from_millis(2));
                stream.set_nonblocking(true).unwrap();
                if matches!(stream.peek(&mut [0]), Ok(0)) {
                    charges.keys.lock().unwrap().remove(&key);
                    return;
                }
                stream.set_nonblocking(false).unwrap();
            }
            let charged = charges.charge(&asked);
            match charged.other {
                true => reply(&stream, 422, "{}"),
                false => reply(&stream, 200, &format!("{{\"receipt\":\"{}\"}}", charged.receipt)),
            }
        });
        true
    })
}
