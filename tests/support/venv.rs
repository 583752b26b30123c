//! Packages of PyPI in a virtual environment that outlives the test, so that they are installed once a machine.
#![allow(dead_code)]

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of its programs. None, said loudly, where the packages cannot be installed.
pub fn with(name: &str, packages: &[&str]) -> Option<PathBuf> {
    let folder = std::env::temp_dir().join(format!("idem-venv-{name}"));
    let (bin, ready) = (folder.join("bin"), folder.join("ready"));
    std::fs::create_dir_all(&folder).unwrap();
    // Two runs of the tests at one time do not install into it at once.
    let lock = File::create(folder.join("lock")).unwrap();
    lock.lock().unwrap();
    if !ready.exists() {
        let installed = does("python3", &["-m", "venv", "--clear", folder.to_str().unwrap()])
            && does(bin.join("pip"), &[&["install", "-q", "--disable-pip-version-check"], packages].concat());
        if !installed {
            eprintln!("SKIPPED: {} cannot be installed from PyPI", packages.join(" "));
            return None;
        }
        File::create(&ready).unwrap();
    }
    Some(bin)
}

fn does(program: impl AsRef<Path>, args: &[&str]) -> bool {
    Command::new(program.as_ref()).args(args).output().is_ok_and(|output| output.status.success())
}
