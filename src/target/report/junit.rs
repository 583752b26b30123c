//! JUnit XML, as CI servers read it: one test case a check. Invariant: `failure` means that the target fell short,
//! `error` that the check could not be carried out or shown.

use std::io::{self, Write};

use super::Report;
use super::timeline::steps;
use crate::target::judge::verdict::Verdict;
use crate::target::run::row::Row;
use crate::text::xml::escaped;

pub fn write(out: &mut dyn Write, report: &Report) -> io::Result<()> {
    let count = |wanted: fn(&Row) -> bool| report.rows.iter().filter(|row| wanted(row)).count();
    writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
    writeln!(
        out,
        r#"<testsuite name="idem" tests="{}" failures="{}" errors="{}" skipped="{}" time="{:.3}">"#,
        report.rows.len(),
        count(|row| element(row) == Some("failure")),
        count(|row| element(row) == Some("error")),
        count(|row| element(row) == Some("skipped")),
        report.wall.as_secs_f64(),
    )?;
    for row in &report.rows {
        test_case(out, row)?;
    }
    writeln!(out, "</testsuite>")
}

/// What stands in the test case; None for a check that passed.
fn element(row: &Row) -> Option<&'static str> {
    match row.verdict {
        Verdict::Ok => None,
        Verdict::Skipped => Some("skipped"),
        Verdict::Unproven | Verdict::Error => Some("error"),
        _finding if row.accepted => None,
        _finding => Some("failure"),
    }
}

fn test_case(out: &mut dyn Write, row: &Row) -> io::Result<()> {
    let seconds = row.elapsed.as_secs_f64();
    write!(out, r#"  <testcase classname="idem" name="{}" time="{seconds:.3}""#, row.check.name)?;
    let Some(element) = element(row) else { return writeln!(out, "/>") };
    let message = escaped(&row.evidence);
    match element {
        "skipped" => writeln!(out, r#"><skipped message="{message}"/></testcase>"#),
        element => {
            writeln!(out, r#"><{element} type="{}" message="{message}">"#, row.verdict)?;
            for step in row.shown().into_iter().flat_map(steps) {
                writeln!(out, "{}", escaped(&step.to_string()))?;
            }
            writeln!(out, "</{element}></testcase>")
        }
    }
}
