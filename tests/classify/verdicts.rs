//! One verdict on one reading.

use std::path::Path;

use serde_json::Value;

use crate::support::{Ran, idem};
use crate::{DATA, classify, objects, verdict};

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
    assert_eq!(verdict(r#"{"status":201,"error":null,"exit_code":0,"errors":[],"error_type":"","grpc-status":"0","FailedRecordCount":0,"userErrors":[],"resultCode":"Authorised","retry_count":2}"#).1, "yes");
    for trouble in [
        r#""error":"anything""#,
        r#""error":{}"#,
        r#""error_type":"X""#,
        r#""exit_code":18"#,
        r#""level":"error""#,
        r#""success":false"#,
        r#""success":"no""#,
        r#""kind":"bad-reply""#,
        r#""grpc_status":14"#,
        r#""grpc-status":"UNAVAILABLE""#,
        r#""FailedRecordCount":2"#,
        r#""userErrors":[{"message":"x"}]"#,
        r#""resultCode":"Refused""#,
        r#""result":"declined""#,
        r#""body":{"status":"pending"}"#,
        r#""response":{"data":{"orderCreate":{"userErrors":[{"message":"x"}]}}}"#,
        r#""body":{"errors":true}"#,
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

/// The wordings are from the clients' sources and documentation: what each may be called, however it is logged.
#[test]
fn wordings_of_many_clients_are_read_alike_in_every_form() {
    let worded = include_str!("../data/classify/worded.txt");
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

/// The number of an attempt is not a count of others: those have readings of their own.
#[test]
fn a_field_that_counts_other_attempts_leaves_nothing_safe() {
    let of = |fields: &str| verdict(&format!(r#"{{{fields},"error":"connect ECONNREFUSED 10.0.0.1:443"}}"#)).1;
    for fields in [
        r#""attempts":3"#,
        r#""attempts":"2""#,
        r#""attemptsMade":5"#,
        r#""retry_count":1"#,
        r#""retries":2"#,
        r#""$metadata":{"attempts":3,"totalRetryDelay":120}"#,
        r#""exitcode":7,"size_request":200"#,
        r#""exitcode":7,"time_pretransfer":0.01"#,
    ] {
        assert_eq!(of(fields), "maybe", "{fields}");
    }
    for fields in [
        r#""attempts":1"#,
        r#""attempt":2"#,
        r#""retry_count":0"#,
        r#""retries":0"#,
        r#""max_retries":5"#,
        r#""$metadata":{"attempts":1,"totalRetryDelay":0}"#,
        r#""exitcode":7,"size_request":0,"time_pretransfer":0"#,
    ] {
        assert_eq!(of(fields), "no", "{fields}");
    }
}

#[test]
fn words_that_tell_of_other_attempts_leave_nothing_safe() {
    for (effect, text) in [
        ("maybe", r#"Post "https://x": EOF, Post "https://x": dial tcp 10.0.0.1:443: connect: connection refused"#),
        ("maybe", "error: read ECONNRESET, error: connect ECONNREFUSED 10.0.0.1:443"),
        ("maybe", "failed after 3 attempts: connect ECONNREFUSED 10.0.0.1:443"),
        ("no", "failed after 1 attempt: connect ECONNREFUSED 10.0.0.1:443"),
        ("no", "failed after 30 s: connect ECONNREFUSED 10.0.0.1:443"),
        ("no", "AggregateError [ECONNREFUSED]: connect ECONNREFUSED ::1:443; connect ECONNREFUSED 127.0.0.1:443"),
        ("maybe", "HTTPError: 400 Bad Request\n    File already exists ('x.whl')"),
        ("maybe", "Error: code: 400, message: Connection refused: /127.0.0.1:80"),
    ] {
        assert_eq!(verdict(&serde_json::json!({ "error": text }).to_string()).1, effect, "{text}");
    }
    // Go sends a request with a key again by itself (net/http, isReplayable).
    let dial = r#""error":"Post \"https://x\": dial tcp 10.0.0.1:443: connect: connection refused""#;
    assert_eq!(verdict(&format!("{{{dial}}}")).1, "no");
    assert_eq!(verdict(&format!(r#"{{"key":"k",{dial}}}"#)).1, "maybe");
}
