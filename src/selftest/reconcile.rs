//! Reconciliation.

use super::subject::{Checked, SelfCheck, Subject, same};
use crate::reconcile::tally::Totals;

pub(super) const CHECKS: &[SelfCheck] = &[
    SelfCheck { name: "reconcile-clean-is-once-each", run: clean },
    SelfCheck { name: "reconcile-counts-charges-beyond-the-first", run: duplicates },
    SelfCheck { name: "reconcile-counts-expected-without-a-charge", run: lost },
    SelfCheck { name: "reconcile-counts-charged-but-not-expected", run: unexpected },
    SelfCheck { name: "reconcile-is-not-fooled-by-a-balance", run: balance },
];

/// Holds the totals of charges against the expected intents `a b c`.
fn totals(subject: &Subject, charges: &[&str], want: Totals) -> Checked {
    same(&format!("a b c expected, {charges:?} charged"), (subject.reconcile)(&["a", "b", "c"], charges), want)
}

fn clean(subject: &Subject) -> Checked {
    let want =
        Totals { committed: 3, expected: 3, distinct: 3, duplicates: 0, lost: 0, unexpected: 0, ..Totals::default() };
    totals(subject, &["c", "a", "b"], want)
}

fn duplicates(subject: &Subject) -> Checked {
    let want =
        Totals { committed: 6, expected: 3, distinct: 3, duplicates: 3, lost: 0, unexpected: 0, ..Totals::default() };
    totals(subject, &["a", "b", "a", "c", "a", "b"], want)
}

fn lost(subject: &Subject) -> Checked {
    let want =
        Totals { committed: 1, expected: 3, distinct: 1, duplicates: 0, lost: 2, unexpected: 0, ..Totals::default() };
    totals(subject, &["b"], want)?;
    let want =
        Totals { committed: 0, expected: 3, distinct: 0, duplicates: 0, lost: 3, unexpected: 0, ..Totals::default() };
    totals(subject, &[], want)
}

fn unexpected(subject: &Subject) -> Checked {
    let want =
        Totals { committed: 6, expected: 3, distinct: 5, duplicates: 1, lost: 0, unexpected: 2, ..Totals::default() };
    totals(subject, &["a", "b", "c", "y", "z", "z"], want)
}

/// Three charges for three intents, and one was charged twice while another was not.
fn balance(subject: &Subject) -> Checked {
    let want =
        Totals { committed: 3, expected: 3, distinct: 2, duplicates: 1, lost: 1, unexpected: 0, ..Totals::default() };
    totals(subject, &["a", "a", "b"], want)
}
