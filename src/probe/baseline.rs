//! An earlier document to compare with. Invariant: everything counts but `run`, `version` and what did not run now.

use std::path::Path;

use anyhow::{Context, bail};
use serde_json::{Map, Value};

use crate::console::output::say;
use crate::terms::exit::Exit;

/// The rows of an earlier run by their names.
#[derive(Debug)]
pub struct Baseline {
    rows: Map<String, Value>,
}

impl Baseline {
    /// Errors: the file cannot be read, is not JSON, or is not a document of `idem probe --format json`.
    fn read(path: &Path) -> anyhow::Result<Baseline> {
        let place = || format!("baseline {}", path.display());
        let text = std::fs::read(path).with_context(place)?;
        let document = serde_json::from_slice(&text).map_err(|error| {
            anyhow::anyhow!(
                "{}: not the JSON document ({error}); make it with `idem probe --format json > {}`",
                place(),
                path.display()
            )
        })?;
        Ok(Baseline { rows: rows(&document).with_context(place)? })
    }

    /// The baseline that was asked for, if one was; the exit code where it holds nothing to compare with.
    ///
    /// # Errors
    /// As [`Baseline::read`].
    pub fn asked_for(path: Option<&Path>) -> anyhow::Result<Result<Option<Baseline>, Exit>> {
        let baseline = path.map(Baseline::read).transpose()?;
        if baseline.as_ref().is_some_and(|baseline| baseline.rows.is_empty()) {
            say!("idem: nothing to compare with: the baseline holds no row");
            return Ok(Err(Exit::ZeroInput));
        }
        Ok(Ok(baseline))
    }

    /// Says what differs on standard error; any difference is a finding.
    pub fn compare(&self, now: &Value) -> Exit {
        let differences = self.differences(now);
        for difference in &differences {
            say!("idem: differs from the baseline: {difference}");
        }
        if differences.is_empty() { Exit::Ok } else { Exit::Finding }
    }

    /// What differs, a line each: `race_racy /measured/duplicates: was 10, is 9`. None of it when all is the same.
    fn differences(&self, now: &Value) -> Vec<String> {
        let mut differences = Vec::new();
        for (name, is) in rows(now).expect("our own document is well formed") {
            match self.rows.get(&name) {
                Some(was) => compare(&name, "", was, &is, &mut differences),
                None => differences.push(format!("{name}: not in the baseline")),
            }
        }
        differences
    }
}

/// The rows of a document, each by its name: `scenarios` of the ten, or `checks` of a target.
fn rows(document: &Value) -> anyhow::Result<Map<String, Value>> {
    let kinds = [("scenarios", "scenario"), ("checks", "check")];
    let Some((rows, name)) = kinds.into_iter().find_map(|(rows, name)| Some((document.get(rows)?.as_array()?, name)))
    else {
        bail!("no array `scenarios` or `checks`; give a file made by `idem probe --format json`");
    };
    let named = rows.iter().enumerate().map(|(index, row)| match row.get(name).and_then(Value::as_str) {
        Some(text) if name == "check" => Ok((text.to_owned(), judged(row))),
        Some(text) => Ok((text.to_owned(), row.clone())),
        None => bail!("row {} has no `{name}`", index + 1),
    });
    named.collect()
}

/// What a server that does not change gives again: its verdicts. How often it was asked, and when it answered, follows
/// from its timing.
fn judged(row: &Value) -> Value {
    let accepted = row.get("accepted").and_then(Value::as_bool).unwrap_or(false);
    serde_json::json!({ "verdict": row.get("verdict"), "accepted": accepted })
}

fn compare(row: &str, at: &str, was: &Value, is: &Value, differences: &mut Vec<String>) {
    match (was, is) {
        (Value::Object(was), Value::Object(is)) => {
            let gone = was.keys().filter(|name| !is.contains_key(*name));
            differences.extend(gone.map(|name| format!("{row} {at}/{name}: is gone")));
            for (name, is) in is {
                match was.get(name) {
                    Some(was) => compare(row, &format!("{at}/{name}"), was, is, differences),
                    None => differences.push(format!("{row} {at}/{name}: is new")),
                }
            }
        }
        (Value::Array(was), Value::Array(is)) if was.len() == is.len() => {
            for (index, (was, is)) in was.iter().zip(is).enumerate() {
                compare(row, &format!("{at}/{index}"), was, is, differences);
            }
        }
        (Value::Array(was), Value::Array(is)) => {
            differences.push(format!("{row} {at}: had {} items, has {}", was.len(), is.len()));
        }
        (was, is) if was != is => differences.push(format!("{row} {at}: was {was}, is {is}")),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn differences(was: Value, is: Value) -> Vec<String> {
        let row =
            |figures: Value| json!({"scenarios": [{"scenario": "s", "measured": figures}], "run": {"x": figures}});
        Baseline { rows: rows(&row(was)).unwrap() }.differences(&row(is))
    }

    #[test]
    fn names_the_place_of_each_difference() {
        assert_eq!(differences(json!({"lost": 0}), json!({"lost": 0})), Vec::<String>::new());
        assert_eq!(differences(json!({"lost": 0}), json!({"lost": 1})), ["s /measured/lost: was 0, is 1"]);
        assert_eq!(differences(json!({}), json!({"lost": 1})), ["s /measured/lost: is new"]);
        assert_eq!(differences(json!({"lost": 1}), json!({})), ["s /measured/lost: is gone"]);
        assert_eq!(differences(json!([1]), json!([1, 2])), ["s /measured: had 1 items, has 2"]);
    }

    #[test]
    fn of_a_check_only_the_verdict_counts() {
        let row = |verdict: &str, requests: u64| {
            let measured = json!({"requests": requests});
            json!({"checks": [{"check": "c", "verdict": verdict, "measured": measured}]})
        };
        let baseline = Baseline { rows: rows(&row("OK", 1)).unwrap() };
        assert_eq!(baseline.differences(&row("OK", 2)), Vec::<String>::new());
        assert_eq!(baseline.differences(&row("LOST", 1)), [r#"c /verdict: was "OK", is "LOST""#]);
    }

    #[test]
    fn a_row_that_is_not_in_the_baseline_differs() {
        let now = json!({"scenarios": [{"scenario": "new"}]});
        let baseline = Baseline { rows: rows(&json!({"scenarios": []})).unwrap() };
        assert!(baseline.rows.is_empty());
        assert_eq!(baseline.differences(&now), ["new: not in the baseline"]);
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn any_bytes_are_survived(bytes in crate::text::fragments::bytes()) {
            let file = tempfile::NamedTempFile::new().unwrap();
            std::fs::write(file.path(), &bytes).unwrap();
            if let Err(error) = Baseline::read(file.path()) {
                let words = format!("{error:#}");
                proptest::prop_assert!(words.starts_with("baseline /"), "{}", words);
            }
        }
    }
}
