//! The scenarios as JUnit: one test case each. Invariant: `failure` means that a scenario did not read as declared, `error`
//! that it could not be run.

use std::io::{self, Write};
use std::time::Duration;

use super::table::difference;
use super::{Judged, ProbeReport, text};
use crate::probe::verdict::RowVerdict;
use crate::text::junit::{self, Kind, Shortfall, TestCase};

pub fn write(out: &mut dyn Write, report: &ProbeReport) -> io::Result<()> {
    let mut cases = report.scenarios.iter().map(test_case).collect::<io::Result<Vec<_>>>()?;
    cases.extend(report.failed.iter().map(|(name, why)| TestCase {
        name,
        elapsed: Duration::ZERO,
        shortfall: Some(Shortfall {
            kind: Kind::Error,
            verdict: "ERROR".into(),
            message: why.clone(),
            lines: Vec::new(),
        }),
    }));
    junit::write(out, &cases, report.wall)
}

fn test_case(judged: &Judged) -> io::Result<TestCase> {
    let shortfall = match judged.verdict {
        RowVerdict::Ok => None,
        RowVerdict::Mismatch => {
            let mut told = Vec::new();
            text::write(&mut told, std::slice::from_ref(judged))?;
            Some(Shortfall {
                kind: Kind::Failure,
                verdict: judged.verdict.to_string(),
                message: difference(judged).trim().to_owned(),
                lines: String::from_utf8_lossy(&told).lines().map(str::to_owned).collect(),
            })
        }
    };
    Ok(TestCase { name: judged.setup.scenario.name, elapsed: judged.run.elapsed, shortfall })
}
