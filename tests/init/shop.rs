//! A correct charge service with the habits of several: forms, a key header of its own, a 202, GraphQL.

use std::collections::HashMap;
use std::io::Write;
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Mutex;

use crate::servers::{Asked, read, reply, start as listen};
use crate::support::converse;

/// Receipts by key.
struct Shop {
    ledger: std::path::PathBuf,
    kept: Mutex<HashMap<String, usize>>,
    requests: Mutex<usize>,
}

impl Shop {
    /// The number of the charge that this key made; `item` is its line of the ledger.
    fn charge(&self, key: &str, item: &str) -> usize {
        let mut kept = self.kept.lock().unwrap();
        let next = kept.len();
        *kept.entry(key.to_owned()).or_insert_with(|| {
            let mut file = std::fs::OpenOptions::new().append(true).create(true).open(&self.ledger).unwrap();
            writeln!(file, "{item}").unwrap();
            next
        })
    }

    fn answer(&self, stream: &TcpStream, asked: &Asked) {
        let key = asked.key().unwrap_or_default();
        *self.requests.lock().unwrap() += usize::from(!matches!(asked.target.as_str(), "/requests" | "/jobs/1"));
        match asked.target.as_str() {
            "/v1/charges" => self.form(stream, asked),
            "/jobs" => {
                self.charge(key, &format!("{{\"intent\":{}}}", asked.body["order"]));
                accepted(stream);
            }
            "/jobs/1" => reply(stream, 200, "{\"status\":\"done\"}"),
            "/graphql" => {
                let order = &asked.body["variables"]["order"];
                let n = self.charge(key, &format!("{{\"intent\":{order}}}"));
                reply(stream, 200, &format!("{{\"data\":{{\"charge\":{{\"id\":\"c{n}\"}}}}}}"));
            }
            "/locked" => {
                let echoed = asked.field("authorization").unwrap_or_default().replace("Bearer ", "");
                reply(stream, 401, &format!("{echoed}\u{1b}[31m\nis not known"));
            }
            "/requests" => reply(stream, 200, &self.requests.lock().unwrap().to_string()),
            _ => {}
        }
    }

    fn form(&self, stream: &TcpStream, asked: &Asked) {
        assert!(asked.field("content-type").is_some_and(|kind| kind.starts_with("application/x-www-form-urlencoded")));
        let Some(key) = asked.field("x-idempotency-key") else {
            return reply(stream, 400, "{\"error\":\"X-Idempotency-Key is missing\"}");
        };
        let mut fields = asked.raw.split('&').filter_map(|field| field.split_once('='));
        let order = fields.find(|(name, _)| name.ends_with("[order_id]")).map(|(_, order)| order.to_owned());
        let n = self.charge(key, &format!("{{\"metadata\":{{\"order_id\":\"{}\"}}}}", order.unwrap()));
        reply(stream, 200, &format!("{{\"object\":\"charge\",\"id\":\"ch_{n}\"}}"));
    }
}

fn accepted(mut stream: &TcpStream) {
    let _ =
        stream.write_all(b"HTTP/1.1 202 X\r\nLocation: /jobs/1\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}");
}

pub fn start(ledger: &Path) -> SocketAddr {
    let shop = Shop { ledger: ledger.to_owned(), kept: Mutex::default(), requests: Mutex::default() };
    listen(move |stream| {
        // One after another: nothing in these tests waits for two at once.
        if let Some(asked) = read(&stream) {
            shop.answer(&stream, &asked);
        }
        true
    })
}

/// How many requests came.
pub fn requests(address: SocketAddr) -> usize {
    let said = converse(address, b"GET /requests HTTP/1.1\r\nContent-Length: 0\r\n\r\n");
    said.lines().last().unwrap().parse().unwrap()
}
