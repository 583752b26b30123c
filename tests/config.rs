//! `idem.toml` through the built binary: what it puts in, what goes before it, and what is wrong with it.

mod support;

use std::path::Path;

use support::{Ran, idem, output};

const FILE: &str = r#"
[target]
target = "http://127.0.0.1:9/charges"
ledger = "none"
check = ["replay"]

[target.live]
timeout = "1s"
header = ["Authorization: Bearer ${IDEM_TEST_TOKEN}"]
body = '{"intent":"{{intent}}","amount":{{amount}},"pin":"${IDEM_TEST_PIN}"}'

[classify]
intent-field = ["order"]
"#;

/// Runs the binary in a folder with this idem.toml.
fn run(file: &str, args: &[&str], pipe: &str) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("idem.toml"), file).unwrap();
    run_in(folder.path(), args, pipe)
}

fn run_in(folder: &Path, args: &[&str], pipe: &str) -> Ran {
    let input = folder.join("input");
    std::fs::write(&input, pipe).unwrap();
    let mut command = idem(args);
    command.current_dir(folder).stdin(std::fs::File::open(input).unwrap());
    command.env("IDEM_TEST_TOKEN", "t0k3n-of-idem").env("IDEM_TEST_PIN", "p1n-of-idem");
    output(&mut command).into()
}

#[test]
fn a_target_is_probed_by_its_name() {
    let ran = run(FILE, &["probe", "live", "--plan"], "").exits(0).says("idem: with [target.live] of idem.toml");
    assert!(ran.stdout.contains("replay") && !ran.stdout.contains("race_2"), "{}", ran.stdout);
    run(FILE, &["probe", "target", "--plan", "--check", "race_2"], "").exits(0).prints("race_2");
    // Nobody listens there; what counts is who is asked.
    let elsewhere = ["probe", "live", "--target", "http://127.0.0.1:8/x"];
    run(FILE, &elsewhere, "").says("requests to http://127.0.0.1:8/x");
    let missing = run(FILE, &["probe", "lve", "--plan"], "").exits(3);
    assert_eq!(missing.stderr, "idem: error: lve: idem.toml has no [target.lve]; it has target, live\n");
}

#[test]
fn without_a_name_nothing_of_the_file_is_probed() {
    let plain = run(FILE, &["probe", "--list"], "").exits(0);
    assert!(plain.stdout.starts_with("pre_fail_naive") && plain.stderr.is_empty(), "{}{}", plain.stdout, plain.stderr);
    run(FILE, &["probe", "--config", "idem.toml"], "").exits(3).says("name the target as well");
    let empty = tempfile::tempdir().unwrap();
    run_in(empty.path(), &["probe", "live"], "").exits(3).says("live: there is no idem.toml here");
    run_in(empty.path(), &["probe", "live", "--config", "x.toml"], "").exits(3).says("cannot read x.toml");
}

#[test]
fn what_comes_from_the_environment_is_shown_nowhere() {
    for format in ["text", "table", "json", "junit"] {
        let ran = run(FILE, &["probe", "live", "--format", format], "");
        for secret in ["t0k3n-of-idem", "p1n-of-idem"] {
            assert!(!ran.stdout.contains(secret) && !ran.stderr.contains(secret), "{}{}", ran.stdout, ran.stderr);
        }
    }
    let unset = FILE.replace("IDEM_TEST_PIN", "IDEM_TEST_NOT_SET");
    run(&unset, &["probe", "live"], "")
        .exits(3)
        .says("idem: error: idem.toml:10: body in [target.live]: ${IDEM_TEST_NOT_SET} is not set in the environment");
}

#[test]
fn a_table_of_another_command_is_used_where_it_stands() {
    let log = "{\"order\":\"a\",\"status\":503,\"key\":\"k\"}\n{\"order\":\"a\",\"status\":503,\"key\":\"l\"}\n";
    run(FILE, &["classify"], log).exits(2).prints("key-rotated: intent a").says("idem: with [classify] of idem.toml");
    run(FILE, &["classify", "--intent-field", "id"], log).exits(0);
    let proxy = "[proxy]\nupstream = \"http://127.0.0.1:9\"\nfault = \"nonsense\"\nreadings = \"r\"\n";
    run(proxy, &["proxy"], "").exits(3).says("idem.toml:3: error: invalid value 'nonsense' for '--fault");
}

#[test]
fn what_is_wrong_is_named_by_file_and_line() {
    for (line, why) in [
        ("ledgr = 1", "idem: error: idem.toml:13: unknown key `ledgr` in [target.wrong]: did you mean ledger?"),
        ("timeout = \"1ms\"", "idem: error: idem.toml:13: --timeout 1ms"),
        ("jobs = \"many\"", "idem: idem.toml:13: error: invalid value 'many' for '--jobs <N>'"),
        ("timeout = [1, 2]", "idem.toml:13: timeout in [target.wrong]: give one value, not a list"),
        ("timeout = ", "idem: error: idem.toml:13: "),
    ] {
        let file = format!("{FILE}[target.wrong]\n{line}\n").replace("[classify]\nintent-field = [\"order\"]\n", "");
        let ran = run(&file, &["probe", "wrong"], "").exits(3).says(why);
        assert_eq!(ran.stderr.lines().filter(|line| !line.starts_with("idem: with")).count(), 1, "{}", ran.stderr);
    }
    run("[target]\nledger = \"none\"\n", &["probe", "target"], "").exits(3).says("[target] names no endpoint");
}
