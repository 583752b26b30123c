//! What shows only in a sequence: a new token, a failure after the charge, another key's failure, a client that leaves, two
//! restarts.

use std::path::Path;

use serde_json::{Value, json};

use crate::faults::{Shop, probed, shop, verdict};
use crate::servers::{Asked, correct};
use crate::support::{Ran, idem};
use crate::{row, verdicts};

/// A probe with options that hold spaces.
fn with(address: std::net::SocketAddr, ledger: &Path, options: &[&str]) -> Ran {
    let mut command = idem(["probe", "--format", "json", "--lease", "200ms", "--target"]);
    command.arg(format!("http://{address}/charges")).args(options).arg("--ledger").arg(ledger);
    command.output().unwrap().into()
}

fn key(asked: &Asked) -> &str {
    asked.key().unwrap_or_default()
}

fn refreshed(rule: impl Fn(&mut Shop, &Asked) -> (u16, Value) + Send + Sync + 'static) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("charges.jsonl");
    let tokens =
        ["--header", "Authorization: Bearer old-token", "--refreshed-credential", "Authorization: Bearer new-token"];
    let check = ["--check", "refreshed_credential"];
    let ran = with(shop(&ledger, rule), &ledger, &[tokens.as_slice(), &check].concat());
    assert!(!ran.stdout.contains("new-token"), "{}", ran.stdout);
    ran
}

#[test]
fn a_key_that_counts_only_with_its_token_is_found_by_the_refreshed_one() {
    let by_token = |shop: &mut Shop, asked: &Asked| {
        shop.serve(asked, &format!("{} {}", key(asked), asked.field("authorization").unwrap()), asked.body.clone())
    };
    assert_eq!(verdict(&refreshed(by_token).exits(2), "refreshed_credential"), "DUPLICATE");
    let refuses = |shop: &mut Shop, asked: &Asked| {
        shop.serve(asked, key(asked), json!([asked.body, asked.field("authorization")]))
    };
    assert_eq!(verdict(&refreshed(refuses).exits(2), "refreshed_credential"), "STICKY");
    let held = |shop: &mut Shop, asked: &Asked| shop.serve(asked, key(asked), asked.body.clone());
    assert_eq!(verdict(&refreshed(held).exits(0), "refreshed_credential"), "OK");
    let unknown = |shop: &mut Shop, asked: &Asked| match asked.field("authorization") {
        Some("Bearer new-token") => (401, json!({})),
        _ => shop.serve(asked, key(asked), asked.body.clone()),
    };
    let ran = refreshed(unknown).exits(3);
    assert!(row(&ran, "refreshed_credential")["evidence"].to_string().contains("does not take"), "{}", ran.stdout);
}

/// Fails once for an intent after its charge; what it does with the key, `keeps` says.
fn failing_after(keeps: bool) -> impl Fn(&mut Shop, &Asked) -> (u16, Value) + Send + Sync {
    move |shop, asked| {
        let fails = asked.body["fail"] == true && !shop.kept.contains_key(&format!("failed {}", key(asked)));
        if !fails {
            return shop.serve(asked, key(asked), asked.body.clone());
        }
        shop.kept.insert(format!("failed {}", key(asked)), (Value::Null, 0, Value::Null));
        if keeps {
            shop.serve(asked, key(asked), asked.body.clone())
        } else {
            (200, shop.charge(asked))
        };
        (500, json!({"error": "after the charge"}))
    }
}

#[test]
fn a_failure_after_the_charge_must_not_charge_again() {
    let after = r#"--check server_error_after --fail-after-body {"intent":"{{intent}}","fail":true}"#;
    assert_eq!(verdict(&probed(failing_after(false), after).exits(2), "server_error_after"), "DUPLICATE");
    assert_eq!(verdict(&probed(failing_after(true), after).exits(0), "server_error_after"), "OK");
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("charges.jsonl");
    let ran = crate::probe(correct(&ledger), &ledger, after).exits(3);
    assert_eq!(verdict(&ran, "server_error_after"), "UNPROVEN");
}

#[test]
fn a_failure_of_one_key_that_clears_the_others_is_found() {
    let clears = |shop: &mut Shop, asked: &Asked| {
        let failed = format!("failed {}", key(asked));
        if asked.body["fail"] == true && !shop.kept.contains_key(&failed) {
            shop.kept.clear();
            shop.kept.insert(failed, (Value::Null, 0, Value::Null));
            return (500, json!({"error": "before the charge"}));
        }
        shop.serve(asked, key(asked), asked.body.clone())
    };
    let fail = r#"--check server_error_first --fail-body {"intent":"{{intent}}","fail":true}"#;
    assert_eq!(verdict(&probed(clears, fail).exits(2), "server_error_first"), "DUPLICATE");
}

/// A server that drops a key when the client of a replay, or of a refusal, has gone before it answers.
#[test]
fn a_client_that_leaves_must_not_take_the_stored_success_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("charges.jsonl");
    let ran = crate::probe(crate::servers::forgets_who_leaves(&ledger), &ledger, "--check replay --check left_replay");
    let ran = ran.exits(2);
    assert_eq!((verdict(&ran, "replay").as_str(), verdict(&ran, "left_replay").as_str()), ("OK", "DUPLICATE"));
}

/// A server whose restarts are the lines of a file.
fn rebooting(lives: usize) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    let (ledger, boots) = (folder.path().join("charges.jsonl"), folder.path().join("boots"));
    let file = boots.clone();
    let rule = move |shop: &mut Shop, asked: &Asked| {
        let boot = std::fs::read_to_string(&file).unwrap_or_default().lines().count();
        let alive = (boot.saturating_sub(lives)..=boot).map(|born| format!("{} {born}", key(asked)));
        let known = alive.into_iter().find(|key| shop.kept.contains_key(key));
        shop.serve(asked, &known.unwrap_or(format!("{} {boot}", key(asked))), asked.body.clone())
    };
    let command = format!("echo x >> {}", boots.display());
    with(shop(&ledger, rule), &ledger, &["--check", "double_restart", "--restart-cmd", &command])
}

#[test]
fn a_key_that_lives_through_one_restart_only_is_found_by_two() {
    let ran = rebooting(1).exits(2);
    assert_eq!(verdicts(&ran)["double_restart"], "DUPLICATE");
    assert_eq!(verdicts(&rebooting(2).exits(0))["double_restart"], "OK");
}
