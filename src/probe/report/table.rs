//! The table. Invariant: where all is as declared its bytes are the published ones.

use std::io::{self, Write};

use super::Judged;
use crate::probe::verdict::RowVerdict;
use crate::terms::figures::Figures;

const RULE: &str = "----------------------------------------------------------------------------------";

pub fn write(out: &mut dyn Write, scenarios: &[Judged]) -> io::Result<()> {
    writeln!(out, "scenario                   policy     key         req  charg  uniq   dup  lost")?;
    writeln!(out, "{RULE}")?;
    for judged in scenarios {
        let scenario = judged.setup.scenario;
        // A long policy name takes its room from the key's column, so that the figures stay in line.
        let dedup = format!("{:<10} {}", judged.setup.policy.name(), scenario.key);
        write!(out, "{:<26} {dedup:<22}", scenario.name)?;
        figures(out, &judged.measured)?;
        writeln!(out, "  {}{}", judged.verdict, difference(judged))?;
    }
    writeln!(out, "{RULE}")
}

/// The five columns of figures. A figure too wide for its column pushes the rest to the right and stays apart.
pub fn figures(out: &mut dyn Write, figures: &Figures) -> io::Result<()> {
    let Figures { requests, charges, unique, duplicates, lost } = figures;
    write!(out, " {requests:>3}  {charges:>5}  {unique:>4}  {duplicates:>4}  {lost:>4}")
}

/// What was declared, for the figures that differ.
pub fn difference(judged: &Judged) -> String {
    match judged.verdict {
        RowVerdict::Ok => String::new(),
        RowVerdict::Mismatch => {
            let differing = judged.declared.named().into_iter().zip(judged.measured.named());
            let declared: Vec<_> = differing
                .filter(|(declared, measured)| declared != measured)
                .map(|((name, declared), _)| format!("{name} {declared}"))
                .collect();
            format!(" (declared: {})", declared.join(", "))
        }
    }
}
