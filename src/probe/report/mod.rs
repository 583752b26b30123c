//! What the user gets to see of a probe, one file per format. Invariant: a report changes no verdict, and what varies
//! from run to run stands in one field.

pub mod json;
pub mod table;
pub mod text;

use std::time::Duration;

use super::run::Run;
use super::runner::Setup;
use super::verdict::RowVerdict;
use crate::terms::figures::Figures;

/// One scenario, judged.
#[derive(Debug)]
pub struct Judged {
    pub setup: Setup,
    pub declared: Figures,
    pub measured: Figures,
    pub verdict: RowVerdict,
    pub run: Run,
}

/// All scenarios of one probe, in declared order.
#[derive(Debug)]
pub struct ProbeReport {
    pub scenarios: Vec<Judged>,
    pub wall: Duration,
    /// How often everything was run.
    pub repeats: u32,
}
