//! A PostgreSQL server of its own for a test: a Debian package's programs, a fresh cluster, a Unix socket, nothing shared.
#![allow(dead_code)]

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use super::support::{Running, eventually};

pub struct Postgres {
    _running: Running,
    /// Where its socket is.
    pub folder: TempDir,
}

impl Postgres {
    /// With an empty database `shop`. None, said loudly, where it is not installed.
    pub fn start() -> Option<Postgres> {
        let (Some(initdb), Some(postgres), Some(_)) = (program("initdb"), program("postgres"), program("psql")) else {
            eprintln!("SKIPPED: PostgreSQL is not installed (Debian: postgresql)");
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o777)).unwrap();
        let own = |program: &PathBuf| {
            let mut command = unprivileged(program);
            command.current_dir(folder.path());
            command
        };
        does(own(&initdb).args(["-D", "data", "-U", "idem", "-A", "trust", "--no-sync"]));
        let mut server = own(&postgres);
        server.args(["-D", "data", "-c", "listen_addresses=", "-c", "fsync=off", "-k"]).arg(folder.path());
        let running = Running(server.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
        let server = Postgres { _running: running, folder };
        eventually("PostgreSQL answers", || server.asked("postgres", "select 1").output().unwrap().status.success());
        does(&mut server.asked("postgres", "create database shop"));
        Some(server)
    }

    /// What a shell line has in place of `psql`.
    pub fn psql(&self) -> String {
        format!("psql -h {} -U idem", self.folder.path().display())
    }

    /// What the words give, in the database `shop`: values alone.
    pub fn sql(&self, words: &str) -> String {
        does(&mut self.asked("shop", words)).trim().to_owned()
    }

    fn asked(&self, database: &str, words: &str) -> Command {
        let mut command = Command::new("psql");
        command.arg("-h").arg(self.folder.path()).args(["-U", "idem", "-qAt", "-d", database, "-c", words]);
        command
    }
}

/// PostgreSQL does not run as root, so a root's test runs it as nobody.
fn unprivileged(program: &PathBuf) -> Command {
    if Command::new("id").arg("-u").output().unwrap().stdout != b"0\n" {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(program);
    command
}

/// On the path, or where Debian keeps the server's programs.
fn program(name: &str) -> Option<PathBuf> {
    let debian = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let debian = debian.map(|version| version.path().join("bin"));
    let on_path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<_> = std::env::split_paths(&on_path).chain(debian).collect();
    folders.into_iter().map(|folder| folder.join(name)).find(|program| program.exists())
}

/// What it prints.
#[track_caller]
fn does(command: &mut Command) -> String {
    let done = command.output().unwrap();
    assert!(done.status.success(), "{command:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}
