//! How far the checks are, in words. Invariant: a check counts by the requests that it was planned to send, so that a long
//! one does not look like a short one; one that is skipped counts for nothing.

use std::cell::RefCell;
use std::time::Duration;

use super::plan;
use super::row::Row;
use crate::console::progress::{estimated, left};
use crate::target::checks::Check;
use crate::target::drive::session::Session;

/// What was done of what was planned.
pub struct CheckProgress<'a> {
    session: &'a Session,
    /// Checks, and their planned requests.
    all: (usize, u64),
    done: RefCell<Done>,
}

#[derive(Default)]
struct Done {
    checks: usize,
    requests: u64,
    /// When the last check ended, since the run began.
    at: Duration,
    /// The last check and its verdict.
    last: String,
}

impl<'a> CheckProgress<'a> {
    pub fn new(session: &'a Session, checks: &[&'static Check]) -> CheckProgress<'a> {
        let planned = checks.iter().map(|check| plan::requests(check, &session.options)).sum();
        CheckProgress { session, all: (checks.len(), planned), done: RefCell::default() }
    }

    /// A row is there.
    pub fn add(&self, row: &Row) {
        let mut done = self.done.borrow_mut();
        done.checks += 1;
        done.requests += plan::requests(row.check, &self.session.options);
        done.at = self.session.clock();
        done.last = format!("{} {}", row.check.name, row.verdict);
    }

    pub fn line(&self) -> String {
        let (done, (checks, planned)) = (self.done.borrow(), self.all);
        let rest = estimated(done.requests, planned, done.at);
        let rest = rest.map(|rest| left(rest.saturating_sub(self.session.clock().saturating_sub(done.at))));
        let sent = self.session.requests();
        format!("{} of {checks} checks, {sent} requests{}: {}", done.checks, rest.unwrap_or_default(), done.last)
    }
}
