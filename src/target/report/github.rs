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
