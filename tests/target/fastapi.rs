//! A service as teams write it, FastAPI over PostgreSQL, with its ledger read by psql: once with the key as a unique row in
//! the charge's own transaction, and once with a look-up before it. Each is held to rows that are counted here.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::postgres::Postgres;
use crate::recipes::recipe;
use crate::support::{Ran, Running, eventually};
use crate::{row, venv, verdicts};

const TABLES: &str = "create table charges (id serial, order_id text, amount integer);
    create table keys_unique (key text primary key, payload text, reply text);
    create table keys_plain (key text, payload text, reply text);";

/// `uvicorn` with the service in one of its modes.
fn service(bin: &Path, store: &Postgres, mode: &str) -> (Running, SocketAddr) {
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mut command = Command::new(bin.join("python"));
    command.args(["-m", "uvicorn", "shop:app", "--log-level", "warning", "--port", &address.port().to_string()]);
    command.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support")).env("PYTHONDONTWRITEBYTECODE", "1");
    command.env("MODE", mode).env("DSN", format!("host={} user=idem dbname=shop", store.folder.path().display()));
    let running = Running(command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().expect("uvicorn starts"));
    eventually("uvicorn listens", || TcpStream::connect(address).is_ok());
    (running, address)
}

fn probe(address: SocketAddr, store: &Postgres, checks: &[&str]) -> Ran {
    let places = [("127.0.0.1:8000", address.to_string()), ("psql", store.psql())];
    let places = places.each_ref().map(|(from, to)| (*from, to.as_str()));
    let checks: String = checks.iter().map(|check| format!(" --check {check}")).collect();
    recipe("A database", store.folder.path(), &places, &format!("--format json{checks}"))
}

/// Charges of a check's intents beyond one each.
fn beyond_one(store: &Postgres, check: &str) -> u64 {
    let counted = format!("select count(*) - count(distinct order_id) from charges where order_id like '%-{check}-%'");
    store.sql(&counted).parse().unwrap()
}

#[test]
#[ignore = "installs FastAPI from PyPI, some 60 s the first time: cargo test --test target -- --ignored fastapi"]
fn fastapi_over_postgresql_is_clean_with_a_unique_key_and_charges_twice_with_a_look_up() {
    let Some(store) = Postgres::start() else { return };
    let Some(bin) = venv::with("fastapi", &["fastapi", "uvicorn", "psycopg[binary]"]) else { return };
    store.sql(TABLES);
    let (right, address) = service(&bin, &store, "unique");
    let ran = probe(address, &store, &[]).exits(0);
    let found = verdicts(&ran);
    assert!(found.values().all(|verdict| verdict == "OK" || verdict == "SKIPPED"), "{found:?}");
    assert!(found.values().filter(|verdict| *verdict == "OK").count() >= 20, "{found:?}");
    assert_eq!((beyond_one(&store, ""), beyond_one(&store, "race_2")), (0, 0));
    assert_ne!(store.sql("select count(*) from charges where order_id like '%-race_2-%'"), "0");
    drop(right);

    store.sql("truncate charges");
    let (_wrong, address) = service(&bin, &store, "check_then_insert");
    let ran = probe(address, &store, &["replay", "post_drop", "race_2", "race_8", "double_delivery"]).exits(2);
    let found = verdicts(&ran);
    // One after the other it knows its keys; only at once it charges twice.
    assert_eq!((found["replay"].as_str(), found["post_drop"].as_str()), ("OK", "OK"));
    for (check, named) in [("race_2", "race_2"), ("race_8", "race_8"), ("double_delivery", "double")] {
        assert_eq!(found[check], "DUPLICATE", "{}", row(&ran, check));
        let rows = beyond_one(&store, named);
        assert!(rows > 0);
        assert_eq!(row(&ran, check)["measured"]["duplicates"], rows, "{}", row(&ran, check));
    }
}
