//! The checks, driven: one after another, their waits side by side, the server's restart last. Invariant: a row is counted
//! after its own fence and once more at the end, and a target that is gone makes ERROR rows, never OK ones.

use std::cell::{Cell, RefCell};

use tokio::time::Instant;

use super::case::Case;
use super::checks::{Check, Turn};
use super::join::join_all;
use super::row::{Row, count};
use super::session::Session;
use super::verdict::Verdict;

/// Rows as they come, in the order of the checks; None for one that is not finished.
pub struct Board {
    pub checks: Vec<&'static Check>,
    pub rows: RefCell<Vec<Option<Row>>>,
    /// What makes it pointless to go on: the check after which the target was gone, or what the baseline showed.
    stopped: RefCell<Option<String>>,
    finished: Cell<usize>,
}

impl Board {
    pub fn new(checks: Vec<&'static Check>) -> Board {
        let rows = RefCell::new(checks.iter().map(|_| None).collect());
        Board { checks, rows, stopped: RefCell::new(None), finished: Cell::new(0) }
    }

    /// Runs all checks; `told` hears of each row when it is there.
    pub async fn run(&self, session: &Session, told: &dyn Fn(&Row, usize)) {
        let of = |turn: fn(Turn) -> bool| (0..self.checks.len()).filter(move |&n| turn(self.checks[n].turn)).collect();
        let together: Vec<usize> = of(|turn| turn != Turn::Last);
        let last: Vec<usize> = of(|turn| turn == Turn::Last);
        let (first, rest): (Vec<_>, Vec<_>) = together.into_iter().partition(|&n| self.checks[n].name == "baseline");
        for n in first {
            self.one(n, session, told).await;
        }
        join_all(rest.into_iter().map(|n| self.one(n, session, told))).await;
        for n in last {
            self.one(n, session, told).await;
        }
        self.read_again(session).await;
    }

    /// Rows in order; those not finished are errors that say so.
    pub fn into_rows(self) -> Vec<Row> {
        let rows = self.rows.into_inner().into_iter().zip(&self.checks);
        rows.map(|(row, check)| row.unwrap_or_else(|| Row::undriven(check, Verdict::Error, "interrupted, not finished"))).collect()
    }

    async fn one(&self, n: usize, session: &Session, told: &dyn Fn(&Row, usize)) {
        let row = self.row(self.checks[n], session).await;
        if self.checks[n].name == "baseline" && row.verdict == Verdict::Error {
            *self.stopped.borrow_mut() = Some(format!("not carried out: baseline: {}", row.evidence));
        }
        self.finished.set(self.finished.get() + 1);
        told(&row, self.finished.get());
        self.rows.borrow_mut()[n] = Some(row);
    }

    async fn row(&self, check: &'static Check, session: &Session) -> Row {
        if let Some(needed) = (check.needs)(&session.options) {
            return Row::undriven(check, Verdict::Skipped, needed);
        }
        let permit = match check.turn {
            Turn::Staged | Turn::Last => session.stage.acquire().await.ok(),
            Turn::Beside => None,
        };
        if let Some(why) = self.stopped.borrow().as_ref() {
            return Row::undriven(check, Verdict::Error, why);
        }
        let since = Instant::now();
        let mut cases = (check.drive)(session).await;
        drop(permit);
        join_all(cases.iter_mut().map(|case| session.settle(case))).await;
        let fenced = session.fence().await;
        let accept = &session.options.accept;
        match fenced {
            Ok(ledger) => {
                if let Some(ledger) = &ledger {
                    cases.iter_mut().for_each(|case| count(case, ledger));
                }
                Row::new(check, cases, since.elapsed(), accept)
            }
            Err(why) => self.unfenced(check, cases, session, &why).await,
        }
    }

    /// A row whose count could not be taken: what its replies show stands, the rest is an error. Where the target is gone,
    /// this check was the last that it lived through.
    async fn unfenced(&self, check: &'static Check, mut cases: Vec<Case>, session: &Session, why: &str) -> Row {
        cases.iter_mut().for_each(|case| case.charges = None);
        let mut row = Row::new(check, cases, std::time::Duration::ZERO, &session.options.accept);
        if !row.verdict.is_finding() {
            row.verdict = Verdict::Error;
            row.evidence = why.to_string();
        }
        row
    }

    /// The ledger once more: a count that has changed since revises its row.
    async fn read_again(&self, session: &Session) {
        let mut rows = self.rows.borrow_mut();
        let driven = rows.iter().flatten().any(|row| !row.cases.is_empty());
        let Ok(Some(ledger)) = (if driven { session.options.oracle.read().await.map(Some) } else { Ok(None) }) else { return };
        for row in rows.iter_mut().flatten().filter(|row| row.cases.iter().any(|case| case.charges.is_some())) {
            if row.count(&ledger) {
                row.judge(&session.options.accept);
                row.evidence += "; counted anew at the end of the run";
            }
        }
    }
}
