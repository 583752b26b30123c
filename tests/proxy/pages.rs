//! What `idem explain` shows of running a command is what happens: its examples, and the table of clients.

use crate::common::{Ran, output, run};
use crate::support::Bench;

/// The indented blocks of a page.
fn blocks(page: &str) -> Vec<String> {
    let mut blocks = vec![String::new()];
    for line in page.lines() {
        match line.strip_prefix("    ") {
            Some(code) => *blocks.last_mut().unwrap() += &format!("{code}\n"),
            None if blocks.last().is_some_and(|block| !block.is_empty()) => blocks.push(String::new()),
            None => {}
        }
    }
    blocks
}

#[test]
fn the_examples_of_the_page_run() {
    let bench = Bench::new("key_atomic");
    let page = run("explain proxy").exits(0).stdout;
    let [pytest, node, _] = &blocks(&page)[..] else { panic!("{page}") };
    let address = bench.address.to_string();
    let write = |name: &str, text: &str| std::fs::write(bench.folder.path().join(name), text).unwrap();
    write("pay.py", include_str!("clients/pay.py"));
    write("pay.mjs", &include_str!("clients/pay.mjs").replace("X-Key", "Idempotency-Key"));
    let here = |text: &str| text.replace("127.0.0.1:8080", &address).replace("charges.jsonl", &bench.ledger());
    // pytest calls each test_ function, and so does this, since pytest may not be there.
    write("test_pay.py", &(here(pytest) + "\nif __name__ == '__main__': test_paying_is_safe_to_retry()\n"));
    // The charge server takes JSON, so Node's client sends that.
    let json = "JSON.stringify({ intent: order, amount: 5 })";
    let client = std::fs::read_to_string(bench.folder.path().join("pay.mjs")).unwrap();
    let (before, rest) = client.split_once("new URLSearchParams(").unwrap();
    let after = rest.split_once("),\n").unwrap().1;
    let target = before.replace("/orders/${order}/charges?order=${order}", "/charges");
    write("pay.mjs", &format!("{target}{json},\n{after}"));
    write("pay.test.mjs", &here(node));
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_idem")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
    for (program, args) in [("python3", &["test_pay.py"][..]), ("node", &["--test", "pay.test.mjs"])] {
        assert!(here(if program == "node" { node } else { pytest }).lines().count() <= 3);
        let mut suite = std::process::Command::new(program);
        let ran = Ran::from(output(suite.args(args).env("PATH", &path).current_dir(bench.folder.path()))).exits(0);
        assert!(ran.stdout.contains("duplicates 0, lost 0"), "{}", ran.stdout);
    }
}

/// The figures of a line of the table of clients, behind its title.
fn figures(table: &str, title: &str) -> Option<String> {
    let line = table.lines().find(|line| line.starts_with(title))?;
    Some(line.chars().skip(34).collect::<String>().split_whitespace().collect::<Vec<_>>().join(" "))
}

#[test]
fn the_table_of_clients_is_what_the_survey_measures() {
    let mut survey = std::process::Command::new("python3");
    survey.args(["tests/clients/survey.py", "--idem", env!("CARGO_BIN_EXE_idem"), "--home", "/nowhere"]);
    let ran = Ran::from(output(survey.args(["--only", "curl_plain"])));
    let ran = ran.exits(0);
    let page = run("explain clients").exits(0).stdout;
    let measured = figures(&ran.stdout, "curl ");
    assert_eq!(measured, figures(&page, "curl "), "{}", ran.stdout);
    assert!(measured.is_some_and(|figures| figures.split(' ').count() >= 12));
    assert!(page.lines().filter(|line| figures(line, "").is_some_and(|f| f.split(' ').count() >= 12)).count() >= 12);
}
