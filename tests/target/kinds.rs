//! Endpoints that are no plain form or JSON API: GraphQL, and receivers of webhooks.

use std::net::SocketAddr;
use std::path::Path;

use crate::recipes::recipe;
use crate::requests::{Shop, probe};
use crate::servers::{read, reply, start};
use crate::{row, verdicts};

const MUTATION: &str =
    "mutation($order:ID!,$amount:Int!,$key:String!){charge(order:$order,amount:$amount,key:$key){id}}";

/// As GraphQL: 200 whatever comes of it, with data or with errors.
fn graphql(ledger: &Path) -> SocketAddr {
    let shop = Shop::new(ledger);
    start(move |stream| {
        let Some(asked) = read(&stream) else { return true };
        let variables = &asked.body["variables"];
        let text = |name: &str| variables[name].as_str().unwrap_or_default().to_owned();
        // What is no mutation that it knows does not get as far as the keys.
        let is_valid = asked.body["query"] == MUTATION;
        let said = match (is_valid, text("key").as_str()) {
            (true, key) if !key.is_empty() => match shop.once(key, variables.to_string(), &text("order")) {
                (200, said) => format!("{{\"data\":{{\"charge\":{said}}}}}"),
                _ => r#"{"data":null,"errors":[{"message":"key reused"}]}"#.into(),
            },
            _ => r#"{"data":null,"errors":[{"message":"syntax error, or key missing"}]}"#.into(),
        };
        reply(&stream, 200, &said);
        true
    })
}

#[test]
fn a_graphql_mutation_succeeds_where_its_data_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("charges.jsonl");
    let variables = r#"{"order":"{{intent}}","amount":{{amount}},"currency":"EUR"}"#;
    let body = &format!("{{\"query\":\"{MUTATION}\",\"variables\":{variables}}}");
    let options =
        ["--body", body, "--key-in", "/variables/key", "--intent-at", "/order", "--receipt-at", "/data/charge/id"];
    let success = ["--success-at", "/data/charge/id=*"];
    let target = format!("http://{}/graphql", graphql(&ledger));
    let checks = "replay key_reuse no_key equivalent_body race_2";
    let ran = probe(&target, &ledger, &[&options[..], &success].concat(), checks).exits(0);
    assert!(verdicts(&ran).values().all(|verdict| verdict == "OK"), "{}", ran.stdout);
    let at = target.strip_prefix("http://").unwrap();
    let more = "--format json --check replay --check key_reuse --check no_key";
    let ran = recipe("GraphQL", folder.path(), &[("127.0.0.1:8080/graphql", at)], more).exits(0);
    assert!(verdicts(&ran).values().all(|verdict| verdict == "OK"), "{}", ran.stdout);
    // Without it a refusal in words reads as the old success.
    let ran = probe(&target, &ledger, &options, "key_reuse").exits(2);
    assert_eq!(row(&ran, "key_reuse")["verdict"], "SWALLOWED");
}

fn named((check, verdict): (&str, &str)) -> (String, String) {
    (check.to_owned(), verdict.to_owned())
}

/// A receiver of events: it acknowledges whatever it knows, and has no receipts. `is_once` keeps the events' ids.
fn webhook(ledger: &Path, is_once: bool) -> SocketAddr {
    let shop = Shop::new(ledger);
    start(move |stream| {
        let Some(asked) = read(&stream) else { return true };
        let (id, order) = (asked.body["id"].as_str().unwrap_or_default(), asked.body["data"]["order"].as_str());
        match order {
            Some(order) if is_once => drop(shop.once(id, asked.body.to_string(), order)),
            Some(order) => drop(shop.charge(order, 0)),
            None => return true,
        }
        reply(&stream, 202, "thanks");
        true
    })
}

#[test]
fn a_webhook_receiver_without_receipts_may_swallow_what_it_knows() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("charges.jsonl");
    let body = r#"{"id":"{{key}}","type":"paid","data":{"order":"{{intent}}","amount":{{amount}}}}"#;
    let options = ["--body", body, "--receipt-at", "none", "--intent-at", "/order"];
    let checks = "replay key_reuse race_2 crowd post_drop no_key";
    let target = format!("http://{}/hooks", webhook(&ledger, true));
    let ran = probe(&target, &ledger, &[&options[..], &["--accept", "silent-reuse"]].concat(), checks).exits(0);
    let reuse = row(&ran, "key_reuse");
    assert_eq!((&reuse["verdict"], &reuse["accepted"]), (&"SWALLOWED".into(), &true.into()));
    let evidence = reuse["evidence"].as_str().unwrap();
    for part in ["another amount", "another intent", "13 of 13 keys"] {
        assert!(evidence.contains(part), "both another payload and another intent: {evidence}");
    }
    assert_eq!(row(&ran, "no_key")["verdict"], "SKIPPED");
    let at = target.strip_prefix("http://").unwrap();
    let more = "--format json --check replay --check key_reuse";
    let by_page = recipe("A webhook receiver", folder.path(), &[("127.0.0.1:8080/hooks", at)], more).exits(0);
    assert_eq!(
        verdicts(&by_page),
        [("baseline", "OK"), ("key_reuse", "SWALLOWED"), ("replay", "OK")].map(named).into()
    );
    assert!(["replay", "race_2", "crowd", "post_drop"].iter().all(|check| verdicts(&ran)[*check] == "OK"));
    assert_eq!(
        row(&probe(&target, &ledger, &options, "key_reuse").exits(2), "key_reuse")["accepted"],
        serde_json::Value::Null
    );
    let target = format!("http://{}/hooks", webhook(&ledger, false));
    let ran = probe(&target, &ledger, &options, "replay post_drop").exits(2);
    assert_eq!((verdicts(&ran)["replay"].as_str(), verdicts(&ran)["post_drop"].as_str()), ("DUPLICATE", "DUPLICATE"));
}
