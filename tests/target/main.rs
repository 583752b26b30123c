//! `idem probe --target` through the built binary: against `idem serve` under every policy, and against servers that behave
//! badly.

#[path = "../support/authority.rs"]
mod authority;
mod busy;
mod deadlines;
mod disruptions;
mod fastapi;
mod faults;
mod formats;
mod hostile;
mod jobs;
mod kinds;
mod localstripe;
mod nginx;
mod options;
mod policies;
#[path = "../support/postgres.rs"]
mod postgres;
#[path = "../support/python.rs"]
mod python;
mod recipes;
mod reports;
mod requests;
mod restarts;
mod secrets;
mod sequences;
mod servers;
mod steps;
#[path = "../support/mod.rs"]
mod support;
mod terminal;
mod transports;
mod usage;
mod variations;
#[path = "../support/venv.rs"]
mod venv;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;

use support::{Ran, idem};

/// A probe with the JSON document; `more` is separated by single spaces.
pub fn probe(address: SocketAddr, ledger: &Path, more: &str) -> Ran {
    let mut command = idem(["probe", "--format", "json", "--target", &format!("http://{address}/charges"), "--ledger"]);
    command.arg(ledger).args(more.split(' ').filter(|word| !word.is_empty()));
    command.output().expect("idem starts").into()
}

/// Verdicts by check.
pub fn verdicts(ran: &Ran) -> BTreeMap<String, String> {
    let document = ran.json();
    let rows = document["checks"].as_array().expect("checks").iter();
    let text = |row: &serde_json::Value, field: &str| row[field].as_str().expect("text").to_owned();
    rows.map(|row| (text(row, "check"), text(row, "verdict"))).collect()
}

/// A row of the document.
pub fn row(ran: &Ran, check: &str) -> serde_json::Value {
    let document = ran.json();
    let mut rows = document["checks"].as_array().expect("checks").iter();
    rows.find(|row| row["check"] == check).unwrap_or_else(|| panic!("no row {check}")).clone()
}
