//! `idem key` through the built binary.

mod support;

use std::io::Write;
use std::process::Stdio;

use support::{Running, idem, run, run_with_input};

const WRITTEN: &str = r#"{"intent":" ord-001 ","amount":1000}"#;
const CANONICAL: &str = r#"{"amount":1000,"intent":"ord-001"}"#;

#[test]
fn the_key_and_the_canonical_form_are_printed_however_the_intent_is_written() {
    let quoted = serde_json::to_string(WRITTEN).unwrap();
    let input = format!("{WRITTEN}\n\n  {quoted}\r\n{{ \"amount\": 1000, \"intent\": \"ord-001\" }}");
    let ran = run_with_input("key", input.as_bytes()).exits(0);
    assert_eq!((ran.stdout, ran.stderr), (format!("cabfa4ea11ff07d1  {CANONICAL}\n").repeat(3), String::new()));
}

#[test]
fn jsonl_gives_the_bytes_and_the_line() {
    let input = format!("\n{WRITTEN}\n{{\"a\":\"\u{9b}é\"}}\n");
    let ran = run_with_input("key --format jsonl", input.as_bytes()).exits(0);
    let rows: Vec<serde_json::Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let first = serde_json::json!({"line": 2, "key": "cabfa4ea11ff07d1", "canonical": CANONICAL});
    assert_eq!((&rows[0], &rows[1]["canonical"]), (&first, &"{\"a\":\"\u{9b}é\"}".into()));
    let text = run_with_input("key", input.as_bytes()).exits(0);
    assert!(text.stdout.ends_with("  {\"a\":\"\\u{9b}é\"}\n"), "a terminal would act on U+009B: {}", text.stdout);
}

#[test]
fn a_bad_line_is_named_and_the_good_ones_are_printed() {
    for (bad, why) in [
        ("{\"amount\":10.5}", "at /amount: a number must be an integer within i64"),
        ("{\"a\":1,\" a\":2}", "two keys are both `a` once trimmed"),
        ("{\"amount\":", "not JSON: EOF while parsing a value at column 10"),
        ("\"{\"", "not JSON: EOF while parsing an object at column 1"),
        ("\"torn", "not JSON: EOF while parsing a string at column 5"),
    ] {
        let ran = run_with_input("key", format!("{WRITTEN}\n{bad}\n{WRITTEN}\n").as_bytes()).exits(3);
        assert_eq!(ran.stdout.lines().count(), 2, "{bad}");
        assert_eq!(ran.stderr.lines().count(), 1, "{bad}: {}", ran.stderr);
        let said = format!("idem: standard input:2: {why}");
        assert!(ran.stderr.starts_with(&said), "{bad}: {}", ran.stderr);
    }
    run_with_input("key", b"\xff\xfe\n").exits(3).says("standard input:1: not UTF-8");
    let many =
        run_with_input("key", "x\n".repeat(23).as_bytes()).exits(3).says("standard input: and 3 more such lines");
    assert_eq!(many.stderr.lines().count(), 21);
}

#[test]
fn no_intent_exits_4() {
    run_with_input("key", b"\n \n").exits(4).says("standard input: no intent");
    run("key").exits(4);
}

/// A key comes out before the input ends, so an interruption loses none.
#[test]
fn a_key_is_printed_when_its_line_is_there() {
    let mut waiting = Running::spawn(idem(["key"]).stdin(Stdio::piped()));
    waiting.awaits_interrupts();
    let mut stdin = waiting.0.stdin.take().unwrap();
    writeln!(stdin, "{WRITTEN}").unwrap();
    assert_eq!(waiting.first_line(), format!("cabfa4ea11ff07d1  {CANONICAL}"));
    waiting.signal("INT");
    waiting.finish().exits(130).says("interrupted");
}

#[test]
fn the_help_names_it_after_the_three_commands_for_users() {
    let help = run("--help").exits(0).stdout;
    let at = |name: &str| help.find(&format!("\n  {name} ")).unwrap_or_else(|| panic!("no {name}: {help}"));
    assert!(["classify", "reconcile", "proxy"].iter().all(|name| at(name) < at("key")), "{help}");
}
