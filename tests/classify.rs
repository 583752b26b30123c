//! `idem classify` as a user meets it: its output, its findings, its exit codes, and input that means no good.

mod support;

use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;
use support::{Ran, Running, idem};

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/classify");

/// Runs classify on these bytes as standard input.
#[track_caller]
fn classify(args: &[&str], input: &[u8]) -> Ran {
    let mut command = idem(["classify"].iter().chain(args));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("idem runs");
    let mut stdin = child.stdin.take().expect("piped");
    std::thread::scope(|scope| {
        scope.spawn(move || stdin.write_all(input));
        child.wait_with_output().expect("idem ends").into()
    })
}

/// The objects of a jsonl output.
fn objects(ran: &Ran) -> Vec<Value> {
    ran.stdout.lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect()
}

/// The one verdict on one reading: symptom, effect, action.
#[track_caller]
fn verdict(reading: &str) -> (String, String, String) {
    let ran = classify(&["--format", "jsonl"], reading.as_bytes());
    let all = objects(&ran);
    let first = all.iter().find(|object| object.get("symptom").is_some());
    let first = first.unwrap_or_else(|| panic!("no verdict on {reading}: {}{}", ran.stdout, ran.stderr));
    let field = |name: &str| first[name].as_str().expect("a name").to_owned();
    (field("symptom"), field("effect"), field("action"))
}

#[test]
fn real_readings_are_judged_as_the_golden_files_say() {
    let input = format!("{DATA}/readings.jsonl");
    for (format, golden) in [("text", "readings.txt"), ("jsonl", "readings.out.jsonl")] {
        let ran: Ran = idem(["classify", "--format", format, "--input", &input]).output().unwrap().into();
        let ran = ran.exits(0);
        let path = Path::new(DATA).join(golden);
        let golden = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(ran.stdout, golden, "{} differs", path.display());
    }
}

#[test]
fn every_finding_is_found_with_the_lines_that_show_it() {
    let table = [
        ("double-receipt", "a", vec![1, 2], 2),
        ("key-rotated", "a", vec![1, 2], 2),
        ("no-key", "a", vec![1, 2], 2),
        ("retried-refusal", "a", vec![1, 2], 2),
        ("too-early", "a", vec![1, 2], 2),
        ("unresolved", "b", vec![2], 0),
        ("one-key-two-intents", "b", vec![1, 2], 2),
        ("mismatch", "s", vec![1], 2),
    ];
    for (kind, about, lines, exit) in table {
        let input = format!("{DATA}/findings/{kind}.jsonl");
        let ran: Ran = idem(["classify", "--format", "jsonl", "--input", &input]).output().unwrap().into();
        let ran = ran.exits(exit);
        let found: Vec<_> = objects(&ran).into_iter().filter(|object| object.get("finding").is_some()).collect();
        assert_eq!(found.len(), 1, "{kind}: {}", ran.stdout);
        let named = if kind == "mismatch" { "scenario" } else { "intent" };
        assert_eq!(found[0]["finding"], kind);
        assert_eq!(found[0][named], about);
        assert_eq!(found[0]["lines"], Value::from(lines), "{kind}");
    }
}

#[test]
fn a_client_that_behaves_has_no_finding() {
    let input = br#"{"intent":"a","attempt":1,"key":"k","time":"2026-11-02T10:00:00Z","status":429,"retry_after":"5"}
{"intent":"a","attempt":2,"key":"k","time":"2026-11-02T10:00:05Z","error":"Connection refused"}
{"intent":"a","attempt":3,"key":"k","error":"Read timed out"}
{"intent":"b","attempt":1,"key":"l","error":"Connection refused"}
{"intent":"b","attempt":2,"key":"m","status":200,"receipt":"r2"}
{"intent":"a","attempt":4,"key":"k","status":200,"receipt":"r1"}
{"intent":"a","attempt":5,"key":"k","status":200,"receipt":"r1","replay":true}
"#;
    classify(&["--strict"], input).exits(0).prints("findings 0\n");
}

#[test]
fn a_refused_retry_leaves_an_earlier_attempt_unresolved() {
    let input =
        b"{\"intent\":\"a\",\"error\":\"Read timed out\"}\n{\"intent\":\"a\",\"error\":\"Connection refused\"}\n";
    classify(&["--strict"], input).exits(2).prints("finding: no-key").prints("warning: unresolved: intent a, line 1\n");
}

#[test]
fn the_look_back_forgets_the_oldest_and_says_so() {
    let lines: String = ["a", "b", "c", "a"]
        .iter()
        .map(|intent| format!("{{\"intent\":\"{intent}\",\"key\":\"k-{intent}\",\"error\":\"Read timed out\"}}\n"))
        .collect();
    let input = format!("{lines}{{\"intent\":\"a\",\"status\":200}}\n");
    let ran = classify(&["--format", "jsonl", "--lookback", "2"], input.as_bytes()).exits(2);
    let summary = objects(&ran).pop().expect("a summary");
    assert_eq!(summary["summary"]["evicted"], serde_json::json!({"intents": 2, "keys": 2, "unresolved": 2}));
    let ran = classify(&["--format", "jsonl"], input.as_bytes()).exits(2);
    let summary = objects(&ran).pop().expect("a summary");
    assert_eq!(summary["summary"]["evicted"], serde_json::json!({"intents": 0, "keys": 0, "unresolved": 0}));
    classify(&["--lookback", "0"], b"{}").exits(3);
}

#[test]
fn the_exit_code_tells_what_there_was() {
    classify(&[], b"{\"status\":200}").exits(0);
    classify(&[], b"{\"intent\":\"a\",\"error\":\"timed out\"}").exits(0).prints("warning: unresolved");
    classify(&["--strict"], b"{\"intent\":\"a\",\"error\":\"timed out\"}").exits(2);
    classify(&[], b"").exits(4);
    classify(&[], b"\n\n").exits(4);
    classify(&[], b"[]").exits(4);
    classify(&[], b"{\"status\":200}\nnonsense\n").exits(3).says("standard input: line 2, column 1: ");
    let both = b"{\"intent\":\"a\",\"status\":422}\n{\"intent\":\"a\",\"status\":200}\nnonsense\n";
    classify(&[], both).exits(2).says("line 3, column 1");
    classify(&["--frobnicate"], b"").exits(3);
    classify(&["--input", "/no/such/file"], b"").exits(3).says("/no/such/file");
}

#[test]
fn the_probe_is_judged_again_from_its_figures() {
    let printed: Ran = idem(["probe", "--format", "json"]).output().unwrap().into();
    let document = printed.exits(0).stdout;
    classify(&[], document.as_bytes()).exits(0).prints("scenarios and checks 10\nfindings 0\n");
    let mut changed: Value = serde_json::from_str(&document).unwrap();
    let scenario = &mut changed["scenarios"][3];
    let name = scenario["scenario"].as_str().unwrap().to_owned();
    let charges = scenario["measured"]["charges"].as_u64().unwrap();
    scenario["measured"]["charges"] = Value::from(charges + 1);
    let finding = format!("finding: mismatch: {name}, line 1: charges declared {charges}, measured {}", charges + 1);
    classify(&[], changed.to_string().as_bytes()).exits(2).prints(&finding);
    classify(&[], b"{\"scenarios\":[{\"scenario\":\"s\"}]}").exits(3).says("scenario s has no `declared` figures");
}

#[test]
fn a_check_of_a_target_must_have_passed() {
    let checks = br#"{"checks":[{"check":"race","verdict":"OK"},{"check":"late","verdict":"SKIPPED"},
        {"check":"cut","verdict":"DUPLICATE","accepted":true}]}"#;
    classify(&[], checks).exits(0).prints("scenarios and checks 3\n");
    classify(&[], br#"{"checks":[{"check":"race","verdict":"DUPLICATE"}]}"#)
        .exits(2)
        .prints("finding: mismatch: race, line 1: verdict DUPLICATE\n");
}

#[test]
fn a_status_is_a_status_however_it_is_written() {
    for (reading, symptom) in [
        (r#"{"status":200}"#, "ok"),
        (r#"{"status":"200"}"#, "ok"),
        (r#"{"status":"200 OK"}"#, "ok"),
        (r#"{"status":200.0}"#, "ok"),
        (r#"{"statusCode":503}"#, "server-error"),
        (r#"{"status":0,"error":"Connection refused"}"#, "refused"),
        (r#"{"status":0}"#, "unknown"),
        (r#"{"status":-1}"#, "unknown"),
        (r#"{"status":null}"#, "unknown"),
        (r#"{"status":99999}"#, "bad-reply"),
        (r#"{"status":1e300}"#, "bad-reply"),
        (r#"{"status":100}"#, "bad-reply"),
        (r#"{"status":200,"status":404}"#, "unknown"),
        (r#"{"status":404,"status":503}"#, "server-error"),
        (r#"{"status":400,"error":"400, message='Got more than 8190 bytes'"}"#, "bad-reply"),
        (r#"{"status":400,"error":"400, message='Bad Request'"}"#, "client-error"),
        (r#"{"status":true}"#, "unknown"),
        (r#"{"status":[200]}"#, "unknown"),
        (r#"{"status":"failed"}"#, "unknown"),
        (r#"{"code":200,"error":"","latency":1200,"attack":"x"}"#, "ok"),
        (r#"{"code":0,"error":"Post \"http://a\": dial tcp 10.0.0.1:80: connect: connection refused"}"#, "refused"),
        ("{}", "unknown"),
        (r#""Read timed out""#, "read-timeout"),
    ] {
        assert_eq!(verdict(reading).0, symptom, "{reading}");
    }
}

#[test]
fn done_needs_a_2xx_and_no_sign_of_trouble() {
    assert_eq!(verdict(r#"{"status":201,"error":null,"exit_code":0,"errors":[],"error_type":""}"#).1, "yes");
    for trouble in [
        r#""error":"anything""#,
        r#""error":{}"#,
        r#""error_type":"X""#,
        r#""exit_code":18"#,
        r#""level":"error""#,
        r#""success":false"#,
        r#""truncated":true"#,
        r#""exc_info":"Traceback""#,
        r#""message":"socket hang up""#,
        r#""symptom":"truncated""#,
        r#""err":{"response":{"status":400}}"#,
    ] {
        let (_, effect, action) = verdict(&format!(r#"{{"status":200,{trouble}}}"#));
        assert_eq!((effect.as_str(), action.as_str()), ("maybe", "verify-first"), "{trouble}");
    }
}

#[test]
fn retry_after_is_carried_in_both_forms_and_never_guessed() {
    let of = |value: &str| {
        let ran = classify(&["--format", "jsonl"], format!(r#"{{"status":429,"retry_after":{value}}}"#).as_bytes());
        objects(&ran)[0].get("retry_after").cloned()
    };
    assert_eq!(of("\"120\""), Some(Value::from(120)));
    assert_eq!(of("120"), Some(Value::from(120)));
    let date = "Fri, 31 Dec 1999 23:59:59 GMT";
    assert_eq!(of(&format!("\"{date}\"")), Some(Value::from(date)));
    assert_eq!(of("\"soon\""), None);
    assert_eq!(of("\"1.5\""), None);
    let headers = r#"{"status":503,"headers":{"Retry-After":"7"}}"#;
    assert_eq!(objects(&classify(&["--format", "jsonl"], headers.as_bytes()))[0]["retry_after"], 7);
}

#[test]
fn words_are_read_a_line_each() {
    let input = b"curl: (7) Failed to connect\r\n\nread tcp: connection reset by peer\n\xff\xfe connection refused\n";
    let ran = classify(&["--text", "--format", "jsonl"], input).exits(0);
    let got: Vec<_> =
        objects(&ran).iter().filter_map(|o| Some((o.get("line")?.clone(), o["symptom"].clone()))).collect();
    let expected = [(1, "refused"), (3, "reset"), (4, "refused")];
    assert_eq!(got, expected.map(|(line, symptom)| (Value::from(line), Value::from(symptom))));
}

/// The wordings are from the clients' sources and documentation: what each may be called, however it is logged.
#[test]
fn wordings_of_many_clients_are_read_alike_in_every_form() {
    let worded = include_str!("data/classify/worded.txt");
    let (effects, texts): (Vec<_>, Vec<_>) = worded.lines().map(|line| line.split_once('\t').unwrap()).unzip();
    let of = |args: &[&str], form: &dyn Fn(&str) -> String| -> Vec<Value> {
        let input: String = texts.iter().map(|text| form(text) + "\n").collect();
        let ran = classify(&[&["--format", "jsonl"], args].concat(), input.as_bytes()).exits(0);
        objects(&ran).into_iter().filter(|object| object.get("effect").is_some()).collect()
    };
    let forms = [
        of(&["--text"], &|text| text.to_owned()),
        of(&[], &|text| serde_json::json!({ "error": text }).to_string()),
        of(&[], &|text| serde_json::json!({ "level": "error", "context": { "exception": text } }).to_string()),
    ];
    for verdicts in forms {
        assert_eq!(verdicts.len(), texts.len());
        for ((verdict, effect), text) in verdicts.iter().zip(&effects).zip(&texts) {
            assert_eq!(verdict["effect"], *effect, "{text}: {verdict}");
            assert_ne!(verdict["symptom"], "unknown", "{text}");
        }
    }
}

#[test]
fn what_stands_beside_an_error_never_makes_it_safe() {
    for reading in [
        r#"{"error":"read ECONNRESET","context":{"error":"connection refused"}}"#,
        r#"{"error":"read timed out","data":{"status":404}}"#,
        r#"{"error":{"code":400,"message":"socket hang up"}}"#,
        r#"{"error":"socket hang up","code":404}"#,
        r#"{"symptom":"refused","error":"read timed out"}"#,
        r#"{"status":503,"error":"failed to connect to all addresses"}"#,
        r#"{"error":"HTTP 502: connection refused by backend"}"#,
        r#"{"kind":"ok"}"#,
        r#"{"status":200,"ok":false}"#,
        r#"{"response_code":200,"return_code":"partial_file"}"#,
    ] {
        assert_eq!(verdict(reading).1, "maybe", "{reading}");
    }
}

/// Serilog's compact JSON, OpenTelemetry's exception event, Google Cloud's log entries.
#[test]
fn logs_that_name_their_fields_otherwise_are_read() {
    for (reading, symptom) in [
        (r#"{"@t":"2026-12-01T00:00:00Z","@l":"Error","@mt":"failed","@x":"read timed out"}"#, "read-timeout"),
        (r#"{"name":"exception","attributes":{"exception.message":"read ECONNRESET"}}"#, "reset"),
        (r#"{"severity":"ERROR","jsonPayload":{"error":"connect ECONNREFUSED 127.0.0.1:9"}}"#, "refused"),
        (r#"{"severity":"ERROR","textPayload":"curl: (52) Empty reply from server"}"#, "closed"),
        // Whose status it is does not show.
        (r#"{"attributes":{"http.response.status_code":200}}"#, "unknown"),
    ] {
        assert_eq!(verdict(reading).0, symptom, "{reading}");
    }
}

#[test]
fn the_codes_of_tools_tell_what_failed() {
    for (reading, symptom) in [
        (r#"{"data":{"tags":{"error_code":"1212","status":"0"}},"metric":"http_reqs"}"#, "refused"),
        (r#"{"error_code":1101,"status":0}"#, "dns"),
        (r#"{"error_code":1050,"status":0}"#, "timeout"),
        (r#"{"curl_errno":7,"http_code":0}"#, "refused"),
        (r#"{"curl_errno":52,"http_code":0}"#, "closed"),
        (r#"{"return_code":"couldnt_connect","response_code":0}"#, "refused"),
        (r#"{"fields":{"message":"charge failed","error":"Connection refused (os error 111)"}}"#, "refused"),
        (
            "{\"http_code\":503,\"body\":\"The server is temporarily unable to service your\\nrequest due to maintenance \
          downtime or capacity\\nproblems.\"}",
            "unreachable",
        ),
    ] {
        assert_eq!(verdict(reading).0, symptom, "{reading}");
    }
}

#[test]
fn hostile_input_has_a_meaning_and_does_no_harm() {
    let deep = |n: usize| format!("{{\"error\":{}\"x\"{}}}", "[".repeat(n), "]".repeat(n));
    let nested = |n: usize| format!("{}{{\"status\":200}}{}", "{\"error\":".repeat(n), "}".repeat(n));
    let refusals: [(Vec<u8>, &str); 8] = [
        (deep(100_000).into_bytes(), "nested deeper than 127 levels"),
        (nested(100_000).into_bytes(), "nested deeper than 127 levels"),
        (b"{\"status\":200".to_vec(), "line 1, column 1: the value that begins here breaks off at line 2, column 1"),
        (b"{\"status\":200}}".to_vec(), "expected a value"),
        (b"17".to_vec(), "a reading is an object or a text"),
        (b"[[{\"status\":200}]]".to_vec(), "a reading is an object or a text"),
        (b"{\"error\":\"a\0b\"}".to_vec(), "control character"),
        (b"{\"status\":1e999}".to_vec(), "number out of range"),
    ];
    for (input, why) in refusals {
        let mut input = input;
        input.extend_from_slice(b"\n{\"status\":200}\n");
        let start = String::from_utf8_lossy(&input[..input.len().min(40)]).into_owned();
        let ran = classify(&["--format", "jsonl"], &input);
        assert_eq!(ran.code, Some(3), "{start}: {}", ran.stderr);
        assert!(ran.stderr.contains(why), "{start}: {}", &ran.stderr[..ran.stderr.len().min(300)]);
        assert!(ran.stdout.contains("\"symptom\":\"ok\""), "{start}: the good line was lost");
    }
    classify(&[], b"{\"status\":200}\n{\"status\":").exits(3).says("line 2, column 1: the input ends inside the value");
    // Latin-1, as older logs have it: the reading is not lost.
    let latin = b"{\"error\":\"Verbindung abgebrochen f\xfcr Connection refused\"}";
    classify(&["--format", "jsonl"], latin).exits(0).prints("\"symptom\":\"refused\"");
    classify(&[], b"\xff\xfe{\0}\0").exits(3).says("UTF-16");
    let many = format!("{{\"error\":[{}\"x\"]}}", "\"connection refused\",".repeat(5000));
    assert_eq!(verdict(&many).0, "unknown");
}

#[test]
#[cfg(target_os = "linux")]
fn a_line_of_100_mb_is_refused_in_bounded_memory() {
    let script = "ulimit -v 300000; { printf '{\"error\":\"'; head -c 100000000 /dev/zero | tr '\\0' x; printf '\"}\\n'; \
                  printf '{\"status\":200}\\n'; } | \"$0\" classify --format jsonl";
    let mut shell = std::process::Command::new("sh");
    let ran: Ran = shell.args(["-c", script, env!("CARGO_BIN_EXE_idem")]).output().unwrap().into();
    ran.exits(3).says("line 1, column 1: longer than 16 MiB; left out").prints("{\"line\":2,\"symptom\":\"ok\"");
}

#[test]
#[cfg(unix)]
fn a_reader_that_goes_away_ends_it_quietly() {
    let script = "yes '{\"status\":200}' | head -n 200000 | \"$0\" classify | head -n 1";
    let ran: Ran =
        std::process::Command::new("sh").args(["-c", script, env!("CARGO_BIN_EXE_idem")]).output().unwrap().into();
    let ran = ran.exits(0);
    assert_eq!(ran.stderr, "");
    assert!(ran.stdout.contains("ok"), "{}", ran.stdout);
}

#[test]
fn the_summary_alone_is_short() {
    let input = std::fs::read(format!("{DATA}/readings.jsonl")).unwrap();
    let ran = classify(&["--summary"], &input).exits(0);
    assert!(ran.stdout.lines().count() <= 4 && ran.stdout.starts_with("readings "), "{}", ran.stdout);
}

#[test]
#[cfg(target_os = "linux")]
fn ctrl_c_ends_it_with_130() {
    let running = Running::spawn(idem(["classify"]).stdin(Stdio::piped()));
    running.awaits_interrupts();
    running.signal("INT");
    running.finish().exits(130);
}
