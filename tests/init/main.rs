//! `idem init` through the built binary: what it asks, what it writes, and that what it wrote is probed.

#[path = "../support/authority.rs"]
mod authority;
#[path = "../support/python.rs"]
mod python;
#[path = "../target/servers.rs"]
#[allow(dead_code)]
mod servers;
mod shop;
#[path = "../support/mod.rs"]
mod support;

use std::path::Path;

use python::{Behind, Charges, Keys};
use support::{Ran, idem, output, serve};
use tempfile::{TempDir, tempdir};

/// Runs the binary in a folder, with the variables that the files of these tests ask for.
fn run<A: AsRef<std::ffi::OsStr>>(folder: &Path, args: impl IntoIterator<Item = A>) -> Ran {
    let mut command = idem(args);
    output(command.current_dir(folder).env("IDEM_AUTHORIZATION", "sk_init_1").env("IDEM_CVC", "987")).into()
}

fn init(folder: &Path, url: &str, more: &[&str]) -> Ran {
    run(folder, ["init", url].iter().chain(more))
}

/// What the file sets.
fn written(folder: &Path) -> String {
    let file = std::fs::read_to_string(folder.join("idem.toml")).unwrap();
    file.split("\n# The other options").next().unwrap().to_owned()
}

/// The file that was written is planned and probed: nothing in it has to be completed.
fn is_probed(folder: &Path, name: &str) {
    run(folder, ["probe", name, "--plan"]).exits(0).prints("race_2");
    let probed = run(folder, ["probe", name, "--format", "json", "--check", "replay"]);
    let rows = &probed.json()["checks"];
    assert_eq!((&rows[0]["verdict"], &rows[1]["verdict"]), (&"OK".into(), &"OK".into()), "{}", probed.stdout);
}

#[test]
fn the_file_has_what_one_request_told() {
    let folder = tempdir().unwrap();
    let (_server, address) = serve("key_atomic", &folder.path().join("l.jsonl"), &[]);
    let url = format!("http://{address}/charges?api_key=url-secret");
    let body = r#"{"intent":"ord-1","amount":1000,"card":{"cvc":987},"currency":"eur"}"#;
    let given = [
        ["--body", body],
        ["--header", "Authorization: Bearer sk_init_1"],
        ["--header", "X-Idempotency-Key: old-key-1"],
        ["--key-header", "Idempotency-Key"],
        ["--ledger-cmd", "PGPASSWORD=pa55 cat l.jsonl"],
        ["--name", "local"],
    ];
    let ran = init(folder.path(), &url, &given.concat()).exits(0);
    assert_eq!(ran.stdout, "idem probe local --plan\n");
    assert!(ran.stderr.starts_with("idem: sends one real request, POST http://127.0.0.1:"), "{}", ran.stderr);
    let charges = std::fs::read_to_string(folder.path().join("l.jsonl")).unwrap();
    assert_eq!(charges.lines().count(), 1, "one request alone");
    let golden = include_str!("../data/init.toml").trim_end();
    assert_eq!(written(folder.path()).replace(&address.to_string(), "ADDRESS").trim_end(), golden);
    let whole = std::fs::read_to_string(folder.path().join("idem.toml")).unwrap() + &ran.stderr + &ran.stdout;
    for secret in ["url-secret", "sk_init_1", "987", "pa55", "old-key-1"] {
        assert!(!whole.contains(secret), "{secret}: {whole}");
    }
    // As the user sets them then.
    let file = folder.path().join("idem.toml");
    let plain = std::fs::read_to_string(&file).unwrap();
    let plain = plain.replace("${IDEM_API_KEY}", "k").replace("PGPASSWORD=${IDEM_PGPASSWORD} ", "");
    std::fs::write(file, plain).unwrap();
    is_probed(folder.path(), "local");
}

#[test]
fn every_option_that_is_documented_stands_in_the_file() {
    let folder = tempdir().unwrap();
    let (_server, address) = serve("key_atomic", &folder.path().join("l.jsonl"), &[]);
    init(folder.path(), &format!("http://{address}/charges"), &[]).exits(0).prints("idem probe target --plan");
    let file = std::fs::read_to_string(folder.path().join("idem.toml")).unwrap();
    let page = run(folder.path(), ["explain", "config"]).exits(0).stdout;
    let table = page.split("[target], [target.NAME]\n").nth(1).unwrap().split("\n\n").next().unwrap().to_owned();
    let keys = table.lines().filter_map(|line| line.strip_prefix("  ")).filter(|line| !line.starts_with(' '));
    let keys: Vec<_> = keys.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(keys.len() > 40, "{table}");
    for key in keys {
        let set = format!("{key} = ");
        assert!(file.lines().any(|line| line.trim_start_matches("# ").starts_with(&set)), "{key}");
    }
    // Without a ledger it says what is missing, and where the receipt is.
    let set = written(folder.path());
    assert!(set.contains("\n# Without a ledger only the replies are judged"), "{set}");
    assert!(set.contains("\nledger = \"none\"\n") && set.contains("\nreceipt-at = \"/receipt\"\n"), "{set}");
    // What stands as a comment is a line of its table once it is not.
    let commented = file.replace("# ledger-lag = \"DURATION\"", "ledger-lag = \"1s\"").replace("# cookies", "cookies");
    std::fs::write(folder.path().join("idem.toml"), commented).unwrap();
    run(folder.path(), ["probe", "target", "--plan"]).exits(0);
}

#[test]
fn a_refusal_is_written_down_and_learned_from() {
    let (folder, address) = shop();
    let url = format!("http://{address}/v1/charges");
    let form = ["--body", "amount=10.00&currency=eur&metadata[order_id]=o-1&cvc=987", "--ledger", "shop.jsonl"];
    let ran = init(folder.path(), &url, &form).exits(4).says("the answer was not a success: 400");
    assert_eq!(ran.stdout, "idem probe target --plan\n");
    let set = written(folder.path());
    assert!(set.contains("# 400 {\"error\":\"X-Idempotency-Key is missing\"}"), "{set}");
    assert!(set.contains("\nkey-header = \"X-Idempotency-Key\"\n") && !set.contains("receipt-at"), "{set}");
    assert!(set.contains("# The ledger did not show the request"), "{set}");
    // What it wrote is right already; asked again by it, the rest is known.
    init(folder.path(), &url, &form).exits(3).says("idem.toml is there already: --force overwrites it");
    assert_eq!(written(folder.path()), set);
    let keyed = [&form[..], &["--force", "--header", "X-Idempotency-Key: a curl line's"]].concat();
    init(folder.path(), &url, &keyed).exits(0);
    let set = written(folder.path());
    for line in [
        "body = \"amount={{amount}}.00&currency=eur&metadata[order_id]={{intent}}&cvc=${IDEM_CVC}\"",
        "key-header = \"X-Idempotency-Key\"",
        "receipt-at = \"/id\"",
        "intent-at = \"/metadata/order_id\"",
    ] {
        assert!(set.lines().any(|known| known == line), "{line} in {set}");
    }
    is_probed(folder.path(), "target");
}

#[test]
fn a_202_says_where_to_look_for_what_becomes_of_it() {
    let (folder, address) = shop();
    let url = format!("http://{address}/jobs");
    init(folder.path(), &url, &["--method", "PUT", "--ledger", "shop.jsonl", "--body", "{\"order\":\"o\"}"]).exits(0);
    let file = folder.path().join("idem.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains("\n# poll = \"Location\"\n# poll-done = \"/status=done\"\n"), "{text}");
    assert!(text.contains("\nmethod = \"PUT\"\n"), "{text}");
    is_probed(folder.path(), "target");
    std::fs::write(file, text.replace("# poll", "poll")).unwrap();
    is_probed(folder.path(), "target");
}

#[test]
fn graphql_is_told_by_its_data() {
    let (folder, address) = shop();
    let url = format!("http://{address}/graphql");
    let body = r#"{"query":"mutation($order:ID!){charge(order:$order){id}}","variables":{"order":"o"}}"#;
    let given = ["--body", body, "--ledger", "shop.jsonl", "--content-type", "application/json; charset=utf-8"];
    init(folder.path(), &url, &given).exits(0);
    let set = written(folder.path());
    for line in [
        "success-at = \"/data/charge=*\"",
        "receipt-at = \"/data/charge/id\"",
        "content-type = \"application/json; charset=utf-8\"",
    ] {
        assert!(set.lines().any(|known| known == line), "{line} in {set}");
    }
    is_probed(folder.path(), "target");
}

#[test]
fn an_openapi_file_makes_the_request() {
    let (folder, address) = shop();
    let api = serde_json::json!({
        "openapi": "3.1.0",
        "servers": [{"url": "https://api.example.com/v1"}],
        "paths": {"/charges": {"post": {
            "operationId": "createCharge",
            "parameters": [{"name": "X-Idempotency-Key", "in": "header", "required": true, "schema": {"type": "string"}}],
            "requestBody": {"content": {"application/x-www-form-urlencoded": {"schema": {
                "required": ["metadata", "amount"],
                "properties": {
                    "amount": {"type": "integer", "minimum": 50}, "note": {"type": "string"}, "skipped": {"type": "integer"},
                    "metadata": {"type": "object", "required": ["order_id"], "properties": {"order_id": {"type": "string"}}}
                }
            }}}}
        }}}
    });
    std::fs::write(folder.path().join("api.json"), api.to_string()).unwrap();
    std::fs::write(folder.path().join("api.yaml"), "openapi: 3.1.0\n").unwrap();
    let url = format!("http://{address}");
    for operation in ["createCharge", "POST /charges"] {
        let given = ["--openapi", "api.json", "--operation", operation, "--ledger", "shop.jsonl", "--force"];
        init(folder.path(), &url, &given).exits(0);
        let set = written(folder.path());
        for line in [
            &format!("target = \"{url}/v1/charges\""),
            "body = \"metadata[order_id]={{intent}}&amount={{amount}}&note=idem\"",
            "key-header = \"X-Idempotency-Key\"",
        ] {
            assert!(set.lines().any(|known| known == line), "{line} in {set}");
        }
    }
    is_probed(folder.path(), "target");
    let refused =
        |file, operation| init(folder.path(), &url, &["--force", "--openapi", file, "--operation", operation]).exits(3);
    refused("api.json", "POST /charge").says("--operation POST /charge: there is none; there are createCharge");
    let ran = refused("api.yaml", "createCharge").says("not JSON. A YAML file is converted by `yq -o json api.yaml`");
    // What the message says does it, where one of these programs is there.
    let converted = ran.stderr.split('`').skip(1).step_by(2).map(|line| python::shell(line, folder.path()));
    let converted: Vec<serde_json::Value> = converted.filter_map(|json| serde_json::from_str(&json).ok()).collect();
    assert!(converted.iter().all(|json| *json == serde_json::json!({"openapi": "3.1.0"})), "{converted:?}");
    if converted.is_empty() {
        eprintln!("SKIPPED: neither yq nor PyYAML is on this machine, so no YAML is converted");
    }
    refused("none.json", "createCharge").says("--openapi: cannot read none.json");
}

#[test]
fn what_is_behind_tls_is_asked_by_its_authority() {
    let Some(server) = Charges::start(Behind::Tls, Keys::Kept) else { return };
    let (folder, url) = (server.folder.path(), format!("{}/charges", server.url));
    let ledger = format!("{}/ledger", server.url);
    init(folder, &url, &["--ledger", &ledger]).exits(3).says("certificate");
    init(folder, &url, &["--ledger", &ledger, "--cacert", "ca.pem"]).exits(0);
    let set = written(folder);
    assert!(set.contains("\ncacert = \"ca.pem\"\n") && set.contains("\nintent-at = \"/intent\"\n"), "{set}");
    is_probed(folder, "target");
    init(folder, &url, &["--insecure", "--output", "other.toml"]).exits(0).prints("--config other.toml --plan");
    assert!(std::fs::read_to_string(folder.join("other.toml")).unwrap().contains("\ninsecure = true\n"));
}

#[test]
fn without_an_answer_nothing_is_written() {
    let (folder, address) = shop();
    let refused = |url: &str, more: &[&str]| {
        let ran = init(folder.path(), url, more).exits(3);
        assert!(!folder.path().join("idem.toml").exists() && ran.stdout.is_empty(), "{}", ran.stdout);
        ran
    };
    refused("http://127.0.0.1:1/charges", &[]).says("the request was not sent, and nothing is written");
    refused(&format!("http://{address}/silent"), &[]).says("the request may have made a charge; nothing is written");
    refused("http://192.0.2.1/", &[]).says("192.0.2.1 is not loopback");
    let url = format!("http://{address}/jobs");
    refused(&url, &["--body", "{\"amount\":1}"]).says("--body: no field in it looks like the order");
    refused(&url, &["--body", "@none.json"]).says("cannot read none.json");
    refused(&url, &["--name", "a.b"]).says("--name a.b: give letters, digits, - and _");
    refused(&url, &["--method", "post"]).says("--method post: give a method in capitals");
    refused(&url, &["--output", "no/such/folder/idem.toml"]).says("there is no such folder");
    assert_eq!(shop::requests(address), 1, "what was refused was not sent");
    // A host that is named is asked: here by its loopback address.
    init(folder.path(), &url, &["--allow-host", "example.com", "--body", "{\"order\":\"o\"}"]).exits(0);
    assert!(written(folder.path()).contains("\nallow-host = [\"example.com\"]\n"));
}

#[test]
fn an_answer_that_echoes_a_secret_does_not_bring_it_into_the_file() {
    let (folder, address) = shop();
    let url = format!("http://{address}/locked");
    let ran = init(folder.path(), &url, &["--header", "Authorization: Bearer sk_init_1"]).exits(4);
    let all = std::fs::read_to_string(folder.path().join("idem.toml")).unwrap() + &ran.stderr + &ran.stdout;
    assert!(all.contains("# 401 ***") && !all.contains("sk_init_1") && !all.contains('\u{1b}'), "{all}");
    run(folder.path(), ["probe", "target", "--plan"]).exits(0);
}

fn shop() -> (TempDir, std::net::SocketAddr) {
    let folder = tempdir().unwrap();
    let address = shop::start(&folder.path().join("shop.jsonl"));
    (folder, address)
}
