//! What the user gets to see of a probe, one file per format. Invariant: a report changes no verdict, and what varies
//! from run to run stands in one field.

pub mod json;
pub mod table;
pub mod text;

use std::time::Duration;

use crate::reading::Figures;
use crate::run::Run;
use crate::trial::Setup;
use crate::verdict::Verdict;

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
