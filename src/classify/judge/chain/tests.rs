//! Words against one another: which of several decides.

use super::*;

fn symptom(text: &str) -> Option<Symptom> {
    read(&Reading::from_text(text)).proof.map(|proof| proof.symptom)
}

#[test]
fn a_decisive_inner_cause_beats_a_wrapper() {
    assert_eq!(symptom("error sending request: tcp connect error: Connection refused"), Some(Symptom::Refused));
    assert_eq!(symptom("Connection error.\nCaused by: ReadTimeout"), Some(Symptom::ReadTimeout));
}

#[test]
fn a_decisive_wrapper_beats_an_ambiguous_inner_cause() {
    assert_eq!(symptom("httpx.ConnectTimeout: timed out"), Some(Symptom::ConnectTimeout));
    assert_eq!(symptom("dial tcp 10.0.0.1:80: i/o timeout"), Some(Symptom::ConnectTimeout));
}

#[test]
fn a_reply_outweighs_words_of_never() {
    assert_eq!(symptom("IncompleteRead(40 bytes read), then Connection refused"), Some(Symptom::Truncated));
    assert_eq!(symptom("503 Service Unavailable: connection refused"), Some(Symptom::ServerError));
}

#[test]
fn a_status_in_words_counts_only_as_the_replys() {
    assert_eq!(symptom("Error code: 429"), Some(Symptom::Throttled));
    assert_eq!(symptom("400, message=\"Bad status line\""), Some(Symptom::BadReply));
    assert_eq!(symptom("status code 99999"), None);
}

#[test]
fn a_status_is_looked_for_in_any_letters() {
    for text in ["übermäßig, message=x", "ü, message=x", "äö00, message=x", "日本語, message=x", "é503, message=x"]
    {
        symptom(text);
    }
    assert_eq!(symptom("ü503, message=x"), Some(Symptom::ServerError));
}

#[test]
fn of_errors_beside_one_another_the_one_that_leaves_it_open_counts() {
    let symptom = |second: &str| {
        let mut reading = Reading::from_text("connect ECONNREFUSED ::1:80");
        reading.next_branch();
        reading.texts[0].branch = 1;
        reading.next_branch();
        reading.texts.push(Text { depth: 0, branch: 2, role: Role::Error, text: second.into() });
        read(&reading).proof.map(|proof| proof.symptom)
    };
    assert_eq!(symptom("connect ECONNREFUSED 127.0.0.1:80"), Some(Symptom::Refused));
    assert_eq!(symptom("read ECONNRESET"), Some(Symptom::Reset));
    assert_eq!(symptom("words that nobody knows"), None);
}

#[test]
fn frames_of_a_trace_are_no_evidence() {
    let python =
        "Traceback (most recent call last):\n  File \"a.py\", line 1\n    raise ConnectTimeout(e)\nKeyError: 1";
    assert_eq!(symptom(python), None);
    assert_eq!(symptom("Error: x\n    at connectTimeout (net.js:1)"), None);
}
