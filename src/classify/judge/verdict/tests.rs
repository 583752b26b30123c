//! Which of several signs decides, each where it wins and where it does not. Symptom and effect by their names.

use std::borrow::Cow;

use super::*;

/// A reading by itself, whose status is its own.
fn reading<'a>(status: Option<u16>, words: &'a str) -> Reading<'a> {
    let texts = if words.is_empty() { Vec::new() } else { Reading::from_text(words).texts };
    let status = status.map_or(Status::Absent, Status::Code);
    Reading { status, own_status: true, texts, ..Reading::default() }
}

fn found(reading: &Reading) -> (&'static str, &'static str) {
    let verdict = judge(reading);
    (verdict.symptom.name(), verdict.advice.effect.name())
}

#[track_caller]
fn gives(reading: &Reading, symptom: &str, effect: &str) {
    assert_eq!(found(reading), (symptom, effect), "{reading:?}");
}

const RESET: &str = "Connection reset by peer";
const REFUSED: &str = "Connection refused";
const UNREADABLE: &str = "upstream sent invalid";

#[test]
fn a_status_and_words_beside_it() {
    for (status, words, symptom, effect) in [
        // A 2xx that did not end well.
        (200, "", "ok", "yes"),
        (202, "", "ok", "maybe"),
        (200, RESET, "truncated", "maybe"),
        (200, REFUSED, "truncated", "maybe"),
        (200, UNREADABLE, "bad-reply", "maybe"),
        (299, RESET, "truncated", "maybe"),
        // A server's own 5xx, unless the words are of a proxy on the way to it.
        (500, RESET, "server-error", "maybe"),
        (503, REFUSED, "server-error", "maybe"),
        (503, "Unable to connect to proxy", "refused", "no"),
        (502, "tunnel connection failed", "unreachable", "no"),
        (404, "Unable to connect to proxy", "client-error", "no"),
        // What no server sends, clients make up.
        (599, REFUSED, "refused", "no"),
        (595, RESET, "reset", "maybe"),
        (594, REFUSED, "server-error", "maybe"),
        (599, "", "server-error", "maybe"),
        (99, REFUSED, "refused", "no"),
        (100, REFUSED, "bad-reply", "maybe"),
        (103, RESET, "reset", "maybe"),
        (199, "", "bad-reply", "maybe"),
        // Clients that give a 4xx to what they met themselves.
        (400, "", "client-error", "no"),
        (400, RESET, "reset", "maybe"),
        (406, RESET, "reset", "maybe"),
        (400, UNREADABLE, "bad-reply", "maybe"),
        (422, RESET, "client-error", "no"),
        (408, "", "throttled", "unlikely"),
        (408, "read timed out", "read-timeout", "maybe"),
        (408, "Request Timeout", "throttled", "unlikely"),
        (410, "read timed out", "client-error", "no"),
        // A refusal for a connection further back leaves open what was done before it.
        (404, REFUSED, "client-error", "maybe"),
        (499, REFUSED, "server-error", "maybe"),
        (307, REFUSED, "redirect", "no"),
        (429, REFUSED, "throttled", "unlikely"),
        // The edge's own codes.
        (521, "", "refused", "no"),
        (530, "", "dns", "no"),
        // What was done already is told by words alone.
        (400, "nonce is too low", "conflict", "maybe"),
    ] {
        gives(&reading(Some(status), words), symptom, effect);
    }
}

#[test]
fn a_status_inside_another_object_need_not_be_the_replys() {
    let inside = |status, words| Reading { own_status: false, ..reading(Some(status), words) };
    gives(&inside(200, ""), "unknown", "maybe");
    gives(&inside(422, RESET), "reset", "maybe");
    gives(&inside(307, RESET), "reset", "maybe");
    gives(&inside(422, ""), "client-error", "no");
    gives(&inside(503, RESET), "server-error", "maybe");
    gives(&Reading { trouble: Some("error"), ..inside(200, "") }, "bad-reply", "maybe");
}

#[test]
fn a_code_stands_in_for_a_status_only_within_its_range() {
    for (code, symptom, effect) in [
        (200, "ok", "yes"),
        (404, "client-error", "no"),
        (599, "server-error", "maybe"),
        (199, "unknown", "maybe"),
        (600, "unknown", "maybe"),
    ] {
        gives(&Reading { code: Some(code), ..reading(None, "") }, symptom, effect);
    }
    gives(&Reading { code: Some(200), ..reading(Some(503), "") }, "server-error", "maybe");
    gives(&Reading { code: Some(200), status: Status::Conflict, ..reading(None, "") }, "unknown", "maybe");
    gives(&Reading { code: Some(200), status: Status::Odd, ..reading(None, "") }, "bad-reply", "maybe");
}

#[test]
fn a_sign_of_trouble_takes_a_2xx_its_success() {
    let success = || reading(Some(200), "");
    gives(&Reading { trouble: Some("success"), ..success() }, "bad-reply", "maybe");
    gives(&Reading { exit_code: Some(0), ..success() }, "ok", "yes");
    gives(&Reading { exit_code: Some(18), ..success() }, "bad-reply", "maybe");
    for (symptom, then, effect) in [
        (Symptom::Ok, "ok", "yes"),
        (Symptom::Reset, "reset", "maybe"),
        (Symptom::Truncated, "truncated", "maybe"),
        // A `no` beside a reply is none.
        (Symptom::Refused, "unknown", "maybe"),
        (Symptom::Throttled, "unknown", "maybe"),
    ] {
        gives(&Reading { symptom: Some(symptom), ..success() }, then, effect);
    }
    for (kind, then, effect) in [
        ("ok", "ok", "yes"),
        ("bad-reply", "bad-reply", "maybe"),
        ("truncated", "truncated", "maybe"),
        ("transport", "closed", "maybe"),
        ("transport-timeout", "timeout", "maybe"),
        ("timeout", "timeout", "maybe"),
        ("refused", "unknown", "maybe"),
        ("no-such-kind", "ok", "yes"),
    ] {
        gives(&Reading { kind: Some(kind.into()), ..success() }, then, effect);
    }
}

#[test]
fn a_kind_alone_says_the_least_that_it_can() {
    for (kind, symptom, effect) in [
        ("ok", "unknown", "maybe"),
        ("client-error", "unknown", "maybe"),
        ("server-error", "server-error", "maybe"),
        ("transport", "closed", "maybe"),
        ("transport-timeout", "timeout", "maybe"),
        ("bad-reply", "bad-reply", "maybe"),
        ("refused", "refused", "no"),
        ("read-timeout", "read-timeout", "maybe"),
        ("other", "unknown", "maybe"),
    ] {
        gives(&Reading { kind: Some(kind.into()), ..reading(None, "") }, symptom, effect);
    }
}

#[test]
fn a_symptom_by_name_decides_unless_words_tell_of_a_request_that_went_out() {
    let named = |symptom, words| Reading { symptom: Some(symptom), ..reading(None, words) };
    gives(&named(Symptom::Refused, ""), "refused", "no");
    gives(&named(Symptom::Refused, RESET), "reset", "maybe");
    gives(&named(Symptom::Reset, REFUSED), "reset", "maybe");
    gives(&named(Symptom::ReadTimeout, RESET), "read-timeout", "maybe");
    gives(&named(Symptom::Dns, REFUSED), "dns", "no");
    gives(&named(Symptom::Ok, ""), "unknown", "maybe");
    gives(&named(Symptom::Ok, REFUSED), "refused", "no");
}

#[test]
fn words_alone_tell_their_symptom_and_a_2xx_in_an_error_is_no_success() {
    gives(&reading(None, REFUSED), "refused", "no");
    gives(&reading(None, RESET), "reset", "maybe");
    gives(&reading(None, "error: code: 503"), "server-error", "maybe");
    gives(&reading(None, "error: code: 404"), "client-error", "no");
    gives(&reading(None, "error: code: 200"), "bad-reply", "maybe");
    gives(&reading(None, "hello"), "unknown", "maybe");
}

/// curl's exit codes where `time_pretransfer` is 0: the transfer was never about to begin.
#[test]
fn what_curl_was_never_about_to_send_was_not_sent() {
    let curl = |exit_code, pretransfer| Reading {
        exit_code: Some(exit_code),
        pretransfer: Some(pretransfer),
        ..reading(None, "")
    };
    for (exit_code, symptom) in [
        (5, "dns"),
        (6, "dns"),
        (7, "refused"),
        (28, "connect-timeout"),
        (35, "tls"),
        (60, "tls"),
        (98, "tls"),
        (56, "unreachable"),
    ] {
        gives(&curl(exit_code, 0.0), symptom, "no");
    }
    gives(&curl(0, 0.0), "unknown", "maybe");
    gives(&curl(56, 0.1), "unknown", "maybe");
    gives(&Reading { exit_code: Some(56), ..reading(None, "") }, "unknown", "maybe");
    gives(&Reading { texts: Reading::from_text(REFUSED).texts, ..curl(28, 0.0) }, "refused", "no");
    gives(&Reading { texts: Reading::from_text(RESET).texts, ..curl(7, 0.0) }, "refused", "no");
}

#[test]
fn a_no_of_the_last_attempt_is_none_of_the_attempts_before_it() {
    let refused = || Reading { exit_code: Some(7), ..reading(None, REFUSED) };
    gives(&refused(), "refused", "no");
    gives(&Reading { sent: true, ..refused() }, "refused", "maybe");
    gives(&Reading { sent: true, exit_code: Some(22), ..refused() }, "refused", "no");
    gives(&Reading { sent: true, exit_code: None, ..refused() }, "refused", "no");
    gives(&Reading { pretransfer: Some(0.2), ..refused() }, "refused", "maybe");
    gives(&Reading { pretransfer: Some(0.0), ..refused() }, "refused", "no");
    gives(&Reading { repeated: Some("retries"), ..reading(None, REFUSED) }, "refused", "maybe");
    gives(&Reading { repeated: Some("retries"), ..reading(None, RESET) }, "reset", "maybe");
    gives(&Reading { repeated: Some("retries"), ..reading(Some(200), "") }, "ok", "yes");
    gives(&Reading { repeated: Some("retries"), ..reading(Some(404), "") }, "client-error", "maybe");
    gives(&Reading { sent: true, exit_code: Some(28), ..reading(Some(404), "") }, "client-error", "no");
    let mark =
        |mark, text: &'static str| Reading { marks: vec![(mark, Cow::Borrowed(text))], ..reading(Some(404), "") };
    for (text, effect) in [("0", "no"), ("1", "maybe"), ("+3", "maybe"), ("many", "no")] {
        gives(&mark(Mark::Retries, text), "client-error", effect);
    }
    gives(&mark(Mark::ConnectTime, "3"), "client-error", "no");
}

#[test]
fn two_statuses_that_do_not_agree_decide_nothing() {
    gives(&Reading { status: Status::Conflict, ..reading(None, REFUSED) }, "unknown", "maybe");
    gives(&Reading { status: Status::Odd, ..reading(None, REFUSED) }, "refused", "no");
}

#[test]
fn what_decided_is_told() {
    let told = |reading: &Reading| match judge(reading).evidence {
        Evidence::Status(status) => status.to_string(),
        Evidence::Words(words) => words.into_owned(),
        Evidence::Field(field) => format!("field {field}"),
        Evidence::Nothing => String::new(),
    };
    assert_eq!(told(&reading(Some(503), "")), "503");
    assert_eq!(told(&reading(Some(200), RESET)), "Connection reset");
    assert_eq!(told(&Reading { repeated: Some("retries"), ..reading(Some(404), "") }), "status 404; retries");
    assert_eq!(told(&Reading { kind: Some("transport".into()), ..reading(None, "") }), "field kind");
    assert_eq!(told(&reading(None, "hello")), "");
}
