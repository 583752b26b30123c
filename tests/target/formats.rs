//! The reports in files, of a server that charges each time and answers with what should break a format: markup, fences,
//! commands for GitHub, control characters, a word without an end, and the caller's secret.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::sync::LazyLock;

use serde_json::Value;

use crate::servers::{Charges, read, reply, start};
use crate::support::{Ran, idem, run, serve};
use crate::{probe, verdicts};

const SECRET: &str = "s3cr3t-t0k3n";

/// One run that wrote all formats.
struct Reported {
    folder: tempfile::TempDir,
    ran: Ran,
}

impl Reported {
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn file(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.file(name)).unwrap()
    }

    /// Checks with this verdict.
    fn of(&self, verdict: &str) -> Vec<String> {
        verdicts(&self.ran).into_iter().filter(|(_, is)| is == verdict).map(|(check, _)| check).collect()
    }
}

static REPORTED: LazyLock<Reported> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("charges.jsonl");
    let address = hostile(&ledger);
    std::fs::write(folder.path().join("summary.md"), "of the step before\n").unwrap();
    // Longer than what takes its place.
    std::fs::write(folder.path().join("r.xml"), "x".repeat(1 << 20)).unwrap();
    let mut command = idem(["probe", "--format", "json", "--header", &format!("Authorization: Bearer {SECRET}")]);
    command.args(["--target", &format!("http://{address}/charges"), "--ledger"]).arg(&ledger);
    for check in ["replay", "post_drop", "race_8", "late_arrival", "key_reuse", "window"] {
        command.args(["--check", check]);
    }
    for name in ["r.json", "r.xml", "r.md", "r.html", "r.sarif"] {
        command.arg("--report").arg(folder.path().join(name));
    }
    command.env("GITHUB_ACTIONS", "true").env("GITHUB_STEP_SUMMARY", folder.path().join("summary.md"));
    let ran = Ran::from(command.output().unwrap()).exits(2);
    Reported { folder, ran }
});

fn hostile(ledger: &std::path::Path) -> std::net::SocketAddr {
    let (ledger, count) = (ledger.to_owned(), std::sync::Mutex::new(0));
    start(move |stream| {
        let Some(asked) = read(&stream) else { return true };
        let mut count = count.lock().unwrap();
        *count += 1;
        let line = format!("{}\n", serde_json::json!({"intent": asked.body["intent"]}));
        std::io::Write::write_all(
            &mut std::fs::OpenOptions::new().create(true).append(true).open(&ledger).unwrap(),
            line.as_bytes(),
        )
        .unwrap();
        let endless = "w".repeat(300);
        let seen = asked.field("authorization").unwrap_or("nothing");
        let receipt = format!(
            "r{count} {seen}</code></pre><script>alert(1)</script>|````\n::error::pwned ##[error]\u{1b}[31m {endless}"
        );
        reply(&stream, 200, &serde_json::json!({ "receipt": receipt }).to_string());
        true
    })
}

#[test]
fn a_secret_is_in_no_format_and_nothing_foreign_is_markup() {
    let run = &*REPORTED;
    for name in ["r.json", "r.xml", "r.md", "r.html", "r.sarif", "summary.md"] {
        let text = run.file(name);
        // A JUnit failure names no receipt, which is where this server puts it.
        assert!((text.contains("***") || name == "r.xml") && !text.contains(SECRET), "{name}: {text}");
        assert!(!text.contains('\u{1b}'), "{name} moves a terminal's cursor");
    }
    assert!(!run.ran.stdout.contains(SECRET) && !run.ran.stderr.contains(SECRET), "{}", run.ran.stderr);
    let page = run.file("r.html");
    assert!(!page.contains("<script") && page.contains("&lt;script&gt;"), "{page}");
    // What the proxy breaks is a fault, what it only passes on is none.
    let (_, dropped) = page.split_once("id=\"post_drop\"").unwrap();
    let (dropped, _) = dropped.split_once("</article>").unwrap();
    assert!(
        dropped.matches("class=\"mark\"").count() == 4 && dropped.matches("class=\"mark fault\"").count() == 1,
        "{dropped}"
    );
}

#[test]
fn the_documents_are_those_that_format_prints() {
    let run = &*REPORTED;
    assert_eq!(run.file("r.json"), run.ran.stdout);
    let junit = run.file("r.xml");
    assert!(junit.starts_with("<?xml") && junit.ends_with("</testsuite>\n"), "{junit}");
    assert_eq!(junit.matches("<failure type=\"DUPLICATE\"").count(), run.of("DUPLICATE").len());
}

#[test]
fn the_markdown_has_a_row_a_check_and_a_section_a_finding() {
    let run = &*REPORTED;
    let page = run.file("r.md");
    for (check, verdict) in verdicts(&run.ran) {
        let row = page.lines().find(|line| line.starts_with(&format!("| `{check}` | {verdict} | ")));
        let row = row.unwrap_or_else(|| panic!("no row of {check} in:\n{page}"));
        assert_eq!(row.replace("\\|", "").matches('|').count(), 9, "{row}");
        assert_eq!(page.contains(&format!("\n## `{check}`: {verdict}\n")), verdict == "DUPLICATE", "{check}");
    }
    // The server's fence is inside one that is longer.
    assert!(page.contains("\n`````text\n") && page.contains("curl -sS -X POST"), "{page}");
    assert!(page.contains("| 2 | the endpoint takes idempotency keys | broken | replay |"), "{page}");
    assert!(
        page.contains("usual cure: store the key with the charge; answer a repeat with the first receipt"),
        "{page}"
    );
}

#[test]
fn github_is_told_of_each_finding_and_gets_the_page_behind_what_the_summary_had() {
    let run = &*REPORTED;
    let told: Vec<_> = run.ran.stderr.lines().filter(|line| line.starts_with("::")).collect();
    let findings = run.of("DUPLICATE");
    assert_eq!(told.len(), findings.len(), "{}", run.ran.stderr);
    for (line, check) in findings.iter().map(|check| (told.iter().find(|line| line.contains(check.as_str())), check)) {
        let line = line.unwrap_or_else(|| panic!("{check} in:\n{}", run.ran.stderr));
        assert!(
            line.starts_with(&format!("::error title={check} DUPLICATE::")) && line.contains("%0Ausual cure: "),
            "{line}"
        );
    }
    assert_eq!(run.file("summary.md"), format!("of the step before\n{}\n", run.file("r.md")));
}

#[test]
fn github_is_warned_of_what_could_not_be_shown_and_not_told_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let (_server, address) = serve("key_atomic", &folder.path().join("charges.jsonl"), &[]);
    let probe = |here: &str| {
        let mut command = idem(["probe", "--format", "table", "--check", "replay", "--ledger", "none"]);
        command.args(["--target", &format!("http://{address}/charges")]).env("GITHUB_ACTIONS", here);
        Ran::from(command.env_remove("GITHUB_STEP_SUMMARY").output().unwrap()).exits(3)
    };
    let here = probe("true").says("::warning title=replay UNPROVEN::");
    assert!(!here.stdout.contains("::warning"), "{}", here.stdout);
    assert!(!probe("false").stderr.contains("::"));
}

/// The constraints of the schema (OASIS, sarif-schema-2.1.0.json) that this document could break, and how its parts refer
/// to each other.
#[test]
fn sarif_has_a_rule_a_check_and_a_result_a_finding() {
    let run = &*REPORTED;
    let document = run.json("r.sarif");
    assert_eq!(document["version"], "2.1.0");
    let one = &document["runs"][0];
    let rules = one["tool"]["driver"]["rules"].as_array().unwrap();
    let names: Vec<_> = rules.iter().map(|rule| rule["id"].as_str().unwrap()).collect();
    let checks: BTreeMap<_, _> = verdicts(&run.ran);
    assert!(names.len() == checks.len() && names.iter().all(|name| checks.contains_key(*name)), "{names:?}");
    for rule in rules {
        let explained = crate::support::run(&format!("explain {}", rule["id"].as_str().unwrap())).stdout;
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let help = words(rule["help"]["text"].as_str().unwrap());
        assert!(words(&explained).windows(help.len()).any(|part| part == help), "{explained}");
        assert!(rule["shortDescription"]["text"].is_string() && rule["fullDescription"]["text"].is_string());
    }
    let results = one["results"].as_array().unwrap();
    let found: Vec<_> = results.iter().map(|result| result["ruleId"].as_str().unwrap().to_owned()).collect();
    assert_eq!(found.iter().collect::<std::collections::BTreeSet<_>>(), run.of("DUPLICATE").iter().collect());
    for result in results {
        assert_eq!(names[result["ruleIndex"].as_u64().unwrap() as usize], result["ruleId"]);
        assert_eq!((&result["kind"], &result["level"]), (&Value::from("fail"), &Value::from("error")));
        assert!(result["message"]["text"].as_str().unwrap().starts_with("DUPLICATE: "));
        let place = &result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
        assert!(place.as_str().unwrap().starts_with("http://127.0.0.1:"), "{place}");
        assert!(result["partialFingerprints"]["checkAndVerdict/v1"].is_string());
    }
    assert_eq!(one["invocations"][0]["exitCode"], 2);
    assert_eq!(one["invocations"][0]["executionSuccessful"], true);
}

#[test]
fn sarif_suppresses_what_is_accepted_and_notifies_of_what_was_not_shown() {
    let folder = tempfile::tempdir().unwrap();
    let (report, ledger) = (folder.path().join("r.sarif"), folder.path().join("charges.jsonl"));
    let charges = Charges::new(&ledger);
    let address = start(move |stream| {
        if let Some(asked) = read(&stream) {
            reply(&stream, 200, &format!("{{\"receipt\":\"{}\"}}", charges.charge(&asked).receipt));
        }
        true
    });
    let probe = |args: &str, code: i32| {
        probe(address, &ledger, &format!("{args} --report {}", report.display())).exits(code);
        let document: Value = serde_json::from_str(&std::fs::read_to_string(&report).unwrap()).unwrap();
        document["runs"][0].clone()
    };
    let accepted = probe("--check key_reuse --accept silent-reuse", 0);
    assert_eq!(accepted["results"].as_array().unwrap().len(), 1);
    assert_eq!(accepted["results"][0]["suppressions"][0]["kind"], "external");
    assert_eq!(accepted["invocations"][0]["toolExecutionNotifications"], serde_json::json!([]));
    // The ledger holds nothing where the intent is looked for.
    let unshown = probe("--check replay --intent-at /nowhere", 3);
    assert_eq!(unshown["results"], serde_json::json!([]));
    let notified = &unshown["invocations"][0]["toolExecutionNotifications"][0];
    assert_eq!((&notified["level"], &notified["associatedRule"]["id"]), (&"error".into(), &"baseline".into()));
    assert_eq!(unshown["invocations"][0]["executionSuccessful"], false);
}

/// Opened in a browser at two widths; pictures of it are left beside the tests' other files.
#[test]
fn the_page_fits_a_telephone_and_a_desk_and_draws_what_the_document_says() {
    let found = |name: &str| Command::new(name).arg("--version").output().is_ok();
    if !["chromium", "chromium-browser", "google-chrome"].iter().any(|name| found(name)) {
        eprintln!("SKIPPED: no chromium on the path, so the page was not opened: apt-get install chromium");
        return;
    }
    let run = &*REPORTED;
    let pictures = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("report");
    std::fs::create_dir_all(&pictures).unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/report/chromium.py");
    let mut command = Command::new("python3");
    command.arg(script).args([&run.path("r.html"), &run.path("r.json"), &pictures]);
    let ran = Ran::from(command.output().unwrap()).exits(0);
    assert!(ran.stdout.contains("time lines as the document has them"), "{}", ran.stdout);
}

#[test]
fn a_report_that_cannot_be_written_is_refused_before_anything_is_sent() {
    let target = "probe --target http://127.0.0.1:1/charges --ledger none";
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("r.md");
    std::fs::write(&page, "as it was").unwrap();
    let page = page.display();
    let cases = [
        (
            format!("{target} --report r.pdf"),
            "--report r.pdf: give a name that ends in one of .json, .xml, .md, .html, .sarif",
        ),
        (format!("{target} --report report"), "--report report: give a name that ends in"),
        (
            format!("{target} --report /no/such/folder/r.md"),
            "--report /no/such/folder/r.md: cannot write it: No such file",
        ),
        (format!("{target} --report /tmp/r.md --report /tmp/r.md --plan"), "--plan"),
        ("probe --chaos 1 --report r.pdf".to_owned(), "--report r.pdf: give"),
        (
            "probe --report r.sarif".to_owned(),
            "--report r.sarif: give a name that ends in one of .json, .xml, .md, .html",
        ),
        (format!("probe --target http://127.0.0.1:1/charges --ledger {page} --report {page}"), "it is the ledger"),
        (format!("{target} --report {page} --report {page}"), "given twice"),
        ("probe --list --report r.md".to_owned(), "--report"),
    ];
    for (args, says) in cases {
        let ran = run(&args).exits(3).says(says);
        assert_eq!((ran.stdout.as_str(), ran.stderr.trim_end().lines().count()), ("", 1), "{args}: {}", ran.stderr);
    }
    assert_eq!(std::fs::read_to_string(page.to_string()).unwrap(), "as it was");
}

#[test]
fn the_scenarios_are_written_as_their_document_and_for_people_and_ci() {
    let folder = tempfile::tempdir().unwrap();
    let [json, markdown, junit, html] = ["r.json", "r.md", "r.xml", "r.html"].map(|name| folder.path().join(name));
    let mut command = idem(["probe", "--scenario", "race_atomic", "--policy", "key_racy", "--format", "json"]);
    command.env("GITHUB_ACTIONS", "true");
    for file in [&json, &markdown, &junit, &html] {
        command.arg("--report").arg(file);
    }
    let ran = Ran::from(command.env_remove("GITHUB_STEP_SUMMARY").output().unwrap()).exits(2);
    assert_eq!(std::fs::read_to_string(json).unwrap(), ran.stdout);
    let page = std::fs::read_to_string(markdown).unwrap();
    assert!(page.contains("| `race_atomic` | `key_racy` | stable | 20 | 20 | 10 | 10 | 0 | MISMATCH (declared: charges 10, duplicates 0) |"), "{page}");
    let suite = std::fs::read_to_string(junit).unwrap();
    assert!(suite.contains(r#"<testsuite name="idem" tests="1" failures="1" errors="0" skipped="0""#), "{suite}");
    assert!(suite.contains(r#"<failure type="MISMATCH" message="(declared: charges 10, duplicates 0)">"#), "{suite}");
    assert!(suite.contains("\nattempt=1 status=200 kind=ok        replay=False"), "{suite}");
    let page = std::fs::read_to_string(html).unwrap();
    assert!(page.contains("<h1>0 of 1 scenarios as declared</h1>") && !page.contains("<script"), "{page}");
    assert!(page.contains(r#"<td class="figure wrong" data-name="duplicates">10</td>"#), "{page}");
    assert!(
        page.contains(">MISMATCH</span> (declared: charges 10, duplicates 0); policy key_racy, key stable: "),
        "{page}"
    );
    let full = folder.path().join("full.md");
    std::os::unix::fs::symlink("/dev/full", &full).unwrap();
    let mut command = idem(["probe", "--scenario", "race_atomic", "--rounds", "1", "--report"]);
    Ran::from(command.arg(&full).output().unwrap()).exits(3).says("full.md: cannot write it: No space left");
    ran.says("::error title=race_atomic::MISMATCH (declared: charges 10").says("::error");
}

#[test]
fn an_exploration_is_reported_with_the_steps_that_were_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = idem(["probe", "--chaos", "1", "--for", "500ms", "--policy", "naive"]);
    for name in ["r.html", "r.md", "r.sarif"] {
        command.arg("--report").arg(folder.path().join(name));
    }
    Ran::from(command.output().unwrap()).exits(2);
    let [page, markdown, sarif] =
        ["r.html", "r.md", "r.sarif"].map(|name| std::fs::read_to_string(folder.path().join(name)).unwrap());
    assert!(page.contains("id=\"chaos_1\"") && page.contains("<ol class=\"drawn\"><li>1. order A: "), "{page}");
    assert!(page.contains("<h2>The exploration</h2>") && page.contains("seed 1: "), "{page}");
    assert!(markdown.contains("## `chaos_1`: DUPLICATE") && markdown.contains("## The exploration"), "{markdown}");
    assert!(sarif.contains("\"ruleId\": \"chaos_1\""), "{sarif}");
}

#[test]
fn a_scenario_that_cannot_be_run_is_an_error_in_every_report() {
    let folder = tempfile::tempdir().unwrap();
    // A folder stands where its ledger should.
    std::fs::create_dir_all(folder.path().join("ledgers/race_atomic.jsonl/x")).unwrap();
    let mut command = idem(["probe", "--scenario", "race_atomic", "--scenario", "pre_fail_naive", "--format", "junit"]);
    command.args(["--ledger-dir", "ledgers", "--report", "r.md", "--report", "r.html"]).current_dir(folder.path());
    let ran = Ran::from(command.output().unwrap()).exits(3).says("idem: error: race_atomic: ");
    assert!(ran.stdout.contains(r#"tests="2" failures="0" errors="1""#), "{}", ran.stdout);
    assert!(
        ran.stdout.contains(r#"name="pre_fail_naive""#) && ran.stdout.contains(r#"<error type="ERROR""#),
        "{}",
        ran.stdout
    );
    for (name, shown) in
        [("r.md", "`race_atomic` could not be run: "), ("r.html", "<code>race_atomic</code> could not be run: ")]
    {
        let page = std::fs::read_to_string(folder.path().join(name)).unwrap();
        assert!(page.contains(shown) && page.contains("1 of 2 scenarios as declared"), "{page}");
    }
}
