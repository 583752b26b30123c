//! The recipes of `idem explain recipes`, as they stand there: other tests run them against servers of their kind.

use std::path::Path;

use crate::support::{Ran, run};

fn page() -> String {
    run("explain recipes").exits(0).stdout
}

/// The paragraph whose first words these are.
fn paragraph(title: &str) -> String {
    let page = page();
    page.split("\n\n").find(|part| part.starts_with(title)).unwrap_or_else(|| panic!("no recipe {title}")).to_owned()
}

/// The command of a recipe, whose lines are indented.
fn command(title: &str) -> String {
    let paragraph = paragraph(title);
    let lines = paragraph.lines().skip_while(|line| !line.starts_with("  idem probe"));
    lines.take_while(|line| line.starts_with("  ")).collect::<Vec<_>>().join("\n")
}

/// Runs a recipe in a folder by the shell; `places` are those of the page, and what stands for them here.
pub fn recipe(title: &str, folder: &Path, places: &[(&str, &str)], more: &str) -> Ran {
    let filled = places.iter().fold(command(title), |line, (from, to)| {
        assert!(line.contains(from), "no {from} in {line}");
        line.replace(from, to)
    });
    let binary = Path::new(env!("CARGO_BIN_EXE_idem")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &format!("{filled} {more}")]).env("PATH", path).env("SECRET", SECRET).current_dir(folder);
    shell.output().expect("sh runs").into()
}

/// What the page's sign.py signs with.
pub const SECRET: &str = "sh4red";

/// The file that a recipe shows after its command.
pub fn file(title: &str, name: &str) -> String {
    let paragraph = paragraph(title);
    let (_, lines) = paragraph.split_once(&format!("\n{name}:\n")).expect("the file is shown");
    lines.lines().map(|line| line.strip_prefix("  ").expect("it is indented").to_owned() + "\n").collect()
}

#[test]
fn the_table_counts_the_options_of_each_recipe() {
    let page = page();
    let (_, table) = page.split_once("  recipe   ").expect("a table");
    // The lines of a second server have neither a name nor a number.
    let rows: Vec<_> =
        table.lines().skip(1).filter(|line| line.starts_with("  ") && !line.starts_with("   ")).collect();
    assert!(rows.len() >= 9, "{page}");
    for row in rows {
        let (title, rest) = row.trim_start().split_once("  ").unwrap();
        let said: usize = rest.split_whitespace().next().unwrap().parse().unwrap();
        assert_eq!(command(title).matches(" --").count(), said, "{row}");
    }
}
