//! The README is executable: its table and its commands are held against the binary.

mod support;

use std::process::Command;

const README: &str = include_str!("../README.md");

/// One `$ command` of a `console` block with what the README shows of its output.
struct Example {
    command: String,
    /// Lines of output; `[...]` stands for any number of lines, `[exit N]` for an exit code other than 0.
    shown: Vec<&'static str>,
}

#[test]
fn the_first_screen_shows_the_real_table() {
    let table = include_str!("data/table.txt");
    let (before, _) = README.split_once(table).expect("the table is in the README to the byte");
    assert!(before.lines().count() + table.lines().count() <= 25, "the table is not in the first screen");
}

#[test]
fn every_command_shown_runs_and_prints_what_is_shown() {
    let mut run = 0;
    for block in blocks("console") {
        let examples = examples(&block);
        for (example, (printed, code)) in examples.iter().zip(session(&examples)) {
            check(example, &printed, code);
            run += 1;
        }
    }
    assert_eq!(run, README.lines().filter(|line| line.starts_with("$ ")).count());
}

#[test]
fn ci_runs_the_test_command_that_the_readme_gives() {
    let fresh_machine = blocks("sh").concat();
    assert_eq!(fresh_machine, ["cargo run --release -- probe", "cargo test"]);
    let ci = include_str!("../.ci/run");
    assert!(ci.lines().any(|line| line.starts_with("cargo test")), "{ci}");
    assert!(ci.contains("cargo build --release") && ci.contains("target/release/idem probe"), "{ci}");
}

/// What runs them is the test of that page.
#[test]
fn the_examples_for_test_suites_are_those_of_the_page_whose_test_runs_them() {
    let page = support::run("explain proxy").exits(0).stdout;
    for language in ["python", "js"] {
        let [example] = &blocks(language)[..] else { panic!("one example in {language}") };
        assert!(example.len() <= 3, "{example:?}");
        assert!(example.iter().all(|line| page.lines().any(|shown| shown.trim_start() == line.trim_start())), "{page}");
    }
}

#[test]
fn it_is_short() {
    assert!(README.lines().count() <= 220, "the reference belongs into `idem explain`");
}

/// The fenced blocks of one language, each as its lines.
fn blocks(language: &str) -> Vec<Vec<&'static str>> {
    let mut blocks: Vec<Vec<_>> = Vec::new();
    let mut fence = None;
    for line in README.lines() {
        match (line.strip_prefix("```"), fence) {
            (Some(opened), None) => {
                fence = Some(opened);
                blocks.extend((opened == language).then(Vec::new));
            }
            (Some(_), Some(_)) => fence = None,
            (None, Some(open)) if open == language => blocks.last_mut().unwrap().push(line),
            (None, _) => {}
        }
    }
    blocks
}

fn examples(block: &[&'static str]) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    for &line in block {
        match (line.strip_prefix("$ "), line.strip_prefix("> "), examples.last_mut()) {
            (Some(command), ..) => examples.push(Example { command: command.to_owned(), shown: Vec::new() }),
            (None, Some(more), Some(example)) if example.shown.is_empty() => {
                example.command.push('\n');
                example.command.push_str(more);
            }
            (None, _, Some(example)) => example.shown.push(line),
            (None, _, None) => panic!("a console block begins with a command, not with {line:?}"),
        }
    }
    examples
}

/// Runs the commands of a block in one shell, as a user would, with the built binary first on the path. What was left
/// in the background ends with it. Gives what each command printed, and its exit code. Ports are free ones, since the
/// README's may be taken here.
fn session(examples: &[Example]) -> Vec<(String, i32)> {
    let folder = tempfile::tempdir().unwrap();
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_idem")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
    let mut script = "trap 'kill $left 2>/dev/null' EXIT\n".to_owned();
    for example in examples {
        let left = if example.command.ends_with('&') { "left=\"$left $!\"" } else { "" };
        script += &format!("{}\nprintf '{END}%d{END}' $?\n{left}\n", example.command);
    }
    let ports = free_ports();
    for (shown, free) in &ports {
        script = script.replace(shown, free);
    }
    let output = Command::new("sh").args(["-c", &script]).env("PATH", path).current_dir(folder.path()).output();
    let mut output = support::Ran::from(output.unwrap());
    for (shown, free) in &ports {
        output.stdout = output.stdout.replace(free, shown);
    }
    let mut parts = output.stdout.split(END);
    let mut printed = Vec::new();
    while let (Some(text), Some(code)) = (parts.next(), parts.next()) {
        printed.push((text.to_owned(), code.parse().unwrap()));
    }
    assert_eq!(printed.len(), examples.len(), "{}", output.stderr);
    printed
}

/// Each address that the README listens on, and one that is free now.
fn free_ports() -> Vec<(&'static str, String)> {
    let mut shown: Vec<_> = README.split_whitespace().filter(|word| word.starts_with("127.0.0.1:18")).collect();
    shown.sort();
    shown.dedup();
    // All held until all are found, so that no two are the same.
    let free: Vec<_> = shown.iter().map(|_| std::net::TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    shown.into_iter().zip(free).map(|(shown, free)| (shown, free.local_addr().unwrap().to_string())).collect()
}

/// Ends what one command printed.
const END: &str = "<<end>>";

fn check(example: &Example, printed: &str, code: i32) {
    let expected = example.shown.iter().find_map(|line| line.strip_prefix("[exit ")?.strip_suffix("]")?.parse().ok());
    let context = format!("$ {}\n{printed}", example.command);
    assert_eq!(code, expected.unwrap_or(0), "{context}");
    let shown: Vec<_> = example.shown.iter().copied().filter(|line| !line.starts_with("[exit ")).collect();
    let printed: Vec<_> = printed.lines().collect();
    assert!(matches(&shown, &printed), "the README shows:\n{}\nbut:\n{context}", shown.join("\n"));
}

/// Whether the printed lines are those shown, where `[...]` stands for any number of them.
fn matches(shown: &[&str], printed: &[&str]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((&"[...]", rest)) => (0..=printed.len()).any(|skipped| matches(rest, &printed[skipped..])),
        Some((first, rest)) => printed.first().is_some_and(|line| is_like(line, first)) && matches(rest, &printed[1..]),
    }
}

/// Whether a line is the one shown, where each `[..]` stands for any text.
fn is_like(line: &str, shown: &str) -> bool {
    match shown.split_once("[..]") {
        None => line == shown,
        Some((before, after)) => line.strip_prefix(before).is_some_and(|rest| {
            let ends = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
            ends.into_iter().any(|end| is_like(rest.split_at(end).1, after))
        }),
    }
}

#[test]
fn every_link_within_the_readme_has_its_heading() {
    let anchor = |heading: &str| {
        let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.collect::<String>().trim().to_lowercase().replace(' ', "-")
    };
    let headings = README.lines().filter(|line| line.starts_with('#')).map(|line| anchor(line.trim_start_matches('#')));
    let headings: Vec<_> = headings.collect();
    for link in README.split("](#").skip(1) {
        let link = link.split(')').next().unwrap();
        assert!(headings.iter().any(|heading| heading == link), "no heading for #{link} among {headings:?}");
    }
}
