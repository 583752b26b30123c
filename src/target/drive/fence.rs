//! When to count: after a fence. Invariant: no count is taken before the ledger shows an intent that was charged after
//! the row's last reply, so a target that writes its records later is not misjudged.

use std::time::Duration;

use tokio::time::Instant;

use super::session::Session;
use crate::reconcile::oracle::Readings;
use crate::target::options::Identity;

/// How long the fence's item may take to show, beyond --ledger-lag.
const PATIENCE: Duration = Duration::from_secs(6);
/// For an effect that should not be.
const QUIET: Duration = Duration::from_millis(500);
/// Between two looks.
const PAUSE: Duration = Duration::from_millis(5);
/// The same where a moment is to be hit.
const GLANCE: Duration = Duration::from_millis(1);

impl Session {
    /// Charges one more intent and waits for its item. None where there is no oracle: then the charge alone shows that
    /// the target is alive.
    ///
    /// # Errors
    /// Says that the target takes no more requests, or that the ledger does not show the fence.
    pub async fn fence(&self) -> Result<Option<Readings>, String> {
        if self.options.identity == Identity::ReadOnly {
            return self.quiet().await;
        }
        let mut case = self.case("fence", "fence");
        let floor = self.exclusive.drive().await;
        self.send(&mut case, 0, "fence").await;
        drop(floor);
        self.settle(std::slice::from_mut(&mut case)).await;
        if !case.settled() {
            let said = case.last().map(|answer| answer.line(None)).unwrap_or_default();
            return Err(format!(
                "the target takes no fresh request (retries that were given up may still occupy it): {said}"
            ));
        }
        if self.options.oracle.is_none() {
            return Ok(None);
        }
        self.seen(&case.calls[0].intent).await.map(Some)
    }

    /// What a tool does that says it does nothing can only be waited for.
    async fn quiet(&self) -> Result<Option<Readings>, String> {
        tokio::time::sleep(QUIET + self.options.oracle.lag()).await;
        if self.options.oracle.is_none() { Ok(None) } else { self.options.oracle.read().await.map(Some) }
    }

    /// Reads until an intent shows, and once more after the lag.
    async fn seen(&self, intent: &str) -> Result<Readings, String> {
        let oracle = &self.options.oracle;
        let end = Instant::now() + PATIENCE + oracle.lag();
        let mut ledger = oracle.read().await?;
        while !ledger.shows(intent) {
            if Instant::now() > end {
                return Err(oracle.explain(&ledger, intent));
            }
            tokio::time::sleep(PAUSE).await;
            ledger = oracle.read().await?;
        }
        if !oracle.lag().is_zero() {
            tokio::time::sleep(oracle.lag()).await;
            ledger = oracle.read().await?;
        }
        self.whole(ledger)
    }

    /// Returns when the ledger shows an item of the intent; never where it does not, or where there is none.
    pub async fn item_seen(&self, intent: &str) {
        let oracle = &self.options.oracle;
        if oracle.is_none() {
            std::future::pending::<()>().await;
        }
        while !oracle.read().await.is_ok_and(|ledger| ledger.shows(intent)) {
            tokio::time::sleep(GLANCE).await;
        }
    }

    /// The ledger, if it still shows what it showed before.
    ///
    /// # Errors
    /// Names an intent that is hidden now, as a paged list hides the older items.
    pub fn whole(&self, ledger: Readings) -> Result<Readings, String> {
        match hidden(&self.witnesses.borrow(), &ledger) {
            Some((intent, name)) => Err(match self.options.oracle.names().contains(&name) {
                true => format!("{name} showed {intent} before and hides it now; give a list that is not paged"),
                false => format!("the ledger showed {intent} before and hides it now; give a list that is not paged"),
            }),
            None => Ok(ledger),
        }
    }
}

/// The first of the intents that the ledgers showed before and do not show now, and the name of one that does not.
fn hidden<'a>(witnesses: &'a [String], ledgers: &'a Readings) -> Option<(&'a str, &'a str)> {
    witnesses.iter().find_map(|witness| Some((witness.as_str(), ledgers.hiding(witness)?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reconcile::oracle::Ledger;

    #[test]
    fn a_ledger_that_pages_hides_what_it_showed() {
        let witnesses = ["a", "b"].map(str::to_owned);
        for (shown, hides) in [
            (&["a", "b"][..], None),
            (&["b", "c", "a", "a"], None),
            (&["a", "c"], Some("b")),
            (&["b", "c"], Some("a")),
            (&[], Some("a")),
        ] {
            let items: Vec<_> = shown.iter().map(|intent| serde_json::json!({"intent": intent})).collect();
            let ledgers = Readings { ledgers: vec![("l".into(), Ledger::new(&items, "/intent"))] };
            assert_eq!(hidden(&witnesses, &ledgers), hides.map(|intent| (intent, "l")), "{shown:?}");
            assert_eq!(hidden(&[], &ledgers), None, "nothing was shown before");
        }
    }
}
