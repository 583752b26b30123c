//! The declared rows.

use super::subject::{Checked, SelfCheck, Subject, same};
use crate::probe::verdict::RowVerdict;
use crate::terms::figures::Figures;

pub(super) const CHECKS: &[SelfCheck] = &[
    SelfCheck { name: "rows-are-the-ten-published-ones", run: are_the_published },
    SelfCheck { name: "rows-add-up-at-any-size", run: add_up },
    SelfCheck { name: "rows-are-judged-by-every-figure", run: judged_by_every_figure },
];

/// Scenario, policy, key, and requests, charges, unique, duplicates, lost.
const PUBLISHED: [(&str, &str, &str, [u64; 5]); 10] = [
    ("pre_fail_naive", "naive", "none", [6, 3, 3, 0, 0]),
    ("post_drop_naive", "naive", "none", [6, 6, 3, 3, 0]),
    ("post_drop_key_atomic", "key_atomic", "stable", [6, 3, 3, 0, 0]),
    ("post_drop_key_per_attempt", "key_atomic", "per_attempt", [6, 6, 3, 3, 0]),
    ("content_hash_two_orders", "content_hash", "stable", [2, 1, 1, 0, 1]),
    ("race_racy", "key_racy", "stable", [20, 20, 10, 10, 0]),
    ("race_atomic", "key_atomic", "stable", [20, 10, 10, 0, 0]),
    ("at_most_once", "naive", "stable", [3, 0, 0, 0, 3]),
    ("ttl_shorter_than_backoff", "key_ttl", "stable", [6, 6, 3, 3, 0]),
    ("restart_store_lost", "key_atomic", "stable", [2, 2, 1, 1, 0]),
];

fn are_the_published(subject: &Subject) -> Checked {
    let mut ten = subject.scenarios.iter().filter(|scenario| scenario.of_the_ten);
    for row in PUBLISHED {
        let declared = ten.next().map(|scenario| {
            let figures = scenario.declared.figures(scenario.intents).named().map(|(_, figure)| figure);
            (scenario.name, scenario.policy.name(), scenario.key.name(), figures)
        });
        same(row.0, declared, Some(row))?;
    }
    same("rows after the ten", ten.count(), 0)
}

/// Every charge is the first of its intent or a duplicate, every intent is charged or lost, and no more is sent than the
/// attempts allow.
fn add_up(subject: &Subject) -> Checked {
    for scenario in subject.scenarios {
        for intents in [scenario.intents, scenario.intents * 1000] {
            let case = |what: &str| format!("{} with {intents} intents: {what}", scenario.name);
            let Figures { requests, charges, unique, duplicates, lost } = scenario.declared.figures(intents);
            same(&case("charges"), charges, unique + duplicates)?;
            same(&case("unique and lost"), unique + lost, u64::from(intents))?;
            same(&case("a request for each charge"), charges <= requests, true)?;
            let most = u64::from(intents * scenario.rivals * scenario.attempts);
            same(&case("requests within the budget"), requests <= most, true)?;
        }
    }
    Ok(())
}

fn judged_by_every_figure(subject: &Subject) -> Checked {
    let row = Figures { requests: 6, charges: 5, unique: 4, duplicates: 3, lost: 2 };
    let others = [
        Figures { requests: 7, ..row },
        Figures { charges: 4, ..row },
        Figures { unique: 5, ..row },
        Figures { duplicates: 0, ..row },
        Figures { lost: 0, ..row },
    ];
    same("the row itself", (subject.verdict)(&row, &row), RowVerdict::Ok)?;
    for other in others {
        same(&format!("{other:?}"), (subject.verdict)(&row, &other), RowVerdict::Mismatch)?;
        same(&format!("{other:?} declared"), (subject.verdict)(&other, &row), RowVerdict::Mismatch)?;
    }
    Ok(())
}
