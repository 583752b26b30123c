//! Every check passes on what is in use and fails on a broken one.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::Value;

use super::checks::checks;
use super::subject::*;
use crate::probe::scenario::{Count, Declared, SCENARIOS, Scenario};
use crate::probe::verdict::RowVerdict;
use crate::reconcile::tally::Totals;
use crate::server::policy::Policy;
use crate::terms::canonical::{Defect, NotCanonical, canonical};
use crate::terms::dedup_window::Retries;
use crate::terms::figures::Figures;
use crate::terms::intent::{KeyMode, attempt_key, intent_key};
use crate::terms::outcome::{Action, Advice, Effect, Symptom};

/// The names of the checks that this subject fails.
fn failed(subject: &Subject) -> BTreeSet<&'static str> {
    checks().filter(|check| (check.run)(subject).is_err()).map(|check| check.name).collect()
}

/// The checks that were seen to fail.
struct Seen(BTreeSet<&'static str>);

impl Seen {
    #[track_caller]
    fn fails(&mut self, names: &[&'static str], broken: Subject) {
        let failed = failed(&broken);
        for name in names {
            assert!(failed.contains(name), "{name} passes, only {failed:?} fail");
        }
        self.0.extend(names);
    }
}

#[test]
fn every_check_can_fail() {
    let mut seen = Seen(BTreeSet::new());
    a_broken_canonical_form_is_seen(&mut seen);
    a_broken_key_is_seen(&mut seen);
    a_broken_reconciliation_is_seen(&mut seen);
    a_wrong_status_is_seen(&mut seen);
    any_changed_row_of_the_retry_table_is_seen(&mut seen);
    a_broken_window_rule_is_seen(&mut seen);
    a_window_declared_otherwise_is_seen(&mut seen);
    any_changed_declared_figure_is_seen(&mut seen);
    a_verdict_that_overlooks_a_figure_is_seen(&mut seen);
    assert_eq!(seen.0, checks().map(|check| check.name).collect());
}

#[test]
fn what_is_in_use_passes_all_31() {
    assert_eq!(checks().count(), 31);
    assert_eq!(checks().map(|check| check.name).collect::<BTreeSet<_>>().len(), 31);
    assert_eq!(failed(&IN_USE), BTreeSet::new());
}

/// A plausible canonical form in another language: a parsed value, written again.
fn reprinted(json: &str) -> Result<String, NotCanonical> {
    let value: Value = serde_json::from_str(json)
        .map_err(|error| NotCanonical { pointer: String::new(), defect: Defect::Syntax(error.to_string()) })?;
    Ok(value.to_string())
}

/// Keys in the order of UTF-16, as in RFC 8785.
fn by_utf16(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(key, _)| key.encode_utf16().collect::<Vec<_>>());
            let written =
                members.iter().map(|(key, value)| format!("{}:{}", Value::from(key.as_str()), by_utf16(value)));
            format!("{{{}}}", written.collect::<Vec<_>>().join(","))
        }
        other => other.to_string(),
    }
}

fn a_broken_canonical_form_is_seen(seen: &mut Seen) {
    let with = |canonical| Subject { canonical, ..IN_USE };
    seen.fails(&["canonical-sorts-keys"], with(&|json| Ok(json.to_owned())));
    seen.fails(
        &["canonical-sorts-by-utf8-bytes"],
        with(&|json| Ok(by_utf16(&serde_json::from_str(json).unwrap_or(Value::Null)))),
    );
    let reprinting =
        ["canonical-trims-keys-and-values", "canonical-takes-64-bit-integers-alone", "canonical-refuses-equal-keys"];
    seen.fails(&reprinting, with(&reprinted));
    seen.fails(&["canonical-drops-insignificant-space"], with(&|json| Ok(canonical(json)?.replace(',', ", "))));
    let ascii = |json: &str| -> Result<String, NotCanonical> {
        let escape = |c: char| if c.is_ascii() { c.to_string() } else { format!("\\u{:04x}", u32::from(c)) };
        Ok(canonical(json)?.chars().map(escape).collect())
    };
    seen.fails(&["canonical-escapes-only-what-json-requires"], with(&ascii));
    seen.fails(&["canonical-keeps-case-and-width"], with(&|json| Ok(canonical(json)?.to_lowercase())));
    seen.fails(&["canonical-is-its-own-canonical-form"], with(&|json| Ok(canonical(json)?.replace("  ", " "))));
}

fn a_broken_key_is_seen(seen: &mut Seen) {
    let with = |intent_key| Subject { intent_key, ..IN_USE };
    seen.fails(&["key-is-the-published-vector"], with(&|json| Ok(intent_key(json)?.to_uppercase())));
    seen.fails(&["key-ignores-how-the-intent-is-written"], with(&|json| intent_key(&json.replace(' ', "_"))));
    seen.fails(&["key-tells-intents-apart"], with(&|_| Ok("cabfa4ea11ff07d1".to_owned())));

    let with = |sent_key| Subject { sent_key, ..IN_USE };
    let mode = "key-mode-stable-keeps-it-none-sends-none";
    seen.fails(&[mode], with(&|_, intent, attempt| attempt_key(&intent.body(), attempt).ok()));
    seen.fails(&[mode], with(&|_, intent, _| KeyMode::Stable.key(intent, 1)));
    seen.fails(&["key-mode-per-attempt-changes-it"], with(&|mode, intent, _| mode.key(intent, 1)));
}

fn a_broken_reconciliation_is_seen(seen: &mut Seen) {
    let with = |reconcile| Subject { reconcile, ..IN_USE };
    let names = ["reconcile-counts-charges-beyond-the-first", "reconcile-is-not-fooled-by-a-balance"];
    seen.fails(&names, with(&|expected, charges| Totals { duplicates: 0, ..tallied(expected, charges) }));
    // Net figures, in which a duplicate and a loss cancel out.
    let net = |expected: &[&str], charges: &[&str]| {
        let duplicates = charges.len().saturating_sub(expected.len()) as u64;
        let lost = expected.len().saturating_sub(charges.len()) as u64;
        Totals { duplicates, lost, ..tallied(expected, charges) }
    };
    seen.fails(&["reconcile-is-not-fooled-by-a-balance"], with(&net));
    let names = ["reconcile-counts-expected-without-a-charge"];
    seen.fails(&names, with(&|expected, charges| Totals { lost: 0, ..tallied(expected, charges) }));
    let names = ["reconcile-counts-charged-but-not-expected"];
    seen.fails(&names, with(&|expected, charges| Totals { unexpected: 0, ..tallied(expected, charges) }));
    let names = ["reconcile-clean-is-once-each"];
    seen.fails(&names, with(&|expected, charges| tallied(expected, &charges[1..charges.len().max(1)])));
}

fn a_wrong_status_is_seen(seen: &mut Seen) {
    for status in [200, 302, 404, 408, 409, 425, 429, 499, 503, 100, 600] {
        let symptom = |asked| if asked == status { Symptom::Unknown } else { Symptom::of_status(asked) };
        seen.fails(&["retry-reads-each-status"], Subject { symptom: &symptom, ..IN_USE });
    }
}

/// No row of the retry table can change unseen, nor either half of it.
fn any_changed_row_of_the_retry_table_is_seen(seen: &mut Seen) {
    for changed in Symptom::ALL.iter().copied() {
        let right = changed.advice();
        let effects = Effect::ALL.iter().map(|effect| Advice { effect: *effect, ..right });
        let actions = Action::ALL.iter().map(|action| Advice { action: *action, ..right });
        for wrong in effects.chain(actions).filter(|advice| *advice != right) {
            let advice = |symptom: Symptom| if symptom == changed { wrong } else { symptom.advice() };
            let failed = failed(&Subject { advice: &advice, ..IN_USE });
            assert_eq!(failed.len(), 1, "{changed} with {wrong:?}: {failed:?}");
            seen.0.extend(failed);
        }
    }
}

fn a_broken_window_rule_is_seen(seen: &mut Seen) {
    let with = |covers| Subject { covers, ..IN_USE };
    let name = ["window-must-cover-the-retry-span"];
    // The rule of thumb that leaves out that each attempt but the last may time out.
    seen.fails(
        &name,
        with(&|window, retries: &Retries| window >= retries.backoff * retries.attempts + retries.timeout),
    );
    let one_more =
        |window, retries: &Retries| Retries { attempts: retries.attempts + 1, ..*retries }.are_covered_by(window);
    seen.fails(&name, with(&one_more));
    let never_late = |window, retries: &Retries| Retries { late: Duration::ZERO, ..*retries }.are_covered_by(window);
    seen.fails(&name, with(&never_late));
    seen.fails(&name, with(&|window, retries: &Retries| window > retries.last_arrival()));
    seen.fails(&["window-too-short-is-declared-to-duplicate"], with(&|_, _| true));
}

/// The scenarios with one row replaced.
fn with_row(at: usize, row: Scenario) -> Vec<Scenario> {
    let copied =
        |(index, other): (usize, &Scenario)| if index == at { Scenario { ..row } } else { Scenario { ..*other } };
    SCENARIOS.iter().enumerate().map(copied).collect()
}

fn a_window_declared_otherwise_is_seen(seen: &mut Seen) {
    let at = SCENARIOS.iter().position(|scenario| scenario.name == "ttl_shorter_than_backoff").unwrap();
    let name = ["window-too-short-is-declared-to-duplicate"];
    let window = Duration::from_secs(60);
    let long = with_row(at, Scenario { policy: Policy::KeyTtl { window }, ..SCENARIOS[at] });
    seen.fails(&name, Subject { scenarios: &long, ..IN_USE });
    let clean = Declared { duplicates: Count::Fixed(0), ..SCENARIOS[at].declared };
    let clean = with_row(at, Scenario { declared: clean, ..SCENARIOS[at] });
    seen.fails(&name, Subject { scenarios: &clean, ..IN_USE });
    seen.fails(&name, Subject { scenarios: &[], ..IN_USE });
}

fn any_changed_declared_figure_is_seen(seen: &mut Seen) {
    for (at, scenario) in SCENARIOS.iter().enumerate() {
        let declared = scenario.declared;
        let more = |count: Count| Count::Fixed(count.of(scenario.intents) + 1);
        for changed in [
            Declared { requests: more(declared.requests), ..declared },
            Declared { charges: more(declared.charges), ..declared },
            Declared { unique: more(declared.unique), ..declared },
            Declared { duplicates: more(declared.duplicates), ..declared },
            Declared { lost: more(declared.lost), ..declared },
        ] {
            let rows = with_row(at, Scenario { declared: changed, ..*scenario });
            let name = if scenario.of_the_ten { "rows-are-the-ten-published-ones" } else { "rows-add-up-at-any-size" };
            seen.fails(&[name], Subject { scenarios: &rows, ..IN_USE });
        }
    }
}

fn a_verdict_that_overlooks_a_figure_is_seen(seen: &mut Seen) {
    let name = ["rows-are-judged-by-every-figure"];
    let with = |verdict| Subject { verdict, ..IN_USE };
    seen.fails(&name, with(&|a, b| RowVerdict::of(&Figures { requests: 0, ..*a }, &Figures { requests: 0, ..*b })));
    seen.fails(&name, with(&|a, b| RowVerdict::of(&Figures { charges: 0, ..*a }, &Figures { charges: 0, ..*b })));
    seen.fails(&name, with(&|a, b| RowVerdict::of(&Figures { unique: 0, ..*a }, &Figures { unique: 0, ..*b })));
    seen.fails(&name, with(&|a, b| RowVerdict::of(&Figures { duplicates: 0, ..*a }, &Figures { duplicates: 0, ..*b })));
    seen.fails(&name, with(&|a, b| RowVerdict::of(&Figures { lost: 0, ..*a }, &Figures { lost: 0, ..*b })));
    seen.fails(&name, with(&|_, _| RowVerdict::Mismatch));
}
