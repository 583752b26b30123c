//! What is refused before anything is sent, and what is printed without sending anything.

use crate::support::run;

const TARGET: &str = "probe --target http://127.0.0.1:1/charges";

#[test]
fn what_cannot_be_probed_is_refused_in_a_line_that_says_what_to_give() {
    let cases = [
        ("probe --target ftp://127.0.0.1/charges --ledger l", "give an address as http://"),
        ("probe --target http://::1:80/charges --ledger l", "in brackets"),
        ("probe --target https://192.0.2.1/charges --ledger l", "--allow-host 192.0.2.1"),
        ("probe --target https://192.0.2.1/ --allow-host 192.0.2.1 --ledger l --insecure", "192.0.2.1 is not loopback"),
        (
            "probe --target https://127.0.0.1/ --ledger l --cacert /nowhere/ca.pem",
            "--cacert /nowhere/ca.pem: cannot read it",
        ),
        (
            "probe --target https://127.0.0.1/ --ledger l --cacert Cargo.toml",
            "--cacert Cargo.toml: no certificate in it",
        ),
        ("probe --target https://127.0.0.1/ --ledger l --cacert a --insecure", "cannot be used with"),
        ("probe --target unix:/x --path charges --ledger l", "as in /charges"),
        (&format!("{TARGET} --ledger l --path /charges"), "--path is for a Unix socket alone"),
        (&format!("{TARGET} --ledger l --cacert Cargo.toml"), "--cacert changes nothing"),
        (&format!("{TARGET} --ledger l --insecure"), "--insecure changes nothing"),
        ("probe --insecure", "--target"),
        ("probe --target http://192.0.2.1/charges --ledger l", "--allow-host 192.0.2.1"),
        ("probe --target http://user:secret@127.0.0.1/ --ledger l", "--header 'Authorization"),
        (TARGET, "--ledger none"),
        (&format!("{TARGET} --ledger http://192.0.2.1/l"), "--allow-host 192.0.2.1"),
        (&format!("{TARGET} --ledger l --check nope"), "give one of baseline, replay"),
        (&format!("{TARGET} --ledger l --lease 1h"), "--lease"),
        (&format!("{TARGET} --ledger l --jobs 0"), "--jobs 0: give 1 to 16"),
        (&format!("{TARGET} --ledger l --body {{\"amount\":1}}"), "no {{intent}} in the template"),
        (&format!("{TARGET} --ledger l --body {{"), "no JSON"),
        (&format!("{TARGET} --ledger l --body @/nowhere/body.json"), "cannot read /nowhere/body.json"),
        (&format!("{TARGET} --ledger l --body <a/>"), "--content-type"),
        (&format!("{TARGET} --ledger l --body {{{{intnet}}}}"), "not a placeholder; give one of {{intent}}"),
        (&format!("{TARGET}/{{{{id}}}} --ledger l"), "{{id}}: not a placeholder"),
        (&format!("{TARGET} --ledger l --header X:{{{{id}}}}"), "{{id}}: not a placeholder"),
        (&format!("{TARGET} --ledger l --body i={{{{intent}}}} --key-in /key"), "give form:NAME"),
        (&format!("{TARGET} --ledger l --key-in form:key"), "the body is no form"),
        (&format!("{TARGET} --ledger l --key-in key"), "query:NAME, form:NAME, url"),
        (&format!("{TARGET} --ledger l --key-in url"), "no {{intent}} in the URL"),
        (&format!("{TARGET} --ledger l --content-type json"), "give a type as"),
        (&format!("{TARGET} --ledger l --content-type a/b --header Content-Type:a/b"), "leave one of them out"),
        (&format!("{TARGET} --ledger l --success-at paid"), "--success-at: paid: a JSON pointer begins with /"),
        (&format!("{TARGET} --ledger l --receipt-at receipt"), "begins with /"),
        (&format!("{TARGET} --ledger l --poll status --poll-done /done"), "give Location, or a JSON pointer"),
        (&format!("{TARGET} --ledger l --poll /status --poll-done done"), "--poll-done: done: a JSON pointer"),
        (&format!("{TARGET} --ledger l --key-format md5"), "hex, uuid, quoted"),
        (&format!("{TARGET} --ledger l --intent-at intent"), "begins with /"),
        (&format!("{TARGET} --ledger l --header nocolon"), "'Name: value'"),
        (&format!("{TARGET} --ledger l --accept everything"), "stored-errors, silent-reuse, strict-body"),
        (&format!("{TARGET} --ledger l --disrupt down=true"), "--heal down=CMD"),
        (&format!("{TARGET} --ledger l --heal down=true"), "--disrupt down=CMD"),
        (&format!("{TARGET} --ledger l --disrupt down"), "NAME=COMMAND"),
        (&format!("{TARGET} --ledger l --keys 0"), "1 to 100000"),
        ("probe --ledger l", "--target"),
    ];
    for (args, says) in cases {
        let ran = run(args).exits(3).says(says);
        assert_eq!(ran.stdout, "", "{args}");
        assert_eq!(ran.stderr.trim_end().lines().count(), 1, "{args}: {}", ran.stderr);
    }
}

#[test]
fn the_list_names_every_check_with_its_meaning_and_cure() {
    let listed = run(&format!("{TARGET} --list")).exits(0).stdout;
    let names = listed.lines().filter(|line| !line.starts_with(' ')).map(|line| line.split(' ').next().unwrap());
    assert_eq!(names.collect::<Vec<_>>().join(" "), include_str!("checks.txt").trim_end());
    assert_eq!(listed.matches("a finding means:").count(), listed.matches("the usual cure:").count());
}

#[test]
fn the_plan_sends_nothing_and_says_what_is_skipped() {
    let planned = run(&format!("{TARGET} --ledger none --plan")).exits(0).stdout;
    assert_eq!(planned, include_str!("plan.txt"));
}
