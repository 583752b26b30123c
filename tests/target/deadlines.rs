//! A target that hangs keeps an exploration not much longer than `--for`; and what was cut short says so.

use std::time::Duration;

use serde_json::{Value, json};

use crate::faults::{Shop, shop};
use crate::servers::Asked;
use crate::support::{Ran, idem, output};

/// What is asked of a target, by the name that the intent has from its check.
fn is_of(asked: &Asked, check: &str) -> bool {
    asked.body["intent"].as_str().is_some_and(|intent| intent.contains(&format!("-{check}-")))
}

fn explored(rule: impl Fn(&mut Shop, &Asked) -> (u16, Value) + Send + Sync + 'static, more: &str) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("charges.jsonl");
    let target = format!("http://{}/charges", shop(&ledger, rule));
    let mut command = idem(["probe", "--format", "json", "--target", &target, "--ledger"]);
    output(command.arg(&ledger).args(more.split_whitespace())).into()
}

/// The last row, which is that of the exploration.
fn last(ran: &Ran) -> (String, String) {
    let row = ran.json()["checks"].as_array().unwrap().last().unwrap().clone();
    (row["verdict"].as_str().unwrap().into(), row["evidence"].as_str().unwrap().into())
}

fn serve(shop: &mut Shop, asked: &Asked) -> (u16, Value) {
    shop.serve(asked, asked.key().unwrap_or_default(), asked.body.clone())
}

fn hangs(shop: &mut Shop, asked: &Asked) -> (u16, Value) {
    if is_of(asked, "chaos") {
        std::thread::sleep(Duration::from_secs(600));
    }
    serve(shop, asked)
}

fn a_key_that_has_not_settled_when_the_time_is_over_is_open_and_not_ok() {
    let stuck = |shop: &mut Shop, asked: &Asked| match is_of(asked, "chaos") {
        true => (409, json!({"error": "in flight"})),
        false => serve(shop, asked),
    };
    let (verdict, why) = last(&explored(stuck, "--chaos 1 --for 1s --lease 600s").exits(3));
    assert_eq!(verdict, "UNPROVEN", "{why}");
    assert!(why.starts_with("1 schedules did not settle, or could not be played again, before the time"), "{why}");
}

fn a_target_that_hangs_for_good_is_an_error_when_the_time_is_over() {
    let (verdict, why) = last(&explored(hangs, "--chaos 1 --for 1s --timeout 60s").exits(3));
    assert_eq!(verdict, "ERROR", "{why}");
    assert!(why.contains("no fresh request is answered"), "{why}");
}

/// Charges each request, and hangs from the fence on that follows the first second charge.
fn charges_twice_and_hangs(shop: &mut Shop, asked: &Asked) -> (u16, Value) {
    let mark = |shop: &mut Shop, name: String| shop.kept.insert(name, (Value::Null, 0, Value::Null)).is_some();
    let is_twice = is_of(asked, "chaos") && mark(shop, asked.body["intent"].to_string());
    if is_twice {
        mark(shop, "twice".into());
    }
    if is_of(asked, "fence") && shop.kept.contains_key("twice") {
        mark(shop, "over".into());
    }
    if is_of(asked, "chaos") && shop.kept.contains_key("over") {
        std::thread::sleep(Duration::from_secs(600));
    }
    (200, shop.charge(asked))
}

fn a_finding_that_could_not_be_played_again_is_not_called_confirmed() {
    let (verdict, why) = last(&explored(charges_twice_and_hangs, "--chaos 1 --for 1s --timeout 60s").exits(2));
    assert_eq!(verdict, "DUPLICATE", "{why}");
    assert!(why.contains("; seen once, not confirmed; "), "{why}");
    assert!(why.contains("; confirming was cut short: its time was over"), "{why}");
}

fn many_fresh_keys_are_not_all_sent_to_a_target_that_hangs() {
    let folder = tempfile::tempdir().unwrap();
    let saved = folder.path().join("found.json");
    let schedule = json!({"orders": [], "steps": [{"fresh_keys": {"count": 350}}]});
    let finding = json!({"verdict": "WEDGED", "broke": 3, "of": 3, "schedule": schedule});
    std::fs::write(&saved, json!({"version": 1, "seed": 1, "findings": [finding]}).to_string()).unwrap();
    let more = format!("--timeout 200ms --lease 200ms --replay {}", saved.display());
    let ran = explored(hangs, &more).exits(3);
    assert_eq!(last(&ran).0, "ERROR", "{}", ran.stdout);
    assert!(ran.json()["run"]["requests"].as_u64().unwrap() < 100, "{}", ran.stdout);
}

/// Side by side, since each of them waits most of its time.
#[test]
fn a_target_that_hangs_keeps_nobody_and_what_was_cut_short_says_so() {
    let all = [
        a_key_that_has_not_settled_when_the_time_is_over_is_open_and_not_ok,
        a_target_that_hangs_for_good_is_an_error_when_the_time_is_over,
        a_finding_that_could_not_be_played_again_is_not_called_confirmed,
        many_fresh_keys_are_not_all_sent_to_a_target_that_hangs,
    ];
    std::thread::scope(|scope| {
        for one in all {
            scope.spawn(one);
        }
    });
}
