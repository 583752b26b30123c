//! The answer table: what each reply, and each way to get none, counts for.

use std::sync::Arc;

use super::*;
use crate::http::address::{Address, Route};
use crate::mcp::call::ToolCall;
use crate::mcp::client::Endpoint;
use crate::mcp::speech::Speech;
use crate::mcp::tools::Tool;
use crate::mcp::version::Version;
use crate::target::request::expected::Expected;
use crate::target::request::key::KeyPlace;
use crate::target::request::template::fixtures;

fn template() -> Template {
    fixtures::template(KeyPlace::Header("Idempotency-Key".into()))
}

fn reply(status: u16, body: &str, headers: &[(&str, &str)]) -> Outcome {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), value.as_bytes().to_vec())).collect();
    let reply = Some(Reply { status, headers, body: body.into() });
    Outcome { symptom: Symptom::of_status(status), reply, detail: None, elapsed: Duration::ZERO }
}

fn class(outcome: &Outcome, success_status: Option<u16>) -> Class {
    Answer::of(outcome, &template(), success_status).class
}

const RECEIPT: &str = r#"{"receipt":"r"}"#;

#[test]
fn a_whole_reply_counts_by_its_status_and_by_whether_it_names_a_receipt() {
    let rows = [
        (100, Class::Refusal, Class::Refusal),
        (199, Class::Refusal, Class::Refusal),
        (200, Class::Success, Class::Success),
        (201, Class::Success, Class::Success),
        (202, Class::InFlight, Class::Success),
        (204, Class::Success, Class::Success),
        (299, Class::Success, Class::Success),
        (300, Class::Refusal, Class::Refusal),
        (307, Class::Refusal, Class::Refusal),
        (400, Class::Refusal, Class::Refusal),
        (404, Class::Refusal, Class::Refusal),
        (408, Class::InFlight, Class::InFlight),
        (409, Class::InFlight, Class::Named),
        (410, Class::Refusal, Class::Refusal),
        (422, Class::Refusal, Class::Refusal),
        (423, Class::InFlight, Class::InFlight),
        (424, Class::Refusal, Class::Refusal),
        (425, Class::InFlight, Class::InFlight),
        (429, Class::InFlight, Class::InFlight),
        (499, Class::Refusal, Class::Refusal),
        (500, Class::Failure, Class::Failure),
        (503, Class::Failure, Class::Failure),
        (599, Class::Failure, Class::Failure),
        (600, Class::Refusal, Class::Refusal),
    ];
    for (status, nameless, named) in rows {
        assert_eq!(class(&reply(status, "{}", &[]), None), nameless, "{status}");
        assert_eq!(class(&reply(status, RECEIPT, &[]), None), named, "{status} with a receipt");
    }
}

#[test]
fn a_202_is_a_success_only_where_the_target_answers_charges_so_or_names_a_receipt() {
    let taken = reply(202, "", &[]);
    assert_eq!(class(&taken, None), Class::InFlight);
    assert_eq!(class(&taken, Some(200)), Class::InFlight);
    assert_eq!(class(&taken, Some(202)), Class::Success);
    assert_eq!(class(&reply(200, "", &[]), Some(202)), Class::Success);
}

#[test]
fn a_2xx_must_be_true_where_the_user_said_so() {
    let paid = Template { success_at: Some(Expected::parse("/paid").unwrap()), ..template() };
    let class = |status, body| Answer::of(&reply(status, body, &[]), &paid, None).class;
    assert_eq!(class(200, r#"{"paid":true}"#), Class::Success);
    for body in [r#"{"paid":false}"#, r#"{"paid":"true"}"#, r#"{"paid":1}"#, "{}", "", "paid"] {
        assert_eq!(class(200, body), Class::Refusal, "{body}");
    }
    assert_eq!(class(202, "{}"), Class::InFlight, "what is not done yet is asked again");
    assert_eq!(class(500, r#"{"paid":true}"#), Class::Failure);
}

#[test]
fn a_receipt_is_a_text_that_is_not_empty_or_a_number() {
    for (value, receipt) in [
        (r#""r""#, Some("r")),
        (r#""""#, None),
        ("7", Some("7")),
        ("7.5", Some("7.5")),
        ("null", None),
        ("true", None),
        ("[]", None),
        ("{}", None),
    ] {
        let answer = Answer::of(&reply(200, &format!(r#"{{"receipt":{value}}}"#), &[]), &template(), None);
        assert_eq!(answer.receipt.as_deref(), receipt, "{value}");
    }
    assert_eq!(Answer::of(&reply(200, "receipt r", &[]), &template(), None).receipt, None);
}

/// Symptom by symptom, without a reply. A connect that failed by our own fault (`unknown`) is not the target's silence.
#[test]
fn what_was_never_sent_is_no_silence_and_the_rest_is() {
    for symptom in Symptom::ALL.iter().copied() {
        let outcome = Outcome { symptom, reply: None, detail: None, elapsed: Duration::ZERO };
        let unsent = [Symptom::Refused, Symptom::Unreachable, Symptom::Tls, Symptom::Unknown].contains(&symptom);
        let answer = Answer::of(&outcome, &template(), None);
        assert_eq!(answer.class, if unsent { Class::Unsent } else { Class::Silence }, "{symptom}");
        assert_eq!((answer.status, answer.receipt, answer.text), (None, None, symptom.to_string()));
    }
}

#[test]
fn a_reply_that_broke_off_is_silence_whatever_its_head_says() {
    for (status, symptom) in [(200, Symptom::Truncated), (409, Symptom::Truncated), (200, Symptom::BadReply)] {
        let broken = Outcome { symptom, detail: Some("9 bytes short".into()), ..reply(status, RECEIPT, &[]) };
        let answer = Answer::of(&broken, &template(), Some(200));
        assert_eq!((answer.class, answer.status, answer.receipt), (Class::Silence, Some(status), None), "{symptom}");
        assert_eq!(answer.text, "9 bytes short");
    }
}

#[test]
fn only_a_success_and_a_conflict_that_names_it_settle_and_only_a_conflict_refuses_for_now() {
    let of = |class, status| Answer { class, status: Some(status), ..Answer::withheld("") };
    let rows = [
        (Class::Success, 200, true, false),
        (Class::Named, 409, true, false),
        (Class::InFlight, 409, false, true),
        (Class::InFlight, 423, false, true),
        (Class::InFlight, 202, false, false),
        (Class::Failure, 500, false, false),
        (Class::Refusal, 422, false, false),
        (Class::Silence, 200, false, false),
        (Class::Unsent, 0, false, false),
        (Class::Withheld, 0, false, false),
    ];
    for (class, status, settles, for_now) in rows {
        let answer = of(class, status);
        assert_eq!((answer.settles(), answer.refuses_for_now()), (settles, for_now), "{class:?} {status}");
    }
}

#[test]
fn retry_after_and_a_marker_are_read_from_the_head() {
    let of = |headers: &[(&str, &str)]| Answer::of(&reply(200, "{}", headers), &template(), None);
    assert_eq!(of(&[]).retry_after, None);
    assert_eq!(of(&[("retry-after", "7")]).retry_after, Some(Duration::from_secs(7)));
    for (name, value, marker) in [
        ("Idempotent-Replayed", "true", Some("Idempotent-Replayed: true")),
        ("x-idempotency-replayed", " 1 ", Some("x-idempotency-replayed: 1")),
        ("Idempotent-Replayed", " False ", None),
        ("Idempotency-Key", "true", None),
    ] {
        assert_eq!(of(&[(name, value)]).marker.as_deref(), marker, "{name}: {value}");
    }
}

#[test]
fn a_time_line_tells_no_reply_a_broken_one_and_a_whole_one_apart() {
    let line = |outcome: &Outcome, receipt| Answer::of(outcome, &template(), None).line(receipt);
    assert_eq!(line(&reply(200, RECEIPT, &[]), Some("R1")), "200 receipt R1");
    assert_eq!(line(&reply(503, "a\r\nb", &[]), None), "503 a  b");
    let broken = Outcome { symptom: Symptom::Truncated, ..reply(200, RECEIPT, &[]) };
    assert_eq!(line(&broken, Some("R1")), "200, broken off: truncated");
    assert_eq!(line(&Outcome { reply: None, ..broken }, None), "no reply: truncated");
    assert_eq!(Answer::withheld("kept from the target").line(None), "kept from the target");
}

#[test]
fn a_long_body_is_not_cut_in_the_middle_of_a_word() {
    let word = "s3cr3t".repeat(30);
    assert_eq!(beginning(&format!("bad token: {word}")), "bad token: ");
    assert_eq!(beginning(&"ä ".repeat(100)), "ä ".repeat(60));
    assert_eq!(beginning(&"a ".repeat(60)), "a ".repeat(60), "nothing is cut");
}

#[test]
fn where_no_reply_names_a_receipt_a_202_is_all_there_is() {
    let webhook = Template { receipt_at: None, ..template() };
    let answer = |status, body| Answer::of(&reply(status, body, &[]), &webhook, None);
    assert_eq!(answer(202, "").class, Class::Success);
    assert_eq!(answer(204, "").class, Class::Success);
    assert_eq!(answer(200, r#"{"receipt":"r"}"#).receipt, None);
    assert_eq!(answer(409, r#"{"receipt":"r"}"#).class, Class::InFlight);
}

fn of_tool(status: u16, content_type: &str, body: &str) -> Answer {
    let address = Address { route: Route::Tcp("127.0.0.1:1".parse().unwrap()), authority: "t".into() };
    let path = "/".into();
    let patience = Duration::from_secs(1);
    let endpoint = Endpoint { address, path, headers: Vec::new(), patience, ids: Arc::default() };
    let tool = Tool::of(&serde_json::json!({"name": "t"})).unwrap();
    let speech = Speech::new(Version::NEWEST, None, Arc::default());
    let template = Template { tool: Some(ToolCall::new(tool, endpoint, false, speech)), ..template() };
    let headers = vec![("Content-Type".to_owned(), content_type.as_bytes().to_vec())];
    let reply = Reply { status, headers, body: body.as_bytes().to_vec() };
    let symptom = if content_type == "cut" { Symptom::Truncated } else { Symptom::of_status(status) };
    let detail = None;
    Answer::of(&Outcome { symptom, reply: Some(reply), detail, elapsed: Duration::ZERO }, &template, None)
}

/// What came of a tool's call is in its response; the status is the transport's.
#[test]
fn a_tools_answer_is_its_response() {
    let response = |inner: &str| format!(r#"{{"jsonrpc":"2.0","id":1,{inner}}}"#);
    let done = response(r#""result":{"content":[],"structuredContent":{"receipt":"r1"}}"#);
    let failed = response(r#""result":{"content":[{"type":"text","text":"no money"}],"isError":true}"#);
    let error = |code: i64| response(&format!(r#""error":{{"code":{code},"message":"no"}}"#));
    let asks = response(r#""result":{"resultType":"input_required","requestState":"s"}"#);
    let json = "application/json";
    for (status, content_type, body, class, receipt) in [
        (200, json, &done, Class::Success, Some("r1")),
        (200, json, &failed, Class::Refusal, None),
        (200, json, &error(-32602), Class::Refusal, None),
        (200, json, &error(-32603), Class::Failure, None),
        (400, json, &error(-32020), Class::Refusal, None),
        (503, json, &error(-32000), Class::Failure, None),
        (200, json, &asks, Class::Asks, None),
        (503, "text/plain", &"busy".to_owned(), Class::Failure, None),
        (200, "cut", &done, Class::Silence, None),
        (200, "text/event-stream", &format!("data: {done}\n\n"), Class::Success, Some("r1")),
    ] {
        let answer = of_tool(status, content_type, body);
        assert_eq!((answer.class, answer.receipt.as_deref()), (class, receipt), "{status} {body}");
    }
    assert!(of_tool(200, json, &failed).text.contains("isError: no money"));
}
