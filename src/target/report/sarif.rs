//! SARIF 2.1.0 (OASIS), as code scanning reads it: a check is a rule, a finding a result. Invariant: a result is a proven
//! finding; what could not be shown is a notification of the run, and what the user accepted is a suppressed result.

use std::io;

use serde_json::{Value, json};

use super::timeline::Step;
use super::view::{Line, View};
use crate::explain::entries;
use crate::target::judge::verdict::Verdict;

/// Errors: it cannot be written as JSON.
pub fn document(view: &View) -> io::Result<String> {
    let findings = view.rows.iter().enumerate().filter(|(_, line)| line.row.verdict.is_finding());
    let unshown = view.rows.iter().filter(|line| matches!(line.row.verdict, Verdict::Unproven | Verdict::Error));
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "idem",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": view.rows.iter().map(rule).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "invocations": [{
                "executionSuccessful": view.rows.iter().all(|line| line.row.verdict != Verdict::Error),
                "exitCode": view.report.exit().code(),
                "toolExecutionNotifications": unshown.map(notification).collect::<Vec<_>>(),
            }],
            "results": findings.map(|(n, line)| result(n, line, view)).collect::<Vec<_>>(),
        }],
    });
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}

fn rule(line: &Line) -> Value {
    let check = line.row.check;
    json!({
        "id": check.name,
        "shortDescription": {"text": check.provokes},
        "fullDescription": {"text": check.means},
        "help": {"text": entries::check(check)},
        "defaultConfiguration": {"level": "error"},
        "properties": {"tags": ["idempotency"]},
    })
}

fn result(rule: usize, line: &Line, view: &View) -> Value {
    let check = line.row.check;
    let mut result = json!({
        "ruleId": check.name,
        "ruleIndex": rule,
        "kind": "fail",
        "level": "error",
        "message": {"text": message(line)},
        "locations": [location(view)],
        // The same finding of a later run is the same alert.
        "partialFingerprints": {"checkAndVerdict/v1": format!("{}:{}", check.name, line.row.verdict)},
        "properties": {
            "verdict": line.row.verdict,
            "measured": line.row.figures(),
            "curl": line.shown.iter().flat_map(|shown| &shown.curl).collect::<Vec<_>>(),
        },
    });
    if line.row.accepted {
        result["suppressions"] = json!([{"kind": "external", "justification": "declared by --accept"}]);
    }
    result
}

/// A target has no source file: its address stands for one, and since readers ask for a line, it has one.
fn location(view: &View) -> Value {
    let (options, template) = (&view.report.options, &view.report.options.template);
    let path = view.report.masked(&template.path);
    json!({
        "physicalLocation": {
            "artifactLocation": {"uri": options.targets[0].url(&uri(&path))},
            "region": {"startLine": 1},
        },
        "logicalLocations": [{"fullyQualifiedName": format!("{} {path}", template.method), "kind": "resource"}],
    })
}

/// A path as RFC 3986 (3.3, 3.4) lets it stand; the mask's asterisks may.
fn uri(path: &str) -> String {
    let stands = |b: u8| b.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@/?%".contains(&b);
    path.bytes().map(|b| if stands(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}

fn message(line: &Line) -> String {
    let check = line.row.check;
    let mut text = format!("{}: {}. Usual cure: {}.", line.row.verdict, line.said, check.cure);
    if let Some(shown) = &line.shown {
        text += &format!("\n\nTime line ({}):\n", shown.label);
        text += &shown.steps.iter().map(Step::line).collect::<Vec<_>>().join("\n");
    }
    text
}

fn notification(line: &Line) -> Value {
    json!({
        "level": if line.row.verdict == Verdict::Error { "error" } else { "warning" },
        "message": {"text": format!("{} {}: {}", line.row.check.name, line.row.verdict, line.said)},
        "associatedRule": {"id": line.row.check.name},
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_a_uri_whatever_is_in_it() {
        assert_eq!(uri("/a b/{c}?d=é"), "/a%20b/%7Bc%7D?d=%C3%A9");
    }
}
