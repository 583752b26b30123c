//! The documents that `idem probe` prints. Invariant: a scenario is judged again from its figures, a check by its verdict;
//! a scenario's own verdict is never looked at.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, de::DeserializeSeed};

use crate::classify::extract::reading::Reading;
use crate::classify::extract::slot::Slot;

/// A document, or a scenario or check by itself.
#[derive(Deserialize)]
pub struct Document<'a> {
    #[serde(borrow, default)]
    scenarios: Vec<Scenario<'a>>,
    #[serde(borrow, default)]
    checks: Vec<Check<'a>>,
    #[serde(borrow)]
    scenario: Option<Cow<'a, str>>,
    #[serde(borrow)]
    check: Option<Cow<'a, str>>,
    declared: Option<Figures>,
    measured: Option<Figures>,
    #[serde(borrow, default)]
    attempts: Vec<Attempt<'a>>,
    #[serde(borrow)]
    verdict: Option<Cow<'a, str>>,
    #[serde(default)]
    accepted: bool,
}

/// What one scenario declares and measured.
#[derive(Deserialize)]
pub struct Scenario<'a> {
    #[serde(borrow)]
    scenario: Cow<'a, str>,
    declared: Option<Figures>,
    measured: Option<Figures>,
    #[serde(borrow, default)]
    attempts: Vec<Attempt<'a>>,
}

/// What one check of a target found.
#[derive(Deserialize)]
struct Check<'a> {
    #[serde(borrow)]
    check: Cow<'a, str>,
    #[serde(borrow)]
    verdict: Cow<'a, str>,
    #[serde(default)]
    accepted: bool,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
struct Figures {
    requests: u64,
    charges: u64,
    unique: u64,
    duplicates: u64,
    lost: u64,
}

struct Attempt<'a>(Reading<'a>);

impl<'de: 'a, 'a> Deserialize<'de> for Attempt<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut reading = Reading::default();
        Slot::whole(&mut reading).deserialize(deserializer)?;
        Ok(Attempt(reading))
    }
}

/// What is wrong with one scenario or check.
#[derive(Debug, PartialEq, Eq)]
pub struct Mismatch {
    pub about: String,
    pub detail: String,
}

impl<'a> Document<'a> {
    /// How many scenarios and checks there are to judge.
    pub fn len(&self) -> usize {
        self.scenarios.len() + self.checks.len() + usize::from(self.single())
    }

    fn single(&self) -> bool {
        (self.scenario.is_some() && (self.declared.is_some() || self.measured.is_some()))
            || (self.check.is_some() && self.verdict.is_some())
    }

    /// The attempts of all scenarios, in their order.
    pub fn attempts(&self) -> impl Iterator<Item = &Reading<'a>> {
        self.scenarios.iter().flat_map(|scenario| &scenario.attempts).chain(&self.attempts).map(|attempt| &attempt.0)
    }

    /// What differs. An error names a scenario that has nothing to be judged by.
    pub fn mismatches(&self) -> Result<Vec<Mismatch>, String> {
        let mut found = Vec::new();
        for scenario in &self.scenarios {
            found.extend(differ(&scenario.scenario, scenario.declared, scenario.measured)?);
        }
        for check in &self.checks {
            found.extend(fails(&check.check, &check.verdict, check.accepted));
        }
        match (&self.scenario, &self.check, &self.verdict) {
            (Some(name), ..) if self.single() => found.extend(differ(name, self.declared, self.measured)?),
            (None, Some(name), Some(verdict)) => found.extend(fails(name, verdict, self.accepted)),
            _ => {}
        }
        Ok(found)
    }
}

fn differ(name: &str, declared: Option<Figures>, measured: Option<Figures>) -> Result<Option<Mismatch>, String> {
    let declared = declared.ok_or_else(|| format!("scenario {name} has no `declared` figures"))?;
    let measured = measured.ok_or_else(|| format!("scenario {name} has no `measured` figures"))?;
    let detail: Vec<String> = [
        ("requests", declared.requests, measured.requests),
        ("charges", declared.charges, measured.charges),
        ("unique", declared.unique, measured.unique),
        ("duplicates", declared.duplicates, measured.duplicates),
        ("lost", declared.lost, measured.lost),
    ]
    .into_iter()
    .filter(|(_, declared, measured)| declared != measured)
    .map(|(figure, declared, measured)| format!("{figure} declared {declared}, measured {measured}"))
    .collect();
    Ok((!detail.is_empty()).then(|| Mismatch { about: name.to_owned(), detail: detail.join("; ") }))
}

fn fails(name: &str, verdict: &str, accepted: bool) -> Option<Mismatch> {
    let fine = accepted || ["ok", "skipped", "accepted"].iter().any(|fine| verdict.eq_ignore_ascii_case(fine));
    (!fine).then(|| Mismatch { about: name.to_owned(), detail: format!("verdict {verdict}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scenario_is_judged_by_its_figures_and_not_by_its_verdict() {
        let document = |charges: u64| {
            format!(
                r#"{{"scenarios":[{{"scenario":"s","verdict":"OK","attempts":[{{"intent":"a","status":200}}],
                "declared":{{"requests":2,"charges":1,"unique":1,"duplicates":0,"lost":0}},
                "measured":{{"requests":2,"charges":{charges},"unique":1,"duplicates":0,"lost":0}}}}]}}"#
            )
        };
        let mismatches = |text: &str| serde_json::from_str::<Document>(text).unwrap().mismatches().unwrap();
        assert_eq!(mismatches(&document(1)), []);
        let expected = Mismatch { about: "s".into(), detail: "charges declared 1, measured 2".into() };
        assert_eq!(mismatches(&document(2)), [expected]);
    }

    #[test]
    fn a_check_must_be_ok_skipped_or_accepted() {
        let text = r#"{"checks":[{"check":"a","verdict":"OK"},{"check":"b","verdict":"SKIPPED"},
            {"check":"c","verdict":"DUPLICATE","accepted":true},{"check":"d","verdict":"LOST"}]}"#;
        let found = serde_json::from_str::<Document>(text).unwrap().mismatches().unwrap();
        assert_eq!(found, [Mismatch { about: "d".into(), detail: "verdict LOST".into() }]);
    }

    #[test]
    fn figures_that_are_missing_are_an_error() {
        let text = r#"{"scenarios":[{"scenario":"s"}]}"#;
        assert!(serde_json::from_str::<Document>(text).unwrap().mismatches().is_err());
    }

    #[test]
    fn each_figure_is_compared_and_all_that_differ_are_told() {
        let figures = |of: [u64; 5]| {
            let [requests, charges, unique, duplicates, lost] = of;
            Some(Figures { requests, charges, unique, duplicates, lost })
        };
        let detail = |measured| {
            let mismatch = differ("s", figures([5, 4, 3, 2, 1]), figures(measured)).unwrap();
            mismatch.map_or(String::new(), |mismatch| mismatch.detail)
        };
        assert_eq!(detail([5, 4, 3, 2, 1]), "");
        assert_eq!(detail([6, 4, 3, 2, 1]), "requests declared 5, measured 6");
        assert_eq!(detail([5, 5, 3, 2, 1]), "charges declared 4, measured 5");
        assert_eq!(detail([5, 4, 4, 2, 1]), "unique declared 3, measured 4");
        assert_eq!(detail([5, 4, 3, 3, 0]), "duplicates declared 2, measured 3; lost declared 1, measured 0");
        let one_sided = [differ("s", figures([0; 5]), None), differ("s", None, figures([0; 5]))];
        assert_eq!(
            one_sided.map(|one| one.unwrap_err()),
            ["scenario s has no `measured` figures", "scenario s has no `declared` figures"]
        );
    }

    #[test]
    fn one_scenario_or_check_may_stand_by_itself() {
        let figures = r#"{"requests":1,"charges":1,"unique":1,"duplicates":0,"lost":0}"#;
        let rows = [
            (format!(r#"{{"scenario":"s","declared":{figures},"measured":{figures}}}"#), 1, Ok(0)),
            (format!(r#"{{"scenario":"s","declared":{figures}}}"#), 1, Err(())),
            (format!(r#"{{"scenario":"s","measured":{figures}}}"#), 1, Err(())),
            (r#"{"scenario":"s"}"#.to_owned(), 0, Ok(0)),
            (r#"{"check":"c","verdict":"LOST"}"#.to_owned(), 1, Ok(1)),
            (r#"{"check":"c","verdict":"LOST","accepted":true}"#.to_owned(), 1, Ok(0)),
            (r#"{"check":"c","verdict":"accepted"}"#.to_owned(), 1, Ok(0)),
            (r#"{"check":"c","verdict":"UNPROVEN"}"#.to_owned(), 1, Ok(1)),
            (r#"{"check":"c"}"#.to_owned(), 0, Ok(0)),
            (r#"{"verdict":"LOST"}"#.to_owned(), 0, Ok(0)),
            (r#"{"checks":[{"check":"c","verdict":"OK"},{"check":"d","verdict":"ERROR"}]}"#.to_owned(), 2, Ok(1)),
        ];
        for (text, len, found) in rows {
            let document = serde_json::from_str::<Document>(&text).unwrap();
            assert_eq!(document.len(), len, "{text}");
            assert_eq!(document.mismatches().map(|found| found.len()).map_err(|_| ()), found, "{text}");
        }
    }
}
