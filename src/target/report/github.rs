//! What a workflow on GitHub is told of a report. Invariant: findings are errors, what could not be shown is a warning, and
//! nothing else is annotated; no exit code depends on it.

use super::Report;
use super::markdown;
use super::view::View;
use crate::console::github::{Level, annotate, is_here, summarise};
use crate::target::judge::verdict::Verdict;
use crate::target::run::row::Row;

pub fn tell(report: &Report) {
    if !is_here() {
        return;
    }
    let view = View::of(report);
    for line in &view.rows {
        if let Some(level) = level(line.row) {
            let cure =
                if level == Level::Error { format!("\nusual cure: {}", line.row.check.cure) } else { String::new() };
            annotate(level, &format!("{} {}", line.row.check.name, line.row.verdict), &format!("{}{cure}", line.said));
        }
    }
    summarise(&markdown::page(&view));
}

fn level(row: &Row) -> Option<Level> {
    match row.verdict {
        Verdict::Ok | Verdict::Skipped => None,
        Verdict::Unproven | Verdict::Error => Some(Level::Warning),
        _finding => (!row.accepted).then_some(Level::Error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::checks::CHECKS;

    #[test]
    fn an_accepted_finding_is_not_annotated_and_what_was_not_shown_is_a_warning() {
        let told = |verdict, accepted| level(&Row { accepted, ..Row::undriven(&CHECKS[0], verdict, "") });
        assert_eq!(told(Verdict::Lost, false), Some(Level::Error));
        assert_eq!((told(Verdict::Lost, true), told(Verdict::Ok, false)), (None, None));
        assert_eq!(told(Verdict::Skipped, false), None);
        for unshown in [Verdict::Unproven, Verdict::Error] {
            assert_eq!(told(unshown, false), Some(Level::Warning));
        }
    }
}
