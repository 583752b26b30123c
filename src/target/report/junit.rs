//! The report as JUnit: one test case a check. Invariant: `failure` means that the target fell short, `error` that the
//! check could not be carried out or shown.

use std::io::{self, Write};

use super::Report;
use super::timeline::steps;
use crate::target::judge::verdict::Verdict;
use crate::target::run::row::Row;
use crate::text::junit::{self, Kind, Shortfall, TestCase};

pub fn write(out: &mut dyn Write, report: &Report) -> io::Result<()> {
    let cases: Vec<_> = report.rows.iter().map(test_case).collect();
    junit::write(out, &cases, report.wall)
}

fn test_case(row: &Row) -> TestCase {
    let shortfall = kind(row).map(|kind| Shortfall {
        kind,
        verdict: row.verdict.to_string(),
        message: row.evidence.clone(),
        lines: row.shown().into_iter().flat_map(steps).map(|step| step.to_string()).collect(),
    });
    TestCase { name: row.check.name, elapsed: row.elapsed, shortfall }
}

/// None for a check that passed.
fn kind(row: &Row) -> Option<Kind> {
    match row.verdict {
        Verdict::Ok => None,
        Verdict::Skipped => Some(Kind::Skipped),
        Verdict::Unproven | Verdict::Error => Some(Kind::Error),
        _finding if row.accepted => None,
        _finding => Some(Kind::Failure),
    }
}
