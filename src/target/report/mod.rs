//! The report of a target, one file a format. Invariant: every format says the same verdicts, and no secret is in any.

pub mod curl;
mod document;
mod junit;
mod text;
pub mod timeline;
mod transport;

use std::io::{IsTerminal, Write};
use std::time::Duration;

use anyhow::Context;

use super::chaos::summary::Summary;
use super::drive::session::Session;
use super::options::Options;
use super::request::secrets::Secrets;
use super::run::profile::Profile;
use super::run::row::Row;
use crate::console::output;
use crate::probe::args::Format;
use crate::terms::exit::Exit;

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

    /// Prints the report; the exit code is that of the verdicts, or worse where it cannot be written.
    ///
    /// # Errors
    /// The document cannot be made.
    pub fn print(&self, format: Format) -> anyhow::Result<Exit> {
        let mut text = Vec::new();
        self.write(&mut text, format).context("cannot make the report")?;
        let masked = self.secrets().mask(&String::from_utf8_lossy(&text));
        Ok(output::report(self.exit(), |out| out.write_all(masked.as_bytes())))
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
