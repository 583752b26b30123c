//! Ledgers of every kind through the built binary: how `idem reconcile` reads them, several of one probe, and the recipes
//! against real stores.

mod amounts;
#[path = "../support/authority.rs"]
mod authority;
mod inputs;
#[path = "../support/postgres.rs"]
mod postgres;
#[path = "../support/python.rs"]
mod python;
mod recipes;
#[allow(dead_code)]
#[path = "../target/servers.rs"]
mod servers;
mod several;
#[path = "../support/mod.rs"]
mod support;

use std::path::Path;

use support::{Ran, idem};

/// `idem` in a folder, with arguments separated by single spaces and then those that hold spaces.
pub fn within(folder: &Path, args: &str, more: &[&str]) -> Ran {
    idem(args.split(' ')).args(more).current_dir(folder).output().expect("idem starts").into()
}

/// A folder with these files.
pub fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("it takes files");
    }
    folder
}
