//! `idem explain`: every name of every report is explained, and what is unknown is refused with what is near.

mod support;

use support::run;

#[test]
fn every_name_in_the_list_is_explained() {
    let names = run("explain --list").exits(0).stdout;
    assert!(names.lines().count() > 100, "{names}");
    for name in names.lines() {
        let page = run(&format!("explain {name}")).exits(0).stdout;
        assert!(page.len() > name.len() + 10, "{name}: {page}");
    }
}

#[test]
fn names_are_those_of_the_reports() {
    let names = run("explain --list").exits(0).stdout;
    let has = |name: &str| names.lines().any(|line| line == name);
    for name in
        ["race_2", "DUPLICATE", "key-rotated", "read-timeout", "verify-first", "maybe", "post_drop_naive", "130"]
    {
        assert!(has(name), "{name}");
    }
    let checks = run("probe --target http://127.0.0.1:1/ --ledger none --list").exits(0).stdout;
    for check in checks.lines().filter(|line| !line.starts_with(' ')) {
        assert!(has(check.split(' ').next().unwrap()), "{check}");
    }
}

#[test]
fn a_name_with_two_senses_is_explained_in_both() {
    let page = run("explain cut").exits(0).stdout;
    assert!(page.contains("cut: check\n") && page.contains("cut: fault of the proxy\n"), "{page}");
}

#[test]
fn no_line_is_wider_than_a_page() {
    for topic in ["checks", "libraries", "points", "symptoms", "verdicts"] {
        let page = run(&format!("explain {topic}")).exits(0).stdout;
        assert!(page.lines().all(|line| line.chars().count() <= 100), "{page}");
    }
}

#[test]
fn an_unknown_name_is_refused_with_what_is_near() {
    let refused = run("explain keyreuse").exits(3);
    assert!(refused.stderr.contains("did you mean key_reuse"), "{}", refused.stderr);
    let refused = run("explain \u{1b}[31mred").exits(3);
    assert!(!refused.stderr.contains('\u{1b}'), "{}", refused.stderr);
}

#[test]
fn the_list_is_that_of_the_topics() {
    let contents = run("explain").exits(0).stdout;
    for topic in ["checks", "findings", "exit-codes", "points", "libraries"] {
        assert!(contents.lines().any(|line| line.trim_start().starts_with(topic)), "{contents}");
    }
}

/// Each recipe is a command as a shell reads it, whose options go together.
#[test]
fn every_recipe_can_be_planned() {
    let page = run("explain recipes").exits(0).stdout.replace("\\\n", " ");
    let recipes: Vec<_> = page.lines().filter(|line| line.trim_start().starts_with("idem probe")).collect();
    assert!(recipes.len() >= 7, "{page}");
    for recipe in recipes {
        let planned = format!("{} --plan", recipe.trim_start().replacen("idem", env!("CARGO_BIN_EXE_idem"), 1));
        let ran: support::Ran = std::process::Command::new("/bin/sh").args(["-c", &planned]).output().unwrap().into();
        ran.exits(0).prints("check                 requests  charges");
    }
}

#[test]
fn every_placeholder_is_explained() {
    let page = run("explain requests").exits(0).stdout;
    for hole in ["intent", "amount", "key", "uuid", "now", "now_epoch"] {
        assert!(page.lines().any(|line| line.starts_with(&format!("{{{{{hole}}}}} "))), "{hole}: {page}");
    }
}
