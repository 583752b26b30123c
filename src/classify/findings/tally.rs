//! The counts of the summary. Invariant: every verdict, finding and refusal is counted exactly once.

use super::finder::Kind;
use crate::classify::judge::verdict::Verdict;
use crate::terms::outcome::{Action, Symptom};

/// Counts by action, symptom and finding.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    actions: [u64; Action::ALL.len()],
    symptoms: [u64; Symptom::ALL.len()],
    findings: [u64; Kind::ALL.len()],
    scenarios: u64,
    malformed: u64,
    other: u64,
    mapped: Vec<(String, u64)>,
}

impl Tally {
    pub fn verdict(&mut self, verdict: &Verdict) {
        self.symptoms[verdict.symptom as usize] += 1;
        self.actions[verdict.advice.action as usize] += 1;
    }

    pub fn finding(&mut self, kind: Kind) {
        self.findings[kind as usize] += 1;
    }

    /// So many scenarios and checks were judged.
    pub fn judged(&mut self, scenarios: usize) {
        self.scenarios += scenarios as u64;
    }

    pub fn refused(&mut self) {
        self.malformed += 1;
    }

    /// So many lines tell of no call.
    pub fn other(&mut self, lines: u64) {
        self.other += lines;
    }

    /// A name that was asked for (`--intent-field`) was used so often.
    pub fn mapped(&mut self, name: &str, used: u64) {
        self.mapped.push((name.to_owned(), used));
    }

    pub fn other_lines(&self) -> u64 {
        self.other
    }

    pub fn names(&self) -> &[(String, u64)] {
        &self.mapped
    }

    pub fn readings(&self) -> u64 {
        self.symptoms.iter().sum()
    }

    pub fn scenarios(&self) -> u64 {
        self.scenarios
    }

    pub fn malformed(&self) -> u64 {
        self.malformed
    }

    pub fn unknown(&self) -> u64 {
        self.symptoms[Symptom::Unknown as usize]
    }

    pub fn actions(&self) -> impl Iterator<Item = (&'static str, u64)> {
        Action::ALL.iter().map(|action| (action.name(), self.actions[*action as usize]))
    }

    pub fn symptoms(&self) -> impl Iterator<Item = (&'static str, u64)> {
        Symptom::ALL.iter().map(|symptom| (symptom.name(), self.symptoms[*symptom as usize]))
    }

    pub fn findings(&self) -> impl Iterator<Item = (Kind, u64)> {
        Kind::ALL.iter().map(|kind| (*kind, self.findings[*kind as usize]))
    }

    /// Whether a finding fails the run; a warning does only if it is told to.
    pub fn fails(&self, strict: bool) -> bool {
        self.findings().any(|(kind, count)| count > 0 && (strict || !kind.is_warning()))
    }
}
