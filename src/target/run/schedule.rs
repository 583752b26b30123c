//! The checks, driven: one after another, their waits side by side, the server's restart last. Invariant: a row is
//! counted after its own fence and once more at the end, and a target that is gone makes ERROR rows, never OK ones.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use tokio::time::Instant;

use super::receipts;
use super::row::{Row, count};
use crate::reconcile::oracle::Readings;
use crate::target::checks::{Check, Turn};
use crate::target::drive::join::join_all;
use crate::target::drive::restarted::restarted;
use crate::target::drive::session::{Health, Session};
use crate::target::facts::case::Case;
use crate::target::judge::verdict::Verdict;
use crate::target::options::Design;

/// Rows as they come, in the order of the checks; None for one that is not finished.
pub struct Schedule {
    pub checks: Vec<&'static Check>,
    rows: RefCell<Vec<Option<Row>>>,
    /// What makes it pointless to go on: what the baseline showed, or the check that killed the target.
    stopped: RefCell<Option<(Verdict, String)>>,
    revivals: Cell<usize>,
}

/// How often a target killed by a check is restarted.
const REVIVALS: usize = 4;

/// The command that may restart a target that has been restarted so often.
///
/// # Errors
/// Says why it may not.
fn revival<T>(command: Option<T>, restarted: usize) -> Result<T, String> {
    match command {
        Some(_) if restarted >= REVIVALS => Err(format!("it was started again {REVIVALS} times")),
        Some(command) => Ok(command),
        None => Err("--restart-cmd would start it again".to_string()),
    }
}

impl Schedule {
    pub fn new(checks: Vec<&'static Check>) -> Schedule {
        let rows = RefCell::new(checks.iter().map(|_| None).collect());
        Schedule { checks, rows, stopped: RefCell::new(None), revivals: Cell::new(0) }
    }

    /// Runs all checks; `told` hears of each row when it is there.
    pub async fn run(&self, session: &Session, told: &dyn Fn(&Row)) {
        let (last, others): (Vec<_>, Vec<_>) = (0..self.checks.len()).partition(|&n| self.checks[n].turn == Turn::Last);
        let (first, others): (Vec<_>, Vec<_>) = others.into_iter().partition(|&n| self.checks[n].turn == Turn::First);
        for n in first {
            self.one(n, session, told).await;
        }
        join_all(others.into_iter().map(|n| self.one(n, session, told))).await;
        for n in last {
            self.one(n, session, told).await;
        }
        self.read_again(session).await;
    }

    /// Whether it is pointless to go on.
    pub fn is_stopped(&self) -> bool {
        self.stopped.borrow().is_some()
    }

    /// Rows in order, their receipts compared; those not finished are errors that say so.
    pub fn into_rows(self, accept: &[Design]) -> Vec<Row> {
        receipts::compare(&mut self.rows.borrow_mut().iter_mut().flatten().collect::<Vec<_>>(), accept);
        let unfinished = |check| Row::undriven(check, Verdict::Error, "interrupted, not finished");
        let rows = self.rows.into_inner().into_iter().zip(self.checks);
        rows.map(|(row, check)| row.unwrap_or_else(|| unfinished(check))).collect()
    }

    async fn one(&self, n: usize, session: &Session, told: &dyn Fn(&Row)) {
        let check = self.checks[n];
        let row = self.row(check, session).await;
        if check.turn == Turn::First {
            session.witnesses.replace(witnesses(&row));
        }
        if check.turn == Turn::First && matches!(row.verdict, Verdict::Error | Verdict::Skipped) {
            let why = format!("not carried out: {}: {}", check.name, row.evidence);
            *self.stopped.borrow_mut() = Some((row.verdict, why));
        }
        told(&row);
        self.rows.borrow_mut()[n] = Some(row);
    }

    async fn row(&self, check: &'static Check, session: &Session) -> Row {
        if let Some(needed) = (check.needs)(&session.options) {
            return Row::undriven(check, Verdict::Skipped, needed);
        }
        let permit = match check.turn {
            Turn::First | Turn::Staged | Turn::Last => session.exclusive.turn().await,
            Turn::Beside => None,
        };
        if let Some((verdict, why)) = self.stopped.borrow().as_ref() {
            return Row::undriven(check, *verdict, why);
        }
        let floor = match check.turn {
            Turn::First | Turn::Staged | Turn::Last => session.exclusive.drive().await,
            Turn::Beside => None,
        };
        let since = Instant::now();
        let cases = (check.drive)(session).await;
        if check.turn == Turn::First && !cases.iter().all(Case::all_succeeded) {
            return Row::new(check, cases, since.elapsed(), &session.options.accept);
        }
        let failure = session.additions.failure.borrow().clone();
        if let Some(why) = failure {
            *self.stopped.borrow_mut() = Some((Verdict::Error, format!("not carried out: {why}")));
            return broken(check, cases, session, since.elapsed(), &why).await;
        }
        let health = session.health(&cases).await;
        session.exclusive.driven();
        drop(floor);
        match health {
            Health::Answers => drop(permit),
            // It may come back when the lease is over; nobody else is to be judged by a target that hangs.
            Health::Hangs => {
                let row = self.settled(check, cases, session, since).await;
                if session.health(&row.cases).await != Health::Answers {
                    self.revive(check, session, "answers nothing any more").await;
                }
                return row;
            }
            Health::Gone => {
                self.revive(check, session, "died: connections are refused").await;
                let died = "the target died in this check: connections are refused";
                return broken(check, cases, session, since.elapsed(), died).await;
            }
        }
        self.settled(check, cases, session, since).await
    }

    async fn settled(&self, check: &'static Check, mut cases: Vec<Case>, session: &Session, since: Instant) -> Row {
        session.settle(&mut cases).await;
        let fenced = session.fence().await;
        counted(check, cases, session, fenced, since.elapsed())
    }

    /// Restarts a target that a check has killed, if the user said how; else nothing more can be checked.
    async fn revive(&self, check: &Check, session: &Session, how: &str) {
        let failed = match revival(session.options.restart.as_ref(), self.revivals.get()) {
            Ok(command) => restarted(session, command).await.err(),
            Err(why) => Some(why),
        };
        self.revivals.set(self.revivals.get() + 1);
        if let Some(why) = failed {
            let gone = format!("not carried out: after {} the target {how}; {why}", check.name);
            *self.stopped.borrow_mut() = Some((Verdict::Error, gone));
        }
    }

    /// The ledger once more: a count that has changed since revises its row.
    async fn read_again(&self, session: &Session) {
        if session.options.oracle.is_none() || self.rows.borrow().iter().flatten().all(|row| row.cases.is_empty()) {
            return;
        }
        let read = session.options.oracle.read().await.and_then(|ledger| session.whole(ledger));
        let mut rows = self.rows.borrow_mut();
        for row in rows.iter_mut().flatten().filter(|row| row.is_counted()) {
            match &read {
                Ok(ledger) => row.revise(ledger, &session.options.accept),
                Err(why) => row.spoil(&format!("the last reading of the ledger: {why}")),
            }
        }
    }
}

/// The baseline's intents, which the ledger showed.
fn witnesses(baseline: &Row) -> Vec<String> {
    let shown = |case: &Case| (0..case.calls.len()).filter(|&n| case.charged(n).unwrap_or(0) > 0).collect::<Vec<_>>();
    let named = |case: &Case| shown(case).into_iter().map(|n| case.calls[n].intent.clone()).collect::<Vec<_>>();
    baseline.cases.iter().flat_map(named).collect()
}

/// A row after its fence. Where that failed, what its replies show stands, and the rest is an error.
fn counted(
    check: &'static Check,
    mut cases: Vec<Case>,
    session: &Session,
    fenced: Result<Option<Readings>, String>,
    elapsed: Duration,
) -> Row {
    if let Ok(Some(ledger)) = &fenced {
        cases.iter_mut().for_each(|case| count(case, ledger));
    }
    let mut row = Row::new(check, cases, elapsed, &session.options.accept);
    if let Err(why) = fenced {
        row.spoil(&why);
    }
    row
}

/// A row that broke off, as the target died: nothing more will be written, so what the ledger holds can be counted, and
/// only what it shows is a finding.
async fn broken(check: &'static Check, mut cases: Vec<Case>, session: &Session, elapsed: Duration, why: &str) -> Row {
    if let Ok(ledger) = session.options.oracle.read().await {
        cases.iter_mut().for_each(|case| count(case, &ledger));
    }
    let mut row = Row::new(check, cases, elapsed, &session.options.accept);
    if matches!(row.verdict, Verdict::Wedged | Verdict::Sticky) {
        row.fail(why);
    } else {
        row.spoil(why);
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_killed_target_is_restarted_four_times_at_most() {
        assert_eq!(revival(Some("start"), 3), Ok("start"));
        assert_eq!(revival(Some("start"), 4), Err("it was started again 4 times".into()));
        assert!(revival(None::<()>, 0).is_err_and(|why| why.contains("--restart-cmd")));
    }
}
