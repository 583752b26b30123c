//! What the user gets to see of a probe, one file per format. Invariant: a report changes no verdict, and what varies
//! from run to run stands in one field.

pub mod html;
pub mod json;
pub mod junit;
pub mod markdown;
pub mod table;
pub mod text;

use std::io;
use std::time::Duration;

use super::run::Run;
use super::runner::Setup;
use super::verdict::RowVerdict;
use crate::console::github::{Level, annotate, is_here, summarise};
use crate::console::report_files::ReportFormat;
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
    /// Those that could not be run, by name, and why.
    pub failed: Vec<(&'static str, String)>,
    pub wall: Duration,
    /// How often everything was run.
    pub repeats: u32,
}

impl ProbeReport {
    /// In a line. What could not be run is not as declared.
    pub fn headline(&self) -> String {
        let right = self.scenarios.iter().filter(|judged| judged.verdict == RowVerdict::Ok).count();
        format!("{right} of {} scenarios as declared", self.scenarios.len() + self.failed.len())
    }
}

/// What is written, as a text.
fn written(write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> io::Result<String> {
    let mut text = Vec::new();
    write(&mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// What `--report` writes of the scenarios. They are not findings in anybody's code, so SARIF is of a target.
pub const FORMATS: &[ReportFormat<ProbeReport>] = &[
    ReportFormat {
        ending: "json",
        about: "the document that --format json prints and --baseline reads",
        render: |report| written(|out| json::write(out, report)),
    },
    ReportFormat {
        ending: "xml",
        about: "JUnit, as CI servers read it: one test case a scenario",
        render: |report| written(|out| junit::write(out, report)),
    },
    ReportFormat {
        ending: "md",
        about: "the table as Markdown, with what each row teaches",
        render: |report| Ok(markdown::page(report)),
    },
    ReportFormat {
        ending: "html",
        about: "the table as a page for people; no scripts, nothing from elsewhere",
        render: |report| Ok(html::page(report)),
    },
];

/// Tells a workflow on GitHub which rows are not as declared.
pub fn tell_github(report: &ProbeReport) {
    if !is_here() {
        return;
    }
    for judged in report.scenarios.iter().filter(|judged| judged.verdict == RowVerdict::Mismatch) {
        annotate(Level::Error, judged.setup.scenario.name, &format!("{}{}", judged.verdict, table::difference(judged)));
    }
    summarise(&markdown::page(report));
}
