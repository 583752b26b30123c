//! The report of a target, one file a format. Invariant: every format says the same verdicts, and no secret is in any.

pub mod curl;
mod document;
mod github;
mod html;
mod junit;
mod markdown;
mod sarif;
pub mod standing;
mod text;
pub mod timeline;
mod tool;
mod transport;
mod view;

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, bail};

use super::chaos::summary::Summary;
use super::drive::session::Session;
use super::judge::verdict::Verdict;
use super::options::Options;
use super::request::secrets::Secrets;
use super::run::profile::Profile;
use super::run::row::Row;
use crate::console::output;
use crate::console::report_files::{ReportFiles, ReportFormat};
use crate::probe::args::Format;
use crate::reconcile::oracle::Source;
use crate::terms::exit::Exit;
use view::View;

/// What `--report` writes.
pub const FORMATS: &[ReportFormat<Report>] = &[
    ReportFormat {
        ending: "json",
        about: "the document that --format json prints and --baseline reads",
        render: |report| report.all_masked(document::write),
    },
    ReportFormat {
        ending: "xml",
        about: "JUnit, as CI servers read it: one test case a check",
        render: |report| report.all_masked(junit::write),
    },
    ReportFormat {
        ending: "md",
        about: "Markdown for a comment or a wiki",
        render: |report| Ok(markdown::page(&View::of(report))),
    },
    ReportFormat {
        ending: "html",
        about: "one page for people: drawn time lines, cures, the twelve points; no scripts, nothing from elsewhere",
        render: |report| Ok(html::page(&View::of(report))),
    },
    ReportFormat {
        ending: "sarif",
        about: "SARIF 2.1.0, as code scanning reads it: checks are rules, findings results",
        render: |report| sarif::document(&View::of(report)),
    },
];

/// The files that were asked for, opened.
///
/// # Errors
/// As [`ReportFiles::open`]; also where one is the ledger, which a report would take the place of.
pub fn files(paths: &[PathBuf], options: &Options) -> anyhow::Result<ReportFiles<Report>> {
    let sources = options.oracle.iter().map(|oracle| &oracle.source);
    for source in sources {
        let Source::File(ledger) = source else { continue };
        let is_ledger =
            |path: &&PathBuf| path.canonicalize().is_ok_and(|path| ledger.canonicalize().ok() == Some(path));
        if let Some(path) = paths.iter().find(is_ledger) {
            bail!("--report {}: it is the ledger; give another file", path.display());
        }
    }
    ReportFiles::open(paths, FORMATS)
}

/// All rows, with what they were measured by.
pub struct Report {
    pub options: Options,
    pub run: String,
    pub rows: Vec<Row>,
    pub profile: Profile,
    pub wall: Duration,
    pub latency: Duration,
    pub patience: Duration,
    /// Requests sent, fences included.
    pub requests: u64,
    /// What was explored beside the checks; None where nothing was.
    pub exploration: Option<Summary>,
}

impl Report {
    pub fn new(session: &Session, rows: Vec<Row>) -> Report {
        let added = session.additions.secrets.borrow();
        let secrets = session.options.secrets.with(added.iter().map(String::as_str));
        Report {
            options: Options { secrets, ..session.options.clone() },
            run: session.run.clone(),
            profile: Profile::of(&rows),
            wall: session.clock(),
            latency: session.latency(),
            patience: session.patience(),
            requests: session.requests(),
            exploration: None,
            rows,
        }
    }

    pub fn exit(&self) -> Exit {
        self.rows.iter().fold(Exit::Ok, |exit, row| exit.and(row.verdict.exit(row.accepted)))
    }

    /// Whether any check was carried out.
    pub fn has_judged(&self) -> bool {
        self.rows.iter().any(|row| row.verdict != Verdict::Skipped)
    }

    /// Prints the report, writes its files and tells GitHub; the exit code is that of the verdicts, or worse where
    /// something cannot be written.
    ///
    /// # Errors
    /// The document cannot be made.
    pub fn publish(&self, format: Format, files: ReportFiles<Report>) -> anyhow::Result<Exit> {
        let text = self.all_masked(|out, report| report.write(out, format)).context("cannot make the report")?;
        let exit = output::report(self.exit(), |out| out.write_all(text.as_bytes()));
        github::tell(self);
        Ok(exit.and(files.write(self)))
    }

    /// What `write` writes, with every secret masked in the words of its format.
    fn all_masked(&self, write: impl Fn(&mut dyn Write, &Report) -> io::Result<()>) -> io::Result<String> {
        let mut text = Vec::new();
        write(&mut text, self)?;
        Ok(self.secrets().mask(&String::from_utf8_lossy(&text)))
    }

    /// Prints the reports of several tools as one document.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn print_documents(reports: &[&Report]) -> anyhow::Result<Exit> {
        let exit = reports.iter().fold(Exit::Ok, |exit, report| exit.and(report.exit()));
        let text = serde_json::to_string_pretty(&Report::documents(reports)?)?;
        let masked = reports.iter().fold(text, |text, report| report.secrets().mask(&text));
        reports.iter().for_each(|report| github::tell(report));
        Ok(output::report(exit, |out| writeln!(out, "{masked}")))
    }

    /// The document of one report, or of several as an array.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn documents(reports: &[&Report]) -> anyhow::Result<serde_json::Value> {
        let all = reports.iter().map(|report| serde_json::to_value(report.document()));
        let mut all = all.collect::<Result<Vec<_>, _>>().context("cannot make the report")?;
        Ok(if all.len() == 1 { all.remove(0) } else { serde_json::json!({"tools": all}) })
    }

    fn write(&self, out: &mut dyn Write, format: Format) -> std::io::Result<()> {
        match format {
            Format::Table => text::table(out, self),
            Format::Json => document::write(out, self),
            Format::Junit => junit::write(out, self),
            Format::Text => {
                text::write(out, self)?;
                if std::io::stdout().is_terminal() {
                    writeln!(out, "the JSON document: --format json")
                } else {
                    document::write(out, self)
                }
            }
        }
    }

    fn secrets(&self) -> &Secrets {
        &self.options.secrets
    }
}
