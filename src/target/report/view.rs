//! The report as people read it. Invariant: what others wrote is masked and printable before any format cuts, escapes or
//! draws it, so that no format has to think of secrets.

use super::Report;
use super::timeline::{Step, steps};
use super::transport::Transport;
use crate::console::printable::printable;
use crate::target::chaos::schedule::Schedule;
use crate::target::chaos::summary::Summary;
use crate::target::facts::case::Case;
use crate::target::judge::verdict::Verdict;
use crate::target::options::Options;
use crate::target::run::row::Row;

/// A report, masked.
pub struct View<'a> {
    pub report: &'a Report,
    /// What was probed and how, by name.
    pub facts: Vec<(&'static str, String)>,
    pub rows: Vec<Line<'a>>,
    /// What the standard leaves open, as this target decides it.
    pub profile: Vec<(&'static str, String)>,
    /// The table of an exploration; empty where there was none.
    pub explored: Vec<String>,
}

/// A row of the table.
pub struct Line<'a> {
    pub row: &'a Row,
    /// Beside the verdict; empty for an OK that leaves nothing to say.
    pub said: String,
    /// The case that shows the verdict; None where none has to be shown.
    pub shown: Option<Shown>,
}

/// A case, told.
pub struct Shown {
    pub label: String,
    pub steps: Vec<Step>,
    /// Of the short names r1, r2, … in order.
    pub receipts: Vec<String>,
    pub curl: Vec<String>,
    /// What the curl lines do not have, in words; empty where they are whole.
    pub lacking: &'static str,
    /// The steps that were drawn from a seed, in words; empty for a check.
    pub schedule: Vec<String>,
}

impl<'a> View<'a> {
    pub fn of(report: &'a Report) -> View<'a> {
        View {
            report,
            facts: facts(report),
            rows: report.rows.iter().map(|row| Line::of(report, row)).collect(),
            profile: report.profile.lines().into_iter().map(|(name, said)| (name, report.masked(&said))).collect(),
            explored: report.exploration.iter().flat_map(Summary::lines).collect(),
        }
    }

    /// The findings, then what could not be shown; each with its case, where it has one.
    pub fn told(&self) -> Vec<&Line<'a>> {
        let unshown = |line: &&Line| matches!(line.row.verdict, Verdict::Unproven | Verdict::Error);
        let findings = self.rows.iter().filter(|line| line.row.verdict.is_finding());
        findings.chain(self.rows.iter().filter(|line| unshown(line) && line.shown.is_some())).collect()
    }

    pub fn headline(&self) -> String {
        headline(&self.report.rows)
    }
}

/// The whole in a line, which never says more than was shown.
fn headline(rows: &[Row]) -> String {
    let count = |wanted: fn(&Row) -> bool| rows.iter().filter(|row| wanted(row)).count();
    let all = rows.len();
    let findings = count(|row| row.verdict.is_finding() && !row.accepted);
    let unshown = count(|row| matches!(row.verdict, Verdict::Unproven | Verdict::Error));
    let all = if all == 1 { "1 check".to_owned() } else { format!("{all} checks") };
    let head = match (findings, unshown) {
        (1, _) => format!("1 finding in {all}"),
        (0, 0) => format!("No finding in {all}"),
        (0, _) => format!("{unshown} of {all} could not be shown"),
        (_, _) => format!("{findings} findings in {all}"),
    };
    let more = [
        ("could not be shown", if findings > 0 { unshown } else { 0 }),
        ("accepted", count(|row| row.accepted)),
        ("skipped", count(|row| row.verdict == Verdict::Skipped)),
    ];
    let more = more.iter().filter(|(_, n)| *n > 0).map(|(what, n)| format!(", {n} {what}"));
    head + &more.collect::<String>()
}

impl<'a> Line<'a> {
    fn of(report: &Report, row: &'a Row) -> Line<'a> {
        let said = match row.verdict {
            Verdict::Ok => row.remarks().join("; "),
            _other => row.evidence.clone(),
        };
        Line { row, said: report.masked(&said), shown: row.shown().map(|case| Shown::of(report, row, case)) }
    }

    /// The verdict as the table says it.
    pub fn verdict(&self) -> String {
        format!("{}{}", self.row.verdict, if self.row.accepted { " (accepted)" } else { "" })
    }
}

impl Shown {
    fn of(report: &Report, row: &Row, case: &Case) -> Shown {
        let masked = |text: &str| report.masked(text);
        let to = &report.options.targets[0];
        let step = |step: Step| Step {
            what: masked(&step.what),
            saw: masked(&step.saw),
            client_saw: step.client_saw.as_deref().map(masked),
            ..step
        };
        Shown {
            label: masked(&case.label),
            steps: steps(case).into_iter().map(step).collect(),
            receipts: case.receipts().into_iter().map(masked).collect(),
            lacking: report.lacking(),
            curl: report.options.template.curls(&case.calls, to).iter().map(|line| masked(line)).collect(),
            schedule: row.schedule.iter().flat_map(Schedule::words).map(|words| masked(&words)).collect(),
        }
    }
}

impl Report {
    /// What the requests that are shown to be repeated by hand do not have; empty where they are whole.
    pub fn lacking(&self) -> &'static str {
        if self.options.adds_headers() { ", without what the commands and the cookies add" } else { "" }
    }

    /// Without secrets, and nothing in it acts on a terminal.
    pub fn masked(&self, text: &str) -> String {
        printable(&self.secrets().mask(text)).into_owned()
    }
}

/// What the ledgers are, and by what names where there are several.
fn ledger(options: &Options) -> String {
    let (oracle, names) = (&options.oracle, options.oracle.names().join(", "));
    let names = if names.is_empty() { names } else { format!(" ({names})") };
    let at = oracle.intent_at();
    format!("{}{names}{}{at}", oracle.kinds(), if oracle.is_none() { "" } else { ", intent at " })
}

fn facts(report: &Report) -> Vec<(&'static str, String)> {
    let (options, template) = (&report.options, &report.options.template);
    let targets = options.targets.iter().map(|target| target.url(&template.path));
    let accepted = options.accept.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let facts = [
        ("target", format!("{} {}", template.method, targets.collect::<Vec<_>>().join(", "))),
        ("key", format!("{}, {}", template.key_place, template.key_format)),
        ("ledger", ledger(options)),
        ("accepted designs", accepted),
        ("transport", Transport::of(&options.targets).map(|way| way.to_string()).unwrap_or_default()),
        ("requests", report.requests.to_string()),
        ("latency", format!("{:.1} ms", report.latency.as_secs_f64() * 1e3)),
        ("time", format!("{:.1} s", report.wall.as_secs_f64())),
        ("run", report.run.clone()),
    ];
    let known = facts.into_iter().filter(|(_, fact)| !fact.is_empty());
    known.map(|(name, fact)| (name, report.masked(&fact))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::checks::CHECKS;

    fn said(verdicts: &[Verdict], accepted: bool) -> String {
        let row = |verdict: &Verdict| Row { accepted, ..Row::undriven(&CHECKS[0], *verdict, "") };
        headline(&verdicts.iter().map(row).collect::<Vec<_>>())
    }

    #[test]
    fn the_headline_counts_an_unknown_neither_as_a_finding_nor_as_none() {
        use Verdict::*;
        assert_eq!(said(&[Ok, Skipped], false), "No finding in 2 checks, 1 skipped");
        assert_eq!(said(&[Ok, Lost], false), "1 finding in 2 checks");
        assert_eq!(said(&[Duplicate, Lost, Error], false), "2 findings in 3 checks, 1 could not be shown");
        assert_eq!(said(&[Ok, Unproven, Error], false), "2 of 3 checks could not be shown");
        assert_eq!(said(&[Sticky], true), "No finding in 1 check, 1 accepted");
    }
}
