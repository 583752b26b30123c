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
    let page = run("explain recipes").exits(0).stdout;
    let commands = page.split("\n\n").filter_map(|part| {
        let lines: Vec<_> = part.lines().skip_while(|line| !line.starts_with("  idem probe")).collect();
        let lines: Vec<_> = lines.into_iter().take_while(|line| line.starts_with("  ")).collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    });
    let recipes: Vec<_> = commands.collect();
    assert!(recipes.len() >= 10, "{page}");
    for recipe in recipes {
        let planned = format!("{} --plan", recipe.trim_start().replacen("idem", env!("CARGO_BIN_EXE_idem"), 1));
        // The authority of one of them is not here.
        let planned = planned.replace("--cacert ca.pem", "--insecure");
        let ran: support::Ran = std::process::Command::new("/bin/sh").args(["-c", &planned]).output().unwrap().into();
        ran.exits(0).prints("check                 requests  charges");
    }
}

#[test]
fn every_format_of_a_report_is_explained() {
    let page = run("explain reports").exits(0).stdout;
    for ending in ["json", "xml", "md", "html", "sarif"] {
        assert!(page.lines().any(|line| line.starts_with(&format!("{ending} "))), "{ending} in:\n{page}");
    }
}

/// The step of the recipe that probes, run as it stands against a correct server; only the port is another.
#[test]
fn the_recipe_for_ci_runs_as_it_stands() {
    let recipe = run("explain ci").exits(0).stdout;
    let step = recipe.lines().skip_while(|line| !line.ends_with("name: probe it")).skip(2);
    let script: Vec<_> = step.take_while(|line| line.starts_with("          ")).collect();
    let folder = tempfile::tempdir().unwrap();
    let (_server, address) = support::serve("key_atomic", &folder.path().join("charges.jsonl"), &[]);
    let script = script.join("\n").replace("127.0.0.1:8080", &address.to_string());
    assert!(script.contains("idem probe --target"), "{recipe}");
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_idem")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
    let mut shell = std::process::Command::new("sh");
    shell.args(["-ec", &script]).env("PATH", path).env("TEST_TOKEN", "s3cr3t-t0k3n").current_dir(folder.path());
    support::Ran::from(support::output(&mut shell)).exits(0).prints("race_8");
    for name in ["idem.html", "idem.xml", "idem.sarif"] {
        assert!(std::fs::metadata(folder.path().join(name)).unwrap().len() > 1000, "{name}");
    }
}

#[test]
fn every_placeholder_is_explained() {
    let page = run("explain requests").exits(0).stdout;
    for hole in ["intent", "amount", "key", "uuid", "now", "now_epoch"] {
        assert!(page.lines().any(|line| line.starts_with(&format!("{{{{{hole}}}}} "))), "{hole}: {page}");
    }
}

#[test]
fn completions_know_the_commands_and_their_options_and_bash_reads_them() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = run(&format!("completions {shell}")).exits(0).stdout;
        for word in ["reconcile", "report", "chaos"] {
            assert!(script.contains(word), "{shell}: no {word}");
        }
    }
    let script = run("completions bash").stdout;
    let asked = format!(
        "{script}\nCOMP_WORDS=(idem probe --rep); COMP_CWORD=2; _idem idem --rep probe; echo ${{COMPREPLY[@]}}"
    );
    let said = std::process::Command::new("bash").args(["-c", &asked]).output().expect("bash runs");
    assert_eq!(String::from_utf8_lossy(&said.stdout).trim(), "--report --repeat --replay");
    run("completions tcsh").exits(3).says("[possible values: bash");
}

#[test]
fn the_manual_has_a_page_for_idem_and_for_each_command() {
    let page = run("man").exits(0).stdout;
    assert!(page.contains(".TH idem 1") && page.contains("idem\\-probe(1)"), "{page}");
    let page = run("man probe").exits(0).stdout;
    assert!(page.contains(".TH idem-probe 1") && page.contains("\\-\\-report"), "{page}");
    run("man nothing").exits(3).says("no command is called nothing; give one of probe, selftest");
}
