//! Each fault by name: what the client gets, what the upstream sees, what the readings say.

use serde_json::{Value, json};

use crate::common::eventually;
use crate::support::{CREATED, Proxy, Upstream, charge, hang_up, to_end};

/// The fields of a reading that a test looks at.
fn row(reading: &Value) -> Value {
    let field = |name: &str| reading[name].clone();
    json!([field("intent"), field("attempt"), field("key"), field("status"), field("symptom"), field("fault")])
}

/// Runs two attempts of one intent under a fault, up to so many connections at the upstream. Gives what the client got
/// first, and the readings.
fn two_attempts(fault: &str, connections: usize) -> (String, Vec<Value>) {
    let upstream = Upstream::start(CREATED);
    let proxy = Proxy::start(upstream.address, fault, &["--hold", "100ms"]);
    let first = proxy.exchange(&charge("a", Some("k")));
    assert_eq!(proxy.exchange(&charge("a", Some("k"))), CREATED, "the second attempt passes");
    // The end of a half request may be read after the client's next attempt.
    eventually("the upstream has seen all", || upstream.seen().len() >= connections);
    let readings = proxy.readings();
    assert_eq!(upstream.seen().len(), connections, "{fault}");
    (first, readings)
}

#[test]
fn each_fault_is_seen_at_both_ends() {
    let cut = CREATED.split_at(CREATED.len() - 8).0;
    for (fault, client, upstream, status, symptom) in [
        ("none", CREATED, 2, json!(201), "ok"),
        ("pre_fail", "HTTP/1.1 503 ", 1, json!(503), "server-error"),
        ("post_drop", "<reset>", 2, json!(null), "reset"),
        ("post_slow", CREATED, 2, json!(201), "ok"),
        ("post_error", "HTTP/1.1 502 ", 2, json!(502), "server-error"),
        ("half_reply", cut, 2, json!(201), "truncated"),
        ("half_request", "", 2, json!(null), "closed"),
        ("double_delivery", CREATED, 3, json!(201), "ok"),
        ("late_arrival", CREATED, 2, json!(201), "ok"),
        ("refusal", "HTTP/1.1 400 ", 1, json!(400), "client-error"),
        ("throttle", "HTTP/1.1 429 ", 1, json!(429), "throttled"),
    ] {
        let (first, readings) = two_attempts(fault, upstream);
        assert!(first.starts_with(client) && first.is_empty() == client.is_empty(), "{fault}: {first:?}");
        let rows: Vec<_> = readings.iter().map(row).collect();
        let expected = [json!(["a", 1, "k", status, symptom, fault]), json!(["a", 2, "k", 201, "ok", "none"])];
        assert_eq!(rows, expected, "{fault}");
    }
}

#[test]
fn a_cut_ends_both_connections_before_the_reply() {
    let upstream = Upstream::start("");
    let proxy = Proxy::start(upstream.address, "cut", &["--cut-after", "5ms"]);
    assert_eq!(proxy.exchange(&charge("a", None)), "");
    let readings = proxy.readings();
    assert_eq!(row(&readings[0]), json!(["a", 1, null, null, "closed", "cut"]));
    assert_eq!((readings[0].get("key"), &readings[0]["kind"]), (None, &json!("transport")));
}

#[test]
fn a_slow_reply_is_held_until_the_client_gives_up() {
    let upstream = Upstream::start(CREATED);
    let proxy = Proxy::start(upstream.address, "post_slow", &[]);
    let mut client = proxy.connect();
    std::io::Write::write_all(&mut client, charge("a", None).as_bytes()).unwrap();
    eventually("the request is there", || upstream.seen().len() == 1);
    hang_up(client);
    assert_eq!(proxy.exchange(&charge("a", None)), CREATED);
    let readings = proxy.readings();
    let rows: Vec<_> = readings.iter().map(row).collect();
    let given_up = json!(["a", 1, null, null, "read-timeout", "post_slow"]);
    assert_eq!(rows, [given_up, json!(["a", 2, null, 201, "ok", "none"])]);
    assert_eq!((&readings[0]["upstream_status"], &readings[0]["receipt"]), (&json!(201), &json!("r1")));
    assert_eq!((&readings[0]["receipt_heard"], readings[1].get("receipt_heard")), (&json!(false), None));
}

#[test]
fn a_late_request_arrives_after_its_retry_and_its_line_stays_first() {
    let upstream = Upstream::start(CREATED);
    let proxy = Proxy::start(upstream.address, "late_arrival", &[]);
    let mut client = proxy.connect();
    std::io::Write::write_all(&mut client, charge("a", Some("early")).as_bytes()).unwrap();
    // Another exchange begins and ends after this one, so this one is held by now.
    assert!(proxy.exchange("nonsense\r\n\r\n").starts_with("HTTP/1.1 400"));
    hang_up(client);
    eventually("the late request arrives", || {
        proxy.exchange(&charge("a", Some("retry")));
        upstream.seen().iter().any(|request| request.contains("early"))
    });
    let order: Vec<_> = upstream.seen().into_iter().filter(|request| request.contains("\"a\"")).collect();
    assert!(order[0].contains("retry"), "{order:?}");
    let readings: Vec<_> = proxy.readings().into_iter().filter(|reading| reading["intent"] == "a").collect();
    assert_eq!(row(&readings[0]), json!(["a", 1, "early", null, "read-timeout", "late_arrival"]));
    assert_eq!(readings[1]["attempt"], 2);
}

/// Which of 60 attempts, each of its own intent, got the fault.
fn hit(more: &[&str]) -> Vec<usize> {
    let upstream = Upstream::start(CREATED);
    let proxy = Proxy::start(upstream.address, "pre_fail", more);
    let answers = (1..=60).map(|n| (n, proxy.exchange(&charge(&format!("i{n}"), None))));
    answers.filter(|(_, answer)| answer.starts_with("HTTP/1.1 503")).map(|(n, _)| n).collect()
}

#[test]
fn which_attempts_are_hit_follows_the_rule_and_the_seed() {
    assert_eq!(hit(&["--on", "every=20"]), [20, 40, 60]);
    let seven = hit(&["--on", "p=0.5", "--seed", "7"]);
    assert!((10..50).contains(&seven.len()), "{seven:?}");
    assert_eq!(hit(&["--on", "p=0.5", "--seed", "7"]), seven);
    assert_ne!(hit(&["--on", "p=0.5", "--seed", "8"]), seven);
    assert_eq!(hit(&["--on", "first"]).len(), 60);
}

#[test]
fn retry_after_is_sent_and_read() {
    let upstream = Upstream::start(
        "HTTP/1.1 429 Slow\r\nRetry-After: 7\r\nIdempotent-Replayed: true\r\nContent-Length: 0\r\n\r\n",
    );
    let proxy = Proxy::start(upstream.address, "pre_fail", &["--retry-after", "3"]);
    assert!(proxy.exchange(&charge("a", None)).contains("\r\nretry-after: 3\r\n"));
    for (more, wait) in [(&[][..], 1), (&["--retry-after", "4"], 4)] {
        let throttle = Proxy::start(upstream.address, "throttle", more);
        assert!(throttle.exchange(&charge("a", None)).contains(&format!("\r\nretry-after: {wait}\r\n")));
    }
    proxy.exchange(&charge("a", None));
    let readings = proxy.readings();
    assert_eq!((&readings[0]["retry_after"], &readings[1]["retry_after"]), (&json!("3"), &json!("7")));
    assert_eq!((readings[0].get("replay"), &readings[1]["replay"]), (None, &json!(true)));
}

#[test]
fn intent_key_and_receipt_are_found_where_they_are_said_to_be() {
    let reply = "HTTP/1.1 200 OK\r\nContent-Length: 17\r\n\r\n{\"data\":{\"id\":9}}";
    let upstream = Upstream::start(reply);
    let more = ["--intent-at", "/order/id", "--key-header", "X-Key", "--receipt-at", "/data/id"];
    let proxy = Proxy::start(upstream.address, "pre_fail", &more);
    let request =
        "POST / HTTP/1.1\r\nConnection: close\r\nx-key: q\r\nContent-Length: 18\r\n\r\n{\"order\":{\"id\":4}}";
    assert!(proxy.exchange(request).starts_with("HTTP/1.1 503"));
    assert_eq!(proxy.exchange(request), reply);
    assert_eq!(proxy.exchange(&charge("a", None)), reply, "no intent there: passed on");
    let readings = proxy.readings();
    assert_eq!(row(&readings[1]), json!(["4", 2, "q", 200, "ok", "none"]));
    assert_eq!(readings[1]["receipt"], "9");
    assert_eq!(row(&readings[2]), json!([null, null, null, 200, "ok", "none"]));
}

#[test]
fn an_attempt_under_way_at_the_end_is_still_read() {
    let upstream = Upstream::start("");
    let proxy = Proxy::start(upstream.address, "none", &[]);
    let mut client = proxy.connect();
    std::io::Write::write_all(&mut client, charge("a", None).as_bytes()).unwrap();
    // Silence upstream: wait until the proxy has gone through another whole exchange after this one.
    assert!(proxy.exchange("nonsense\r\n\r\n").starts_with("HTTP/1.1 400"));
    let readings = proxy.readings();
    assert_eq!(row(&readings[0]), json!([null, null, null, 400, "client-error", "none"]));
    assert_eq!(row(&readings[1]), json!(["a", 1, null, null, "closed", "none"]));
    assert_eq!(readings[1]["note"], "the proxy was stopped");
    assert_eq!(to_end(&mut client).replace("<reset>", ""), "");
}
