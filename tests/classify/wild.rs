//! Readings that people showed in public threads and vendors on their pages, retyped, with the truth that the thread
//! tells: `maybe` where the request may have been executed, `no` where it was never sent. Never a wrong `no` or `done`.

use serde_json::Value;

use crate::{DATA, classify, objects, verdict};

/// Worst first, as one of several verdicts on a case counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Mark {
    FalseDone,
    FalseSafe,
    NotRead,
    Unknown,
    OverCautious,
    Right,
}

fn mark(truth: &str, verdict: &Value) -> Mark {
    match (truth, verdict["effect"].as_str().unwrap(), verdict["action"].as_str().unwrap()) {
        (_, _, "done") if truth != "yes" => Mark::FalseDone,
        ("maybe" | "yes", "no", _) => Mark::FalseSafe,
        _ if verdict["symptom"] == "unknown" => Mark::Unknown,
        ("no", "maybe", _) => Mark::OverCautious,
        _ => Mark::Right,
    }
}

fn judged(case: &Value) -> Mark {
    let input = case["input"].as_str().unwrap().as_bytes();
    let verdicts = |args: &[&str]| -> Vec<Value> {
        let all = objects(&classify(&[&["--format", "jsonl"], args].concat(), input));
        all.into_iter().filter(|object| object.get("symptom").is_some()).collect()
    };
    let mut said = verdicts(&[]);
    if said.is_empty() && case["form"] == "text" {
        said = verdicts(&["--text"]);
    }
    let truth = case["truth"].as_str().unwrap();
    said.iter().map(|verdict| mark(truth, verdict)).min().unwrap_or(Mark::NotRead)
}

#[test]
fn what_people_showed_is_never_called_safe_or_done_wrongly() {
    let wild = std::fs::read_to_string(format!("{DATA}/wild.jsonl")).unwrap();
    let cases: Vec<Value> = wild.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (first, second) = cases.split_at(cases.len() / 2);
    let marks = |cases: &[Value]| cases.iter().map(judged).collect::<Vec<_>>();
    let marks = std::thread::scope(|scope| {
        let second = scope.spawn(|| marks(second));
        [marks(first), second.join().expect("judging ends")].concat()
    });
    for (case, mark) in cases.iter().zip(&marks) {
        assert!(*mark > Mark::FalseSafe, "{mark:?}: {case}");
    }
    let right = marks.iter().filter(|mark| **mark == Mark::Right).count();
    assert!(right * 10 >= cases.len() * 9, "{right} of {} are right", cases.len());
}

#[test]
fn every_case_names_its_source_and_why_its_truth_is_one() {
    let wild = std::fs::read_to_string(format!("{DATA}/wild.jsonl")).unwrap();
    for line in wild.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        for field in ["source", "family", "form", "input", "truth", "why"] {
            assert!(case[field].as_str().is_some_and(|text| !text.is_empty()), "{field}: {line}");
        }
        assert!(["no", "maybe", "unlikely", "yes"].contains(&case["truth"].as_str().unwrap()), "{line}");
    }
}

#[test]
fn a_long_text_is_not_judged_by_its_half() {
    let filler = "x".repeat(70_000);
    let of = |status: u16, field: &str, words: &str| {
        verdict(&format!(r#"{{"status":{status},"{field}":"{filler} {words}"}}"#))
    };
    assert_ne!(of(200, "msg", "socket hang up").2, "done");
    assert_eq!(of(200, "msg", "all is well").2, "done");
    assert_eq!(of(400, "error", "socket hang up").1, "maybe");
}
