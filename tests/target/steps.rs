//! Steps of saved schedules, each played against a server that shows its effect.

use std::collections::{HashMap, HashSet};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::servers::{Asked, Charges, correct, read, reply, start};
use crate::support::{Ran, idem};

pub fn send(mishap: Value) -> Value {
    json!({"send": {"order": 0, "written": "same", "mishap": mishap}})
}

/// Plays one schedule over one order, which ends with a plain request.
pub fn played(address: SocketAddr, ledger: &str, more: &[&str], steps: &[Value]) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("saved.json");
    let steps = [steps, &[send(Value::Null)]].concat();
    let schedule = json!({"orders": [{}], "steps": steps});
    let finding = json!({"verdict": "DUPLICATE", "broke": 3, "of": 3, "schedule": schedule});
    std::fs::write(&file, json!({"version": 1, "seed": 1, "findings": [finding]}).to_string()).unwrap();
    let target = format!("http://{address}/charges");
    let mut command = idem(["probe", "--format", "json", "--target", &target, "--ledger", ledger, "--lease", "200ms"]);
    command.args(more).arg("--replay").arg(file).output().unwrap().into()
}

pub fn last(ran: &Ran) -> Value {
    ran.json()["checks"].as_array().unwrap().last().unwrap().clone()
}

/// Whether the client leaves within ten seconds.
fn leaves(stream: &TcpStream) -> bool {
    let until = Instant::now() + Duration::from_secs(10);
    stream.set_nonblocking(true).unwrap();
    while Instant::now() < until {
        if matches!(stream.peek(&mut [0]), Ok(0)) {
            return true;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    false
}

/// Charges an order of chaos, and then forgets its key when the client leaves before the reply, which it waits for the
/// first time.
fn forgets_after_the_charge(ledger: &Path) -> SocketAddr {
    let (charges, waited) = (Charges::new(ledger), std::sync::Arc::new(Mutex::new(HashSet::new())));
    start(move |stream| {
        let (charges, waited) = (charges.clone(), waited.clone());
        std::thread::spawn(move || {
            let Some(asked) = read(&stream) else { return };
            let receipt = charges.charge(&asked).receipt;
            let intent = asked.body["intent"].to_string();
            if intent.contains("-chaos-") && waited.lock().unwrap().insert(intent) && leaves(&stream) {
                charges.forget(&asked);
                return;
            }
            reply(&stream, 200, &json!({ "receipt": receipt }).to_string());
        });
        true
    })
}

#[test]
fn a_cut_when_the_ledger_shows_the_item_falls_between_item_and_reply() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("charges.jsonl");
    let address = forgets_after_the_charge(&ledger);
    let cut = send(json!({"cut": {"after": "item_seen", "by": "FIN"}}));
    let row = last(&played(address, &ledger.display().to_string(), &[], &[cut]).exits(2));
    assert_eq!(row["verdict"], "DUPLICATE");
    let first = "1. order A: send its request; its connection ends by FIN when the ledger shows its item";
    assert_eq!(row["steps"][0], first);
}

/// Its charges show when its ledger was read once since, and it knows only keys whose charges show.
#[derive(Default)]
struct Late {
    shown: Vec<String>,
    hidden: Vec<String>,
    keys: HashMap<String, usize>,
}

impl Late {
    fn answer(&mut self, asked: &Asked) -> Value {
        if asked.method == "GET" {
            let items: Vec<_> = self.shown.iter().map(|intent| json!({ "intent": intent })).collect();
            self.shown.append(&mut self.hidden);
            return json!(items);
        }
        let (intent, key) = (asked.body["intent"].as_str().unwrap().to_owned(), asked.key().unwrap().to_owned());
        if !self.shown.contains(&intent) {
            self.hidden.push(intent);
        }
        let next = self.keys.len();
        json!({"receipt": format!("r-{}", self.keys.entry(key).or_insert(next))})
    }
}

#[test]
fn what_waits_for_the_ledger_item_goes_on_once_it_shows() {
    let late = Mutex::new(Late::default());
    let address = start(move |stream| {
        if let Some(asked) = read(&stream) {
            reply(&stream, 200, &late.lock().unwrap().answer(&asked).to_string());
        }
        true
    });
    let ledger = format!("http://{address}/ledger");
    let at_once = played(address, &ledger, &[], &[send(Value::Null)]).exits(2);
    assert_eq!(last(&at_once)["verdict"], "DUPLICATE", "it knows no key whose charge is not shown");
    let awaited = played(address, &ledger, &[], &[send(Value::Null), json!({"await_item": {"order": 0}})]).exits(0);
    assert_eq!(last(&awaited)["verdict"], "OK", "{}", awaited.stdout);
}

#[test]
fn an_item_that_never_shows_is_not_waited_for_for_ever_and_proves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("charges.jsonl");
    let (address, await_item) = (correct(&ledger), json!({"await_item": {"order": 0}}));
    for before in [vec![], vec![send(json!("never_sent"))]] {
        let steps = [before, vec![await_item.clone()]].concat();
        let ran = played(address, &ledger.display().to_string(), &["--timeout", "60ms"], &steps);
        let row = last(&ran.exits(3));
        assert_eq!(row["verdict"], "ERROR");
        assert!(row["evidence"].to_string().contains("no play landed with all its steps"), "{row}");
    }
}
