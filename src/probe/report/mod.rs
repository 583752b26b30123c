//! What the user gets to see of a probe, one file per format. Invariant: a report changes no verdict, and what varies
//! from run to run stands in one field.

pub mod json;
pub mod table;
pub mod text;

use std::time::Duration;

use super::run::Run;
use super::trial::Setup;
use super::verdict::Verdict;
use crate::terms::figures::Figures;

/// One scenario, judged.
#[derive(Debug)]
pub struct Judged {
    pub setup: Setup,
    pub declared: Figures,
    pub measured: Figures,
    pub verdict: Verdict,
    pub run: Run,
}

/// All scenarios of one probe, in declared order.
#[derive(Debug)]
pub struct Report {
    pub scenarios: Vec<Judged>,
    pub wall: Duration,
    /// How often everything was run.
    pub repeats: u32,
}
