//! The log as people have it: each line told apart by itself, with what stands around it.

use std::io::Write;

use flate2::{Compression, write::GzEncoder};
use serde_json::Value;

use crate::{DATA, classify, objects};

/// The verdicts of a run: line, intent, attempt, symptom.
fn verdicts(args: &[&str], input: &[u8]) -> Vec<String> {
    let ran = classify(&[&["--format", "jsonl"], args].concat(), input);
    let all = objects(&ran);
    let told = all.iter().filter(|object| object.get("symptom").is_some());
    told.map(|verdict| {
        let name = |field: &str| verdict.get(field).map_or("-".to_owned(), |value| value.to_string().replace('"', ""));
        format!("{} {} {} {}", verdict["line"], name("intent"), name("attempt"), name("symptom"))
    })
    .collect()
}

fn summary(args: &[&str], input: &[u8]) -> Value {
    objects(&classify(&[&["--format", "jsonl"], args].concat(), input)).pop().expect("a summary")["summary"].take()
}

fn form(name: &str) -> Vec<u8> {
    std::fs::read(format!("{DATA}/forms/{name}")).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn one_failure_in_a_web_servers_day_is_one_verdict() {
    let day = form("day.log");
    assert_eq!(verdicts(&[], &day), ["6 ord-7 1 read-timeout"]);
    let lines = day.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).count() as u64;
    // The failure has a trace of four lines below it.
    assert_eq!(summary(&[], &day)["other_lines"], lines - 5);
    classify(&[], &day).exits(0).prints(&format!("other lines {}: they tell of no call\n", lines - 5));
}

#[test]
fn wrappers_are_taken_off() {
    for (name, expected) in [
        ("docker.jsonl", vec!["2 - - read-timeout", "7 ord-2 1 server-error"]),
        ("loki.json", vec!["1 - - reset", "1 a - server-error"]),
        ("logcli.jsonl", vec!["1 - - reset"]),
        ("elastic.json", vec!["1 - - reset", "2 q - refused"]),
        ("splunk.json", vec!["1 7 - read-timeout"]),
        ("google.json", vec!["1 - - read-timeout", "1 - - reset", "1 - - reset"]),
        ("sentry.json", vec!["1 - - read-timeout"]),
        ("cloudwatch.json", vec!["1 - - timeout", "1 a - server-error"]),
        ("attempts.json", vec!["1 ord-1 1 read-timeout", "1 ord-1 2 ok"]),
        ("journal.jsonl", vec!["1 - - reset"]),
    ] {
        assert_eq!(verdicts(&["--intent-field", "order_id"], &form(name)), expected, "{name}");
    }
}

#[test]
fn whole_files_are_read() {
    for (name, expected) in [
        ("browser.har", vec!["1 - - reset", "1 - - server-error"]),
        ("spans.json", vec!["1 ord-1 - server-error", "1 - - reset"]),
        ("jmeter.csv", vec!["2 - - server-error", "3 - - refused", "4 - - ok"]),
        ("k6.csv", vec!["3 - - refused"]),
    ] {
        assert_eq!(verdicts(&["--intent-field", "order.id"], &form(name)), expected, "{name}");
    }
}

#[test]
fn prefixes_are_taken_off_and_traces_joined() {
    for (name, expected) in [
        (
            "prefixes.log",
            vec!["1 a 1 server-error", "2 - - reset", "3 b 2 timeout", "4 - - closed", "5 - - server-error"],
        ),
        ("java.log", vec!["2 - - read-timeout"]),
        ("node.log", vec!["1 - - refused", "11 - - reset"]),
        ("go.log", vec!["1 - - closed"]),
        ("dotnet.log", vec!["1 - - refused"]),
        ("php.log", vec!["1 - - timeout"]),
        ("ruby.log", vec!["1 - - refused"]),
        ("anyhow.log", vec!["1 - - refused"]),
        ("compose.log", vec!["1 - - read-timeout"]),
    ] {
        assert_eq!(verdicts(&[], &form(name)), expected, "{name}");
    }
}

#[test]
fn a_trace_below_a_line_of_more_risk_never_makes_it_safe() {
    let text = "2026-11-02 10:00:00 ERROR attempt 1: read ECONNRESET\nTraceback (most recent call last):\n  File \"a.py\", line 1\n\
                httpx.ConnectTimeout: timed out\n";
    assert_eq!(verdicts(&[], text.as_bytes()), ["1 - - reset"]);
    let record = "attempt 1: read ECONNRESET, then {\"intent\":\"a\",\"status\":404}\n";
    assert_eq!(verdicts(&[], record.as_bytes()), ["1 a - unknown"]);
}

#[test]
fn any_encoding_gives_the_same_verdicts() {
    let text = "\u{1b}[31mERROR\u{1b}[0m charge failed: read ECONNRESET\r\n{\"intent\":\"ü\",\"status\":503}\r\n";
    let expected = ["1 - - reset", "2 ü - server-error"];
    let gzip = |bytes: &[u8]| {
        let mut packed = GzEncoder::new(Vec::new(), Compression::default());
        packed.write_all(bytes).unwrap();
        packed.finish().unwrap()
    };
    let marked = format!("\u{feff}{text}");
    let little: Vec<u8> = marked.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = marked.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let (head, tail) = text.as_bytes().split_at(40);
    let members = [gzip(head), gzip(tail)].concat();
    for input in [text.as_bytes().to_vec(), marked.into_bytes(), little.clone(), big, members, gzip(&little)] {
        assert_eq!(verdicts(&[], &input), expected);
    }
    // What was judged before the file breaks off is told.
    let long: String = (0..20_000).map(|n| format!("{{\"intent\":\"i{n}\",\"status\":200}}\n")).collect();
    let cut = gzip(long.as_bytes());
    let ran = classify(&["--format", "jsonl"], &cut[..cut.len() / 2]);
    assert!(ran.stdout.starts_with("{\"line\":1,\"intent\":\"i0\",\"symptom\":\"ok\""), "{}", ran.stderr);
    assert!(ran.stdout.ends_with("}\n") && ran.stdout.contains("{\"summary\":"));
    ran.exits(3).says("cannot read standard input: ");
}

#[test]
#[cfg(target_os = "linux")]
fn a_packed_file_of_one_endless_line_stays_bounded() {
    let script = "ulimit -v 200000; { head -c 150000000 /dev/zero | tr '\\0' x; printf '\\n{\"status\":200}\\n'; } | gzip -1 | \
                  \"$0\" classify --format jsonl";
    let mut shell = std::process::Command::new("sh");
    let ran: crate::support::Ran = shell.args(["-c", script, env!("CARGO_BIN_EXE_idem")]).output().unwrap().into();
    ran.exits(3).says("line 1, column 1: longer than 16 MiB; left out").prints("{\"line\":2,\"symptom\":\"ok\"");
}

#[test]
#[cfg(target_os = "linux")]
fn a_trace_without_an_end_stays_bounded_and_says_so() {
    let script = "ulimit -v 200000; { echo 'ERROR read timed out'; echo 'Traceback (most recent call last):'; \
                  long=$(head -c 1000 /dev/zero | tr '\\0' x); yes \"  File $long\" | head -n 150000; echo 'ReadTimeout: x'; \
                  yes \"Caused by: $long\" | head -n 20000; } | \"$0\" classify --format jsonl";
    let mut shell = std::process::Command::new("sh");
    let ran: crate::support::Ran = shell.args(["-c", script, env!("CARGO_BIN_EXE_idem")]).output().unwrap().into();
    ran.exits(3).says("line 1, column 1: what belongs to this line is longer than 16 MiB");
}

#[test]
fn text_never_tries_json() {
    assert_eq!(verdicts(&["--text"], b"{\"status\":503}\nread timed out\n"), ["1 - - unknown", "2 - - read-timeout"]);
}

#[test]
fn several_files_are_one_stream_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let first = path("one.log", "{\"intent\":\"a\",\"key\":\"k\",\"error\":\"read timed out\"}\n");
    let second = path("two.log", "\n{\"intent\":\"a\",\"key\":\"l\",\"status\":200}\n{\"x\" 1}\n");
    let ran = classify(&[&first, &second], b"").exits(2);
    let ran = ran.prints(&format!("finding: key-rotated: intent a, lines {first}:1 and {second}:2\n"));
    ran.says(&format!("{second}: line 3, column 6: expected `:`"));
    let all =
        objects(&classify(&["--format", "jsonl", &first, "-"], b"{\"intent\":\"a\",\"key\":\"l\",\"status\":200}\n"));
    assert_eq!((&all[1]["file"], &all[1]["line"]), (&Value::from("standard input"), &Value::from(1)));
    assert_eq!(all[2]["files"], serde_json::json!([first, "standard input"]));
    let one = objects(&classify(&["--format", "jsonl", &first], b""));
    assert_eq!(one[0].get("file"), None);
    classify(&["-", "-"], b"").exits(3).says("`-` is named twice");
    classify(&[&first, "/no/such/file"], b"").exits(3).says("/no/such/file");
}

#[test]
fn the_logs_own_names_are_mapped_and_their_use_is_told() {
    let input = b"{\"order\":{\"id\":7},\"request_key\":\"k\",\"try\":\"2\",\"status\":503}\n{\"status\":503}\nread timed out order=8 try=3\n";
    let args = [
        "--intent-field",
        "/order/id",
        "--intent-field",
        "order",
        "--key-field",
        "request_key",
        "--attempt-field",
        "try",
    ];
    assert_eq!(verdicts(&args, input), ["1 7 2 server-error", "2 - - server-error", "3 8 3 read-timeout"]);
    let used = serde_json::json!({"/order/id": 1, "order": 1, "request_key": 1, "try": 2});
    assert_eq!(summary(&args, input)["fields"], used);
    classify(&args, input).exits(0).prints("fields used: /order/id 1, order 1, request_key 1, try 2\n");
    classify(&["--intent-field", "/a~2"], b"").exits(3).says("`~` in a JSON pointer");
}

#[test]
fn a_partitioned_log_gives_the_same_verdicts() {
    for name in [
        "day.log",
        "docker.jsonl",
        "loki.json",
        "browser.har",
        "spans.json",
        "jmeter.csv",
        "java.log",
        "attempts.json",
        "prefixes.log",
    ] {
        let plain = verdicts(&[], &form(name));
        let keyed = classify(&["--partition-key"], &form(name)).exits(0).stdout;
        assert_eq!(keyed.lines().count(), plain.len(), "{name}: {keyed}");
        let lines: String =
            keyed.lines().map(|line| line.split_once('\t').expect("a tab").1.to_owned() + "\n").collect();
        let without_line = |verdicts: Vec<String>| -> Vec<String> {
            verdicts.iter().map(|verdict| verdict.split_once(' ').expect("a line").1.to_owned()).collect()
        };
        assert_eq!(without_line(verdicts(&[], lines.as_bytes())), without_line(plain), "{name}: {lines}");
    }
    let keyed = classify(&["--partition-key"], b"{\"intent\":\"a\",\"status\":503}\nread timed out\nhello\n").exits(0);
    assert_eq!(keyed.stdout, "a\t{\"intent\":\"a\",\"status\":503}\n\t\"read timed out\"\n");
}

#[test]
fn the_probes_own_lines_are_read() {
    let printed = crate::support::idem(["probe", "--format", "text"]).output().unwrap().stdout;
    let ran = classify(&["--format", "jsonl"], &printed).exits(0);
    assert!(!ran.stdout.contains("\"finding\""), "{}", ran.stdout);
    let printed = String::from_utf8(printed).unwrap();
    let lines = printed.lines().enumerate().filter(|(_, line)| line.starts_with("attempt="));
    let expected: Vec<u64> = lines.map(|(number, _)| number as u64 + 1).collect();
    let told: Vec<u64> = objects(&ran).iter().filter_map(|verdict| verdict["line"].as_u64()).collect();
    assert!(told.starts_with(&expected), "{told:?}");
    let line = b"attempt=1 status=None kind=transport replay=None retry=True intent=ord-001\n";
    assert_eq!(verdicts(&[], line), ["1 ord-001 1 closed"]);
}
