//! JUnit XML, as CI servers read it. Invariant: a case that fell short says what it is, and the suite counts what its cases
//! say.

use std::io::{self, Write};
use std::time::Duration;

use super::xml::escaped;

/// A test case.
pub struct TestCase {
    pub name: &'static str,
    pub elapsed: Duration,
    /// None where it passed.
    pub shortfall: Option<Shortfall>,
}

/// Why a case did not pass.
pub struct Shortfall {
    pub kind: Kind,
    /// The verdict, as one word.
    pub verdict: String,
    pub message: String,
    /// What happened, in order.
    pub lines: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// What was tested fell short.
    Failure,
    /// It could not be tested.
    Error,
    Skipped,
}

impl Kind {
    fn element(self) -> &'static str {
        match self {
            Kind::Failure => "failure",
            Kind::Error => "error",
            Kind::Skipped => "skipped",
        }
    }
}

pub fn write(out: &mut dyn Write, cases: &[TestCase], wall: Duration) -> io::Result<()> {
    let count = |kind| {
        let kinds = cases.iter().filter_map(|case| case.shortfall.as_ref()).map(|shortfall| shortfall.kind);
        kinds.filter(|is| *is == kind).count()
    };
    writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
    writeln!(
        out,
        r#"<testsuite name="idem" tests="{}" failures="{}" errors="{}" skipped="{}" time="{:.3}">"#,
        cases.len(),
        count(Kind::Failure),
        count(Kind::Error),
        count(Kind::Skipped),
        wall.as_secs_f64(),
    )?;
    cases.iter().try_for_each(|case| test_case(out, case))?;
    writeln!(out, "</testsuite>")
}

fn test_case(out: &mut dyn Write, case: &TestCase) -> io::Result<()> {
    let seconds = case.elapsed.as_secs_f64();
    write!(out, r#"  <testcase classname="idem" name="{}" time="{seconds:.3}""#, case.name)?;
    let Some(Shortfall { kind, verdict, message, lines }) = &case.shortfall else { return writeln!(out, "/>") };
    let (element, message) = (kind.element(), escaped(message));
    if *kind == Kind::Skipped {
        return writeln!(out, r#"><{element} message="{message}"/></testcase>"#);
    }
    writeln!(out, r#"><{element} type="{verdict}" message="{message}">"#)?;
    lines.iter().try_for_each(|line| writeln!(out, "{}", escaped(line)))?;
    writeln!(out, "</{element}></testcase>")
}
