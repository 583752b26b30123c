//! The JSON document: a row a check. Invariant: names and times that are new in each run are under `run` alone.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;

use super::Report;
use super::timeline::{Step, steps};
use super::tool::ToolVerdict;
use super::transport::Transport;
use crate::target::chaos::schedule::Schedule;
use crate::target::chaos::summary::Summary;
use crate::target::judge::verdict::Verdict;
use crate::target::run::profile::Profile;
use crate::target::run::row::Row;
use crate::terms::figures::Figures;

#[derive(Serialize)]
pub struct Document<'a> {
    tool: &'static str,
    version: &'static str,
    target: Target<'a>,
    /// None where what was probed is not a tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    mcp: Option<ToolVerdict<'a>>,
    checks: Vec<CheckRow<'a>>,
    profile: &'a Profile,
    #[serde(skip_serializing_if = "Option::is_none")]
    chaos: Option<&'a Summary>,
    run: Run<'a>,
}

/// What was probed, and by what means.
#[derive(Serialize)]
struct Target<'a> {
    method: &'a str,
    path: &'a str,
    key: String,
    key_format: String,
    ledger: String,
    /// By name; one needs none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ledgers: Vec<&'a str>,
    intent_at: String,
    receipt_at: &'a str,
    accept: Vec<String>,
    lease_seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    transport: Option<Transport>,
}

#[derive(Serialize)]
struct CheckRow<'a> {
    check: &'a str,
    verdict: Verdict,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    accepted: bool,
    measured: Figures,
    evidence: String,
    timeline: Vec<Step>,
    /// The steps that were drawn, in words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    steps: Vec<String>,
    /// The same to be played again.
    #[serde(skip_serializing_if = "Option::is_none")]
    schedule: Option<&'a Schedule>,
}

/// What varies from run to run.
#[derive(Serialize)]
struct Run<'a> {
    id: &'a str,
    addresses: Vec<String>,
    wall_seconds: f64,
    latency_ms: f64,
    patience_ms: f64,
    requests: u64,
    checks: BTreeMap<&'a str, Varying>,
}

#[derive(Serialize)]
struct Varying {
    seconds: f64,
    /// Begin and end of each step of the time line, since its first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    timeline_ms: Vec<Option<[f64; 2]>>,
    /// The receipts r1, r2, … of the time line.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    receipts: Vec<String>,
    /// The requests of the time line, to repeat by hand.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    curl: Vec<String>,
}

pub fn write(out: &mut dyn Write, report: &Report) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, &report.document())?;
    writeln!(out)
}

impl Report {
    pub fn document(&self) -> Document<'_> {
        let (options, template) = (&self.options, &self.options.template);
        Document {
            tool: "idem",
            version: env!("CARGO_PKG_VERSION"),
            target: Target {
                method: &template.method,
                path: &template.path,
                key: template.key_place.to_string(),
                key_format: template.key_format.to_string(),
                ledger: options.oracle.kinds(),
                ledgers: options.oracle.names(),
                intent_at: options.oracle.intent_at(),
                receipt_at: template.receipt_at.as_deref().unwrap_or("none"),
                accept: options.accept.iter().map(ToString::to_string).collect(),
                lease_seconds: options.lease.as_secs_f64(),
                transport: Transport::of(&options.targets),
            },
            mcp: self.tool(),
            checks: self.rows.iter().map(|row| self.row(row)).collect(),
            profile: &self.profile,
            chaos: self.exploration.as_ref(),
            run: Run {
                id: &self.run,
                addresses: options.targets.iter().map(|target| target.to_string()).collect(),
                wall_seconds: rounded(self.wall.as_secs_f64()),
                latency_ms: rounded(self.latency.as_secs_f64() * 1e3),
                patience_ms: rounded(self.patience.as_secs_f64() * 1e3),
                requests: self.requests,
                checks: self.rows.iter().map(|row| (row.check.name, self.varying(row))).collect(),
            },
        }
    }

    fn row<'a>(&self, row: &'a Row) -> CheckRow<'a> {
        CheckRow {
            check: row.check.name,
            verdict: row.verdict,
            accepted: row.accepted,
            measured: row.figures(),
            evidence: row.evidence.replace(&self.run, "RUN"),
            timeline: row.shown().into_iter().flat_map(steps).map(|step| self.nameless(step)).collect(),
            steps: row.schedule.iter().flat_map(Schedule::words).collect(),
            schedule: row.schedule.as_ref(),
        }
    }

    /// Without this run's id, which servers may echo.
    fn nameless(&self, step: Step) -> Step {
        Step { saw: step.saw.replace(&self.run, "RUN"), ..step }
    }

    fn varying(&self, row: &Row) -> Varying {
        let shown = row.shown();
        let ms = |step: Step| step.span.map(|(a, b)| [a, b].map(|t| rounded(t.as_secs_f64() * 1e3)));
        let to = &self.options.targets[0];
        Varying {
            seconds: rounded(row.elapsed.as_secs_f64()),
            timeline_ms: shown.into_iter().flat_map(steps).map(ms).collect(),
            receipts: shown.into_iter().flat_map(|case| case.receipts()).map(str::to_string).collect(),
            curl: shown.into_iter().flat_map(|case| self.options.template.curls(&case.calls, to)).collect(),
        }
    }
}

/// With three digits after the point.
fn rounded(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}
