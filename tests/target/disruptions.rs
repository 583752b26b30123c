//! The user's own disruptions: what goes wrong while one lasts is found, and it is always healed.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::faults::{Shop, shop, verdict};
use crate::row;
use crate::servers::Asked;
use crate::support::{Ran, Running, eventually, idem};

/// A folder with a ledger, and a key store that is down while the file `down` is there.
struct Scene {
    folder: tempfile::TempDir,
}

impl Scene {
    fn new() -> Scene {
        Scene { folder: tempfile::tempdir().unwrap() }
    }

    fn down(&self) -> PathBuf {
        self.folder.path().join("down")
    }

    /// A probe of a shop that goes by `while_down` as long as its store is down.
    fn probe(&self, while_down: fn(&mut Shop, &Asked) -> (u16, Value), disrupt: &str, heal: &str) -> Command {
        let (ledger, down) = (self.folder.path().join("charges.jsonl"), self.down());
        let rule = move |shop: &mut Shop, asked: &Asked| match down.exists() {
            true => while_down(shop, asked),
            false => shop.serve(asked, asked.key().unwrap_or_default(), asked.body.clone()),
        };
        let target = format!("http://{}/charges", shop(&ledger, rule));
        let mut command = idem(["probe", "--format", "json", "--lease", "700ms", "--check", "disruption", "--ledger"]);
        command.arg(ledger).args(["--target", &target]);
        command.args(["--disrupt", &format!("store={disrupt}"), "--heal", &format!("store={heal}")]);
        command
    }

    fn probed(&self, while_down: fn(&mut Shop, &Asked) -> (u16, Value)) -> Ran {
        self.probe(while_down, &touch(&self.down()), &remove(&self.down())).output().unwrap().into()
    }
}

fn touch(path: &Path) -> String {
    format!("touch {}", path.display())
}

fn remove(path: &Path) -> String {
    format!("rm -f {}", path.display())
}

fn unavailable(_: &mut Shop, _: &Asked) -> (u16, Value) {
    (503, json!({"error": "store down"}))
}

#[test]
fn a_store_that_is_down_must_not_let_everything_through() {
    let scene = Scene::new();
    let ran = scene.probed(|shop, asked| (200, shop.charge(asked))).exits(2);
    assert_eq!(verdict(&ran, "disruption"), "DUPLICATE");
    assert!(row(&ran, "disruption")["evidence"].to_string().contains("store: charged before"), "{}", ran.stdout);
    assert!(!scene.down().exists());
}

#[test]
fn a_server_that_refuses_while_its_store_is_down_has_no_finding() {
    let scene = Scene::new();
    assert_eq!(verdict(&scene.probed(unavailable).exits(0), "disruption"), "OK");
    assert!(!scene.down().exists());
}

#[test]
fn a_command_that_fails_is_told_with_its_exit_and_its_words() {
    let scene = Scene::new();
    let commands = [("echo broken >&2; exit 4", "true", "--disrupt"), ("true", "echo broken >&2; exit 4", "--heal")];
    for (disrupt, heal, option) in commands {
        let ran: Ran = scene.probe(unavailable, disrupt, heal).output().unwrap().into();
        let row = row(&ran.exits(3), "disruption");
        assert_eq!(row["verdict"], "ERROR");
        let told = format!("{option} store: the command ended with exit status: 4: broken");
        assert!(row["evidence"].as_str().unwrap().contains(&told), "{row}");
    }
}

/// As at a terminal, where all processes of the group get it.
#[test]
fn what_was_disrupted_is_healed_though_the_user_interrupts_twice() {
    let scene = Scene::new();
    let [begun, go] = ["heal-begun", "go"].map(|name| scene.folder.path().join(name));
    let awaited = format!("while [ ! -e {} ]; do sleep 0.01; done", go.display());
    let heal = format!("echo x >> {}; {awaited}; {}", begun.display(), remove(&scene.down()));
    let mut command = scene.probe(unavailable, &touch(&scene.down()), &heal);
    let mut running = Running::spawn(command.process_group(0));
    let group = format!("-{}", running.0.id());
    let mut interrupt = || {
        assert!(Command::new("kill").args(["-INT", "--", &group]).status().unwrap().success());
        while running.first_complaint() != "idem: interrupted" {}
    };
    eventually("the store is down", || scene.down().exists());
    interrupt();
    eventually("the heal command has begun", || begun.exists());
    interrupt();
    std::fs::write(go, "").unwrap();
    running.finish().exits(130);
    assert!(!scene.down().exists(), "the disruption was not healed");
    assert_eq!(std::fs::read_to_string(begun).unwrap(), "x\n", "it was healed once");
}

#[test]
fn what_was_disrupted_is_healed_on_an_interrupt_too() {
    let scene = Scene::new();
    let mut command = scene.probe(unavailable, &touch(&scene.down()), &remove(&scene.down()));
    let running = Running::spawn(&mut command);
    eventually("the store is down", || scene.down().exists());
    running.signal("INT");
    running.finish().exits(130);
    assert!(!scene.down().exists(), "the disruption was not healed");
}
