//! The JSON detail: one document, a line a scenario. Invariant: without its field `run` two runs give the same bytes.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::json;

use super::{Judged, ProbeReport};
use crate::probe::attempt::ReadAttempt;
use crate::probe::verdict::RowVerdict;
use crate::server::ledger::Charge;
use crate::terms::figures::Figures;

#[derive(Serialize)]
struct Scenario<'a> {
    scenario: &'a str,
    policy: &'a str,
    key: &'a str,
    declared: Figures,
    measured: Figures,
    verdict: RowVerdict,
    attempts: &'a [ReadAttempt],
    ledger: &'a [Charge],
}

pub fn write(out: &mut dyn Write, report: &ProbeReport) -> io::Result<()> {
    writeln!(out, "{{\"tool\":\"idem\",\"version\":\"{}\",\"scenarios\":[", env!("CARGO_PKG_VERSION"))?;
    for (index, judged) in report.scenarios.iter().enumerate() {
        if index > 0 {
            writeln!(out, ",")?;
        }
        out.write_all(&row(judged)?)?;
    }
    writeln!(out, "\n],\"run\":{}}}", varying(report))
}

/// What must be the same in every run of a scenario.
pub fn row(judged: &Judged) -> serde_json::Result<Vec<u8>> {
    serde_json::to_vec(&scenario(judged))
}

fn scenario(judged: &Judged) -> Scenario<'_> {
    Scenario {
        scenario: judged.setup.scenario.name,
        policy: judged.setup.policy.name(),
        key: judged.setup.scenario.key.name(),
        declared: judged.declared,
        measured: judged.measured,
        verdict: judged.verdict,
        attempts: &judged.run.attempts,
        ledger: &judged.run.charges,
    }
}

/// What varies from run to run: seconds, milliseconds, ports. Latencies stand in the order of the attempts.
fn varying(report: &ProbeReport) -> serde_json::Value {
    let scenarios = report.scenarios.iter().map(|judged| {
        let latencies = judged.run.attempts.iter().map(|attempt| rounded(attempt.elapsed.as_secs_f64() * 1e3));
        json!({
            "scenario": judged.setup.scenario.name,
            "port": judged.run.port,
            "seconds": rounded(judged.run.elapsed.as_secs_f64()),
            "latency_ms": latencies.collect::<Vec<_>>(),
        })
    });
    json!({
        "wall_seconds": rounded(report.wall.as_secs_f64()),
        "repeats": report.repeats,
        "scenarios": scenarios.collect::<Vec<_>>(),
    })
}

/// With three digits after the point.
fn rounded(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}
