//! Signed requests, logins and cookies; and that nothing which is added to a request is in any output.

use std::collections::{HashMap, HashSet};
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use sha2::{Digest, Sha256};

use crate::recipes::{self, SECRET};
use crate::servers::{Asked, read, reply, start};
use crate::support::{Ran, idem};
use crate::{row, verdicts};

/// HMAC of RFC 2104 with SHA-256, for keys of at most 64 bytes.
fn hmac(key: &[u8], text: &str) -> String {
    let padded = |with: u8| {
        let mut block = [with; 64];
        block.iter_mut().zip(key).for_each(|(byte, key)| *byte ^= key);
        block
    };
    let inner = Sha256::new().chain_update(padded(0x36)).chain_update(text).finalize();
    hex::encode(Sha256::new().chain_update(padded(0x5c)).chain_update(inner).finalize())
}

/// Signs as the server asks: method, path, nonce and body under a shared key.
const SIGN: &str = r#"
import sys, json, hmac, hashlib, uuid
for line in sys.stdin:
    asked = json.loads(line)
    nonce = uuid.uuid4().hex
    text = asked["method"] + asked["path"] + asked["headers"]["Host"] + nonce + asked["body"]
    mac = hmac.new(b"sh4red", text.encode(), hashlib.sha256).hexdigest()
    print(f"X-Nonce: {nonce}\nX-Signature: {mac}\n", flush=True)
"#;

fn python(folder: &Path, script: &str) -> String {
    let path = folder.join("sign.py");
    std::fs::write(&path, script).unwrap();
    format!("exec python3 {}", path.display())
}

fn charge(ledger: &Path, asked: &Asked, n: usize) -> String {
    use std::io::Write;
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(ledger).unwrap();
    writeln!(file, "{{\"intent\":{}}}", asked.body["intent"]).unwrap();
    format!("{{\"receipt\":\"r-{n}\"}}")
}

/// One charge a key for what is signed and whose nonce is new.
fn signed(ledger: &Path) -> SocketAddr {
    let ledger = ledger.to_owned();
    let seen = Arc::new(Mutex::new((HashSet::new(), HashMap::<String, (serde_json::Value, String)>::new())));
    start(move |stream| {
        let Some(asked) = read(&stream) else { return true };
        let field = |name: &str| asked.field(name).unwrap_or_default();
        let text = [&asked.method, &asked.target, field("host"), field("x-nonce"), &asked.raw].concat();
        let mut seen = seen.lock().unwrap();
        // As the page of recipes has it, where two requests of one second are signed alike.
        let timed = format!("{}.{}", field("x-timestamp"), asked.raw);
        let is_timed = asked.field("x-timestamp").is_some() && field("x-signature") == hmac(SECRET.as_bytes(), &timed);
        let is_signed = field("x-signature") == hmac(SECRET.as_bytes(), &text);
        if !is_timed && (!is_signed || !seen.0.insert(field("x-nonce").to_owned())) {
            reply(&stream, 401, "{}");
            return true;
        }
        let n = seen.1.len();
        let fresh = || (asked.body.clone(), charge(&ledger, &asked, n));
        let (first, said) = seen.1.entry(field("idempotency-key").to_owned()).or_insert_with(fresh);
        match *first == asked.body {
            true => reply(&stream, 200, said),
            false => reply(&stream, 422, "{}"),
        }
        true
    })
}

fn probe(address: SocketAddr, ledger: &Path, options: &[&str]) -> Ran {
    let mut command = idem(["probe", "--format", "json", "--lease", "300ms", "--ledger"]);
    command.arg(ledger).args(["--target", &format!("http://{address}/charges?v=1")]).args(options);
    command.output().expect("idem starts").into()
}

#[test]
fn each_request_is_signed_anew_retries_and_copies_too() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("charges.jsonl");
    let sign = python(folder.path(), SIGN);
    let checks = ["replay", "race_2", "cut", "key_reuse", "replay_rewritten", "double_delivery", "late_arrival"];
    let checks: Vec<_> = checks.into_iter().flat_map(|check| ["--check", check]).collect();
    let ran = probe(signed(&ledger), &ledger, &[&["--sign-cmd", &sign], checks.as_slice()].concat()).exits(0);
    assert!(verdicts(&ran).values().all(|verdict| verdict == "OK"), "{}", ran.stdout);
    assert_eq!(row(&ran, "race_2")["measured"]["requests"].as_u64().unwrap() % 3, 0, "no copy was left out");
    std::fs::write(folder.path().join("sign.py"), recipes::file("Signed requests", "sign.py")).unwrap();
    let at = [("127.0.0.1:8080", &*signed(&ledger).to_string())];
    let ran = recipes::recipe("Signed requests", folder.path(), &at, "--format json --check replay").exits(0);
    assert_eq!(verdicts(&ran)["replay"], "OK");
}

#[test]
fn what_cannot_be_signed_is_an_error_and_never_ok() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("charges.jsonl");
    // It signs the baseline and then some, and ends.
    let ends = SIGN.replace("for line in sys.stdin:", "for line, _ in zip(sys.stdin, range(5)):");
    let options = ["--sign-cmd", &python(folder.path(), &ends), "--check", "replay", "--check", "race_2"];
    let ran = probe(signed(&ledger), &ledger, &options).exits(3);
    for check in ["replay", "race_2"] {
        assert_eq!(row(&ran, check)["verdict"], "ERROR", "{}", ran.stdout);
        assert!(
            row(&ran, check)["evidence"].to_string().contains("--sign-cmd: the command has ended (exit status: 0)")
        );
    }
    let ran = probe(signed(&ledger), &ledger, &["--sign-cmd", "exit 9", "--check", "replay"]).exits(3);
    assert!(row(&ran, "baseline")["evidence"].to_string().contains("the command has ended (exit status: 9)"));
    let ran = probe(signed(&ledger), &ledger, &["--before-cmd", "echo s3cr3t; exit 7", "--check", "replay"]).exits(3);
    assert_eq!(ran.stdout, "");
    assert!(ran.stderr.contains("--before-cmd: the command ended with exit status: 7"), "{}", ran.stderr);
    let ran = probe(signed(&ledger), &ledger, &["--before-cmd", "echo s3cr3t", "--check", "replay"]).exits(3);
    assert!(ran.stderr.contains("line 1 of what it prints is no header"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("s3cr3t"), "{}", ran.stderr);
}

/// Takes requests with a token and a session: the first reply to a principal sets it, and all later ones need it.
fn with_sessions(ledger: &Path) -> SocketAddr {
    let ledger = ledger.to_owned();
    let kept = Mutex::new((HashSet::<String>::new(), HashMap::<String, String>::new()));
    start(move |stream| {
        let Some(asked) = read(&stream) else { return true };
        let mut kept = kept.lock().unwrap();
        let who = asked.field("authorization").unwrap_or_default().to_owned();
        let cookie = asked.field("cookie").unwrap_or_default().to_owned();
        let is_known = kept.0.contains(&who);
        if !who.starts_with("Bearer ")
            || asked.field("x-csrf") != Some("csrf-t0ken")
            || is_known && cookie != format!("sid={who}")
        {
            reply(&stream, 403, "{}");
            return true;
        }
        kept.0.insert(who.clone());
        let n = kept.1.len();
        let key = format!("{who} {}", asked.key().unwrap_or_default());
        let said = kept.1.entry(key).or_insert_with(|| charge(&ledger, &asked, n)).clone();
        use std::io::Write;
        let head = format!("HTTP/1.1 200 X\r\nSet-Cookie: sid={who}; Path=/\r\nContent-Length: {}\r\n", said.len());
        let _ = (&stream).write_all(format!("{head}Connection: close\r\n\r\n{said}").as_bytes());
        true
    })
}

#[test]
fn a_login_comes_first_and_each_principal_has_its_own_cookies() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("charges.jsonl");
    let calls = folder.path().join("calls");
    let login = format!("echo x >> {}; printf 'X-Csrf: csrf-t0ken\\n'", calls.display());
    let options = ["--before-cmd", &login, "--header", "Authorization: Bearer first-one"];
    let checks = ["--check", "replay", "--check", "principals", "--check", "race_2", "--check", "post_drop"];
    let other = ["--other-credential", "Authorization: Bearer second-one", "--cookies"];
    let ran = probe(with_sessions(&ledger), &ledger, &[&options[..], &checks, &other].concat()).exits(0);
    assert!(verdicts(&ran).values().all(|verdict| verdict == "OK"), "{}", ran.stdout);
    assert_eq!(std::fs::read_to_string(&calls).unwrap(), "x\n", "once");
    // Without --cookies the second request already has no session.
    let ran = probe(with_sessions(&ledger), &ledger, &[&options[..], &checks].concat()).exits(3);
    assert!(row(&ran, "baseline")["evidence"].to_string().contains("403"), "{}", ran.stdout);
}

/// Charges each time, and says all that came with the request.
fn tells_all(ledger: &Path) -> SocketAddr {
    let ledger = ledger.to_owned();
    start(move |stream| {
        let Some(asked) = read(&stream) else { return true };
        if asked.method == "GET" {
            let seen = asked.field("x-auditor").unwrap_or_default();
            let items = std::fs::read_to_string(&ledger).unwrap_or_default();
            reply(&stream, 200, &format!("{items}{{\"intent\":\"none\",\"seen\":\"{seen}\"}}\n"));
            return true;
        }
        charge(&ledger, &asked, 0);
        let fields = ["authorization", "x-csrf", "x-signature", "cookie", "x-mixed"];
        let told: Vec<_> = fields.iter().filter_map(|name| asked.field(name)).collect();
        use std::io::Write;
        let said = serde_json::json!({"seen": told}).to_string();
        let head =
            format!("HTTP/1.1 200 X\r\nSet-Cookie: sid=c00kie-one; Path=/\r\nContent-Length: {}\r\n", said.len());
        let _ = (&stream).write_all(format!("{head}Connection: close\r\n\r\n{said}").as_bytes());
        true
    })
}

#[test]
fn what_is_secret_is_in_no_output_of_any_format() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("charges.jsonl");
    let address = tells_all(&ledger);
    let sign = r#"n=0; while read -r line; do n=$((n+1)); printf 'X-Signature: s1gned-<"%s">-s1gned\n\n' $n; done"#;
    let ran = |more: &[&str]| -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_idem"));
        command.args(["probe", "--target", &format!("http://{address}/charges"), "--lease", "300ms", "--cookies"]);
        command.args(["--ledger", &format!("http://{address}/ledger"), "--ledger-header", "X-Auditor: aud1tor-key"]);
        command.args(["--header", "Authorization: Bearer b3arer-token", "--header", "X-Mixed: m1xed-{{intent}}-m1xed"]);
        command.args(["--before-cmd", "printf 'X-Csrf: csrf-t0ken\\n'", "--sign-cmd", sign]).args(more);
        // Annotations and a step summary, as on GitHub.
        command.env("GITHUB_ACTIONS", "true").env("GITHUB_STEP_SUMMARY", folder.path().join("summary.md"));
        command.output().expect("idem starts").into()
    };
    let in_folder = |name: &str| folder.path().join(name).display().to_string();
    let files = ["found.json", "summary.md", "r.json", "r.xml", "r.md", "r.html", "r.sarif"].map(in_folder);
    let mut text = vec!["--format", "text", "--check", "replay"];
    text.extend(files[2..].iter().flat_map(|file| ["--report", file]));
    let save = vec!["--chaos", "1", "--for", "200ms", "--format", "json", "--save", &files[0]];
    let formats = ["json", "junit", "table"].map(|format| vec!["--format", format, "--check", "replay"]);
    for more in formats.into_iter().chain([text, save]) {
        let ran = ran(&more).exits(2);
        let written = files.iter().filter_map(|file| std::fs::read_to_string(file).ok());
        for told in written.chain([ran.stdout.clone(), ran.stderr]) {
            for secret in ["b3arer", "csrf-t0", "s1gned", "c00kie", "m1xed", "aud1tor"] {
                assert!(!told.contains(secret), "{secret} in {more:?}:\n{told}");
            }
        }
        for shown in ["by hand, without what the commands and the cookies add:", "200 {\"seen\":"] {
            assert_eq!(more.contains(&"text"), ran.stdout.contains(shown), "{shown} in {more:?}:\n{}", ran.stdout);
        }
    }
    for file in &files {
        let told = std::fs::read_to_string(file).expect("each was written");
        assert!(told.contains("seen") || file.ends_with("found.json"), "the reply is in {file}:\n{told}");
    }
    // A blind oracle tells what the ledger's last item says.
    let blind = ran(&["--intent-at", "/nothing", "--check", "replay"]).exits(3);
    assert!(blind.stdout.contains("\"seen\\\":\\\"***") && !blind.stdout.contains("aud1tor"), "{}", blind.stdout);
}
