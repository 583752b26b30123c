//! `idem proxy -- COMMAND`: what it runs, what it says of it, and whose the exit code is.

use serde_json::Value;

use crate::common::{Running, eventually, idem, output, run};
use crate::support::{Bench, Upstream, curl, scratch};

#[test]
fn one_line_runs_the_client_and_judges_it() {
    let bench = Bench::new("naive");
    let twice = format!("{} || {}", curl(""), curl(""));
    let ran = bench.judge("--fault post_drop", &twice).exits(2).says("exit 2: a finding; the command ended with 0");
    let ran = ran.prints("{\"receipt\":\"").prints("finding: no-key: intent post_drop-").prints(", lines 1 and 2\n");
    let ran = ran
        .prints("finding: double-receipt")
        .prints("\nledger: intents 1, attempts 2, charges 2, duplicates 1, lost 0\n");
    ran.prints(": attempts 2, charges 2; a retry without a key: the client's doing");
    // Only what the client did is judged where there is no ledger.
    let ran = bench.run("--fault post_drop", &["sh", "-c", &twice]).exits(2);
    assert!(!ran.stdout.contains("ledger:") && !ran.stdout.contains("DUPLICATE"), "{}", ran.stdout);
}

#[test]
fn without_a_finding_the_code_is_the_commands() {
    let bench = Bench::new("naive");
    for code in [0, 2, 7] {
        let ran = bench.judge("--fault none", &format!("{}; exit {code}", curl(""))).exits(code);
        let own = format!("exit {code} is the command's own; no finding");
        assert_eq!(ran.stderr.contains(&own), code != 0, "{}", ran.stderr);
    }
    let ran = bench.judge("--fault none", &format!("{}; kill -9 $$", curl("")));
    ran.exits(137);
    bench.run("--fault none", &["true"]).exits(4).says("the command sent nothing to the URL in IDEM_PROXY");
    bench.run("--fault none", &["false"]).exits(1);
    bench.run("--fault none", &["./nope"]).exits(3).says("cannot run ./nope");
    bench.run("--fault none --intent-at /order", &["sh", "-c", &curl("")]).exits(4).says("1 requests, and none names");
}

#[test]
fn every_fault_has_its_row() {
    let bench = Bench::careless();
    let ran = bench.judge("--fault all --retry-after 0 --cut-after 0ms", &curl("")).exits(2);
    let rows: Vec<Vec<&str>> = ran.stdout.lines().map(|line| line.split_whitespace().collect()).collect();
    let row = |fault: &str| {
        let row = rows.iter().find(|row| row.first() == Some(&fault)).unwrap_or_else(|| panic!("{}", ran.stdout));
        row[1..].join(" ")
    };
    for (fault, expected) in [
        ("fault", "exit intents attempts charges dup lost findings"),
        ("none", "0 1 1 1 0 0 -"),
        ("pre_fail", "0 1 1 0 0 1 LOST unresolved"),
        ("post_drop", "56 1 1 1 0 0 unresolved"),
        ("post_slow", "28 1 1 1 0 0 unresolved"),
        ("post_error", "0 1 1 1 0 0 unresolved"),
        ("half_reply", "18 1 1 1 0 0 unresolved"),
        ("half_request", "52 1 1 0 0 1 LOST unresolved"),
        ("cut", "52 1 1 1 0 0 unresolved"),
        ("double_delivery", "0 1 1 2 1 0 DUPLICATE double-receipt"),
        ("late_arrival", "28 1 1 1 0 0 unresolved"),
        ("refusal", "0 1 1 0 0 0 -"),
        ("throttle", "0 1 1 0 0 1 LOST"),
    ] {
        assert_eq!(row(fault), expected, "{fault}:\n{}", ran.stdout);
    }
    let told = |part: &str| assert!(ran.stdout.lines().any(|line| line.contains(part)), "{part}:\n{}", ran.stdout);
    told("double_delivery: DUPLICATE: intent double_delivery-");
    told("attempts 1, charges 2; the client sent one attempt: the server's doing");
    told("line 1: both of one attempt, and the client was not told of the second");
    told("pre_fail: LOST: intent pre_fail-");
    told("attempts 1, charges 0; the client gave up");
    let silent = bench.run("--fault all", &["true"]).exits(4);
    assert_eq!(silent.stdout.lines().count(), 3, "{}", silent.stdout);
    let wrong = Upstream::start("HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    let upstream = format!("http://{}", wrong.address);
    let ran = output(idem(["proxy", "--upstream", &upstream, "--fault", "all", "--", "sh", "-c"]).arg(curl("")));
    let said = String::from_utf8(ran.stderr).unwrap();
    assert!(said.contains("without a fault no intent was answered with a success"), "{said}");
    assert_eq!(ran.status.code(), Some(3));
}

#[test]
fn the_records_show_what_no_receipt_does() {
    let bench = Bench::careless();
    let twice = format!("{0} || {0}", curl("-H \"Idempotency-Key: $IDEM_RUN\""));
    for fault in ["cut", "late_arrival"] {
        let ran = bench.judge(&format!("--fault {fault}"), &twice).exits(2);
        ran.prints("attempts 2, charges 2; every attempt had the same key: the server's doing");
    }
    let rotated = format!("{} || {}", curl("-H 'Idempotency-Key: a'$$"), curl("-H 'Idempotency-Key: b'$$"));
    let ran = bench.judge("--fault cut", &rotated).exits(2).prints("finding: key-rotated");
    ran.prints("a retry under another key: the client's doing");
    let swallowed = Bench::new("content_hash");
    let two = format!("{}; {}", curl(""), curl("").replace("$IDEM_RUN", "$IDEM_RUN-2"));
    let ran = swallowed.judge("--fault none", &two).exits(2);
    ran.prints("charges 0; the client was told of a success: the server's doing");
}

#[test]
fn a_ledger_that_cannot_tell_gives_no_verdict() {
    let bench = Bench::new("naive");
    let ran = bench.judge("--fault none --ledger-intent-at /order", &curl("")).exits(3);
    let ran = ran.prints("UNPROVEN: no ledger item names intent none-").prints("say with --ledger-intent-at where");
    assert!(!ran.stdout.contains("LOST"), "{}", ran.stdout);
    let fixed = curl("").replace("$IDEM_RUN", "ord-1");
    bench.judge("--fault none", &fixed).exits(0);
    let ran = bench.judge("--fault none", &fixed).exits(3);
    ran.prints("UNPROVEN: 1 of 1 intents were charged before the run, as ord-1").prints("IDEM_RUN");
    let ran = bench.run("--fault none --ledger nowhere.jsonl", &["sh", "-c", &curl("")]).exits(3);
    ran.prints("in 0 items of nowhere.jsonl");
    bench.run("--fault none --ledger .", &["sh", "-c", &curl("")]).exits(3).says("--ledger: cannot read .");
}

#[test]
fn the_ledger_may_be_a_command_or_a_url() {
    let bench = Bench::new("naive");
    let doubled = curl("") + ";" + &curl("");
    let command = format!("cat {}", bench.ledger());
    let mut proxy = idem(["proxy", "--upstream", &format!("http://{}", bench.address), "--fault", "none"]);
    let ran = output(proxy.args(["--ledger-cmd", &command, "--", "sh", "-c", &doubled]));
    assert!(String::from_utf8(ran.stdout).unwrap().contains("charges 2, duplicates 1"));
    let items = "{\"data\":[{\"intent\":\"old\"}]}";
    let reply = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{items}", items.len());
    let ledger = Upstream::start(reply.leak());
    let address = ledger.address;
    let url = format!("--fault none --ledger http://{address}/all --ledger-items /data --ledger-header X-Token:t");
    bench.run(&url, &["sh", "-c", &curl("")]).exits(2).prints("charges 0, duplicates 0, lost 1");
    assert!(ledger.seen()[0].contains("GET /all") && ledger.seen()[0].to_lowercase().contains("x-token: t"));
}

#[test]
fn a_ledger_is_read_until_it_is_at_rest() {
    let bench = Bench::new("naive");
    // The first reading is before the run; then one more item shows at each reading, up to three.
    let slow = "echo >> looks; n=$(wc -l < looks); head -n $((n < 4 ? n - 1 : 3)) items";
    let items = format!("for n in 1 2 3; do echo \"{{\\\"intent\\\":\\\"$IDEM_RUN\\\"}}\"; done > items; {}", curl(""));
    std::fs::write(bench.folder.path().join("items"), "").unwrap();
    let mut proxy = idem(["proxy", "--upstream", &format!("http://{}", bench.address), "--fault", "none"]);
    let ran = output(
        proxy
            .args(["--ledger-lag", "1ms", "--ledger-cmd", slow, "--", "sh", "-c", &items])
            .current_dir(bench.folder.path()),
    );
    let stdout = String::from_utf8(ran.stdout).unwrap();
    assert!(stdout.contains("charges 3, duplicates 2"), "{stdout}\n{}", String::from_utf8_lossy(&ran.stderr));
}

#[test]
fn a_client_that_dies_must_have_stored_its_key() {
    let bench = Bench::new("key_atomic");
    let stored =
        format!("[ -f $IDEM_RUN ] || echo $$ > $IDEM_RUN; {}", curl("-H \"Idempotency-Key: $(cat $IDEM_RUN)\""));
    let ran = bench.judge("--fault post_drop --kill-client", &stored).exits(0);
    ran.prints("ledger: intents 1, attempts 2, charges 1, duplicates 0, lost 0");
    let forgotten = curl("-H \"Idempotency-Key: $$\"").replace("--max-time 0.3", "");
    let ran = bench.judge("--fault late_arrival --kill-client", &forgotten).exits(2).prints("finding: key-rotated");
    ran.prints("attempts 2, charges 2; a retry under another key: the client's doing");
    let dead = "[ -f once ] || { touch once; exec sleep 60; }; ".to_owned() + &curl("");
    let missed = bench.run("--fault post_drop --kill-client", &["sh", "-c", &dead.replace("exec sleep 60", "true")]);
    // curl alone is killed in the first run, so the second has the receipt.
    missed.prints("readings 2");
    let gone = "curl -s -m 0.3 http://127.0.0.1:1";
    bench.run("--fault post_drop --kill-client", &["sh", "-c", gone]).says("the command was not killed");
}

#[test]
fn intents_and_keys_are_found_wherever_clients_put_them() {
    let bench = Bench::new("naive");
    let client = std::fs::canonicalize("tests/proxy/clients/pay.mjs").unwrap();
    let client = client.to_str().unwrap();
    for places in ["--intent-at form:metadata[order] --key-at form:key", "--intent-at path:2 --key-at header:X-Key"] {
        let ran = bench.run(&format!("--fault post_drop {places}"), &["node", client]);
        assert!(!ran.stdout.contains("no-key") && ran.stdout.contains("readings 2"), "{places}: {}", ran.stdout);
        assert!(ran.stdout.contains("-node #2"), "{places}: {}", ran.stdout);
    }
    let query = "$IDEM_PROXY/charges?order=$IDEM_RUN -H X-Order:$IDEM_RUN -H X-Key:k -d ''";
    let twice = format!("curl -s {query} || curl -s {query}");
    for places in ["--intent-at query:order --key-header X-Key", "--intent-at header:X-Order --key-at query:order"] {
        let ran = bench.run(&format!("--fault post_drop {places}"), &["sh", "-c", &twice]);
        assert!(!ran.stdout.contains("no-key") && ran.stdout.contains(" #2 "), "{places}: {}", ran.stdout);
    }
    let upload = "curl -s -F order=$IDEM_RUN -F 'file=@-;filename=x' $IDEM_PROXY/charges < /dev/null";
    let ran = bench.run("--fault none --intent-at form:order --key-at form:none", &["sh", "-c", upload]);
    ran.prints("     1  none-");
    let readings = scratch("run.jsonl");
    let file = format!("--fault double_delivery --readings {}", readings.display());
    bench.run(&file, &["sh", "-c", &curl("")]).exits(2);
    let reading: Value = serde_json::from_str(&std::fs::read_to_string(&readings).unwrap()).unwrap();
    let _ = std::fs::remove_file(&readings);
    let (heard, unheard) = (&reading["receipt"], &reading["unheard_receipt"]);
    assert!(heard.is_string() && unheard.is_string() && heard != unheard, "{reading}");
    assert_eq!(reading.get("receipt_heard"), None, "{reading}");
}

#[test]
fn a_budget_holds_for_a_run() {
    let bench = Bench::new("naive");
    let thrice = format!("for n in 1 2 3; do {}; sleep 0.01; done", curl("-H 'Idempotency-Key: k'"));
    let ran = bench.run("--fault pre_fail --on every=1 --max-attempts 2", &["sh", "-c", &thrice]).exits(2);
    ran.prints("3 attempts, where 2 are allowed");
    let ran = bench.run("--fault pre_fail --on every=1 --max-span 1ms", &["sh", "-c", &thrice]).exits(2);
    ran.prints("where 1ms are allowed");
    let ran = bench.run("--fault pre_fail --on every=1 --max-attempts 3", &["sh", "-c", &thrice]).exits(0);
    assert!(!ran.stdout.contains("budget"), "{}", ran.stdout);
}

#[test]
fn an_interruption_ends_the_whole_group() {
    let bench = Bench::new("naive");
    let script = "trap '' TERM; sleep 300 & echo $! > left; wait";
    let mut proxy = bench.proxy("--fault none", &["sh", "-c", script]);
    let running = Running::spawn(&mut proxy);
    let left = bench.folder.path().join("left");
    let pid = || std::fs::read_to_string(&left).unwrap_or_default().trim().to_owned();
    eventually("the command runs", || !pid().is_empty());
    running.signal("INT");
    running.finish().exits(130).says("interrupted");
    let state = std::fs::read_to_string(format!("/proc/{}/stat", pid())).unwrap_or_default();
    eventually("the sleeper is gone", || state.is_empty() || state.contains(") Z "));
}

#[test]
fn options_that_do_not_go_together_are_refused() {
    for (options, says) in [
        ("--fault all --readings /dev/null", "give the command behind --"),
        ("--fault cut", "--readings"),
        ("--fault cut --ledger x --readings /dev/null", "COMMAND"),
        ("--fault cut --kill-client -- true", "with cut the client is told at once"),
        ("--fault all --kill-client -- true", "give one fault"),
        ("--fault cut --audit -- true", "--audit"),
        ("--audit --kill-client -- true", "--kill-client"),
        ("--fault cut --key-at path:1 --key-header K -- true", "--key-header"),
        ("--fault cut --ledger-lag 601s --ledger x -- true", "give 0ns to 600s"),
        ("--fault cut --ledger x --ledger-cmd y -- true", "--ledger-cmd"),
        ("--fault cut --max-attempts 0 -- true", "--max-attempts"),
        ("--fault cut --ledger none --ledger-items /a -- true", "--ledger-items changes nothing"),
        ("--fault cut --ledger-intent-at /a -- true", "--ledger-intent-at changes nothing"),
        ("--fault cut --ledger-header A:b -- true", "--ledger-header changes nothing"),
        ("--fault cut --ledger-lag 1s -- true", "--ledger-lag changes nothing"),
        ("--fault cut --ledger-lag 1s --readings /dev/null", "COMMAND"),
        ("--fault cut --client-log x -- true", "--client-log"),
        ("--fault refusal --retry-after 3 -- true", "--retry-after changes nothing"),
        ("-- true", "--fault"),
    ] {
        run(&format!("proxy --upstream http://127.0.0.1:1 {options}")).exits(3).says(says);
    }
}

/// Answers each request with a gzipped receipt, and prints how its body began.
const SQUEEZER: &str = r#"
import gzip, http.server
class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        reply = gzip.compress(b'{"receipt":"r-%s"}' % body[:2].hex().encode())
        self.send_response(200)
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)
    def log_message(self, *_): pass
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
"#;

#[test]
fn gzipped_bodies_are_read_and_passed_on_untouched() {
    let mut squeezer = Running::spawn(std::process::Command::new("python3").args(["-c", SQUEEZER]));
    let upstream = format!("http://127.0.0.1:{}", squeezer.first_line());
    let body = "printf '{\"intent\":\"zipped\"}' | gzip";
    let client = format!("{body} | curl -s --compressed -H 'Content-Encoding: gzip' --data-binary @- $IDEM_PROXY");
    let readings = scratch("gzip.jsonl");
    let mut proxy = idem(["proxy", "--upstream", &upstream, "--fault", "none", "--readings"]);
    let ran = output(proxy.arg(&readings).args(["--", "sh", "-c", &client]));
    let reading: Value = serde_json::from_str(&std::fs::read_to_string(&readings).unwrap()).unwrap();
    let _ = std::fs::remove_file(&readings);
    // 1f8b is how gzip begins: the server got the client's bytes.
    assert_eq!((&reading["intent"], &reading["receipt"]), (&"zipped".into(), &"r-1f8b".into()), "{reading}");
    let printed = String::from_utf8(ran.stdout).unwrap();
    assert!(printed.starts_with("{\"receipt\":\"r-1f8b\"}"), "{printed}");
}
