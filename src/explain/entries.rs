//! Every name that reports use, with its meaning, from the registries. Invariant: a name is taken from where it is defined.

use super::page::item;
use super::topics::EXIT_CODES;
use crate::classify::findings::finder::Kind;
use crate::probe::scenario::SCENARIOS;
use crate::proxy::fault_name::FaultName;
use crate::target::checks::CHECKS;
use crate::target::judge::verdict::Verdict;
use crate::terms::outcome::{Action, Effect, Symptom};

/// One name in one sense; a name may have two (`conflict`, `cut`).
pub struct Entry {
    pub name: &'static str,
    /// What it names: `check`, `verdict`.
    pub sense: &'static str,
    /// Whole lines.
    pub text: String,
}

/// All entries, sense by sense.
pub fn entries() -> Vec<Entry> {
    let entry = |sense, name, text: String| Entry { name, sense, text };
    let mut all: Vec<Entry> = CHECKS.iter().map(|check| entry("check", check.name, self::check(check))).collect();
    all.extend(Verdict::ALL.iter().map(|v| entry("verdict of a check", v.name(), v.meaning().to_owned())));
    all.extend(Kind::ALL.iter().map(|k| entry("finding of classify", k.name(), k.meaning().to_owned())));
    all.extend(Symptom::ALL.iter().map(|s| entry("symptom", s.name(), symptom(*s))));
    all.extend(Effect::ALL.iter().map(|e| entry("effect", e.name(), e.meaning().to_owned())));
    all.extend(Action::ALL.iter().map(|a| entry("action", a.name(), a.meaning().to_owned())));
    all.extend(SCENARIOS.iter().map(|s| entry("scenario", s.name, s.teaches.to_owned())));
    all.extend(FaultName::ALL.iter().map(|p| entry("fault of the proxy", p.name(), p.meaning().to_owned())));
    all.extend(EXIT_CODES.iter().map(|(code, meaning)| entry("exit code", code, (*meaning).to_owned())));
    all
}

/// A check as a page shows it.
pub fn check(check: &crate::target::checks::Check) -> String {
    let lines = [("how", check.provokes), ("a finding means", check.means), ("the usual cure", check.cure)];
    lines.map(|(name, text)| item(name, 15, text)).join("\n")
}

/// A symptom with what the retry table says to it.
pub fn symptom(symptom: Symptom) -> String {
    let advice = symptom.advice();
    format!("{} Effect {}, action {}.", symptom.meaning(), advice.effect, advice.action)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_explained() {
        for Entry { name, sense, text } in entries() {
            assert!(text.len() > 10, "the {sense} {name} is not explained: {text:?}");
        }
    }
}
