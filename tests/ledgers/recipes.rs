//! The recipes of `idem explain ledgers`, as they stand there, against real stores. One whose server is not installed is
//! skipped, and says so.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::postgres::Postgres;
use crate::support::{Ran, Running, idem, run};

const CHARGED: [(&str, i64); 3] = [("ord-1", 1000), ("ord-2", 1000), ("ord-2", 1000)];

/// The line of the page that calls this program; the nth of them.
fn recipe(program: &str, nth: usize) -> String {
    let page = run("explain ledgers").exits(0).stdout;
    let mut lines = page.lines().filter(|line| line.trim_start().starts_with(&format!("{program} ")));
    lines.nth(nth).unwrap_or_else(|| panic!("no recipe for {program}")).trim().to_owned()
}

/// Two orders were expected; the second was charged twice.
fn is_counted(folder: &Path, recipe: &str) {
    std::fs::write(folder.join("expected"), "ord-1\nord-2\n").unwrap();
    let mut command = idem(["reconcile", "--ledger-cmd", recipe, "--expected", "expected"]);
    let ran: Ran = command.current_dir(folder).output().unwrap().into();
    let ran = ran.exits(2);
    assert!(ran.stdout.contains("charges=2 intent=ord-2"), "{recipe}: {}{}", ran.stdout, ran.stderr);
}

/// Whether a program is there; where it is not, that is said.
fn is_there(program: &str) -> bool {
    let found = Command::new("sh").args(["-c", &format!("command -v {program}")]).output().unwrap().status.success();
    if !found {
        eprintln!("SKIPPED: {program} is not installed, so its recipe is not tried");
    }
    found
}

fn does(command: &mut Command) {
    let done = command.output().unwrap();
    assert!(done.status.success(), "{command:?}: {}", String::from_utf8_lossy(&done.stderr));
}

fn table() -> String {
    let rows: Vec<_> = CHARGED.iter().map(|(order, amount)| format!("('{order}',{amount})")).collect();
    format!("create table charges (order_id text, amount integer); insert into charges values {}", rows.join(","))
}

#[test]
fn sqlite() {
    if !is_there("sqlite3") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    does(Command::new("sqlite3").args(["shop.db", &table()]).current_dir(folder.path()));
    is_counted(folder.path(), &recipe("sqlite3", 0));
}

#[test]
fn redis() {
    if !is_there("redis-server") || !is_there("redis-cli") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("redis.sock");
    let mut server = Command::new("redis-server");
    server.args(["--port", "0", "--save", "", "--unixsocket"]).arg(&socket).stdout(Stdio::null());
    let _server = Running(server.spawn().unwrap());
    while !socket.exists() {
        std::thread::sleep(Duration::from_millis(10));
    }
    let cli = format!("redis-cli -s {}", socket.display());
    for (order, amount) in CHARGED {
        let item = format!(r#"{cli} rpush charges '{{"intent":"{order}","amount":{amount}}}'"#);
        does(Command::new("sh").args(["-c", &item]));
    }
    is_counted(folder.path(), &recipe("redis-cli", 0).replace("redis-cli", &cli));
}

#[test]
fn postgresql_and_a_view() {
    let Some(store) = Postgres::start() else { return };
    store.sql(&table());
    is_counted(store.folder.path(), &recipe("psql", 0).replace("psql", &store.psql()));
    store.sql("create view idem_charges as select order_id as intent, amount from charges");
    is_counted(store.folder.path(), &recipe("psql", 1).replace("psql", &store.psql()));
}
