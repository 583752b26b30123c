//! The dedup window against the arrival of the last attempt.

use std::time::Duration;

use super::subject::{Checked, SelfCheck, Subject, same};
use crate::probe::scenario::BACKOFF;
use crate::server::policy::Policy;
use crate::terms::dedup_window::Retries;

pub(super) const CHECKS: &[SelfCheck] = &[
    SelfCheck { name: "window-must-cover-the-retry-span", run: covers_the_span },
    SelfCheck { name: "window-too-short-is-declared-to-duplicate", run: too_short_duplicates },
];

/// Three attempts of 5 s each, 350 ms apart, and packets up to 50 ms late: the last may arrive 2 x 5.35 s and 50 ms after
/// the first.
fn covers_the_span(subject: &Subject) -> Checked {
    let (timeout, backoff) = (Duration::from_secs(5), Duration::from_millis(350));
    let retries = Retries { attempts: 3, timeout, backoff, late: Duration::from_millis(50) };
    for (millis, covered) in [(100, false), (6_050, false), (10_749, false), (10_750, true), (86_400_000, true)] {
        let window = Duration::from_millis(millis);
        let case = format!("{window:?} for 2 x (5s + 350ms) + 50ms");
        same(&case, (subject.covers)(window, &retries), covered)?;
    }
    Ok(())
}

/// The scenarios with a window: each is outlived, already by one backoff, and declared to charge twice.
fn too_short_duplicates(subject: &Subject) -> Checked {
    let mut windows = 0;
    for scenario in subject.scenarios {
        if let Policy::KeyTtl { window } = scenario.policy {
            windows += 1;
            let (attempts, timeout) = (scenario.attempts, scenario.patience);
            let retries = Retries { attempts, timeout, backoff: BACKOFF, late: Duration::ZERO };
            let covers = (subject.covers)(window, &retries);
            same(&format!("{}: the rule holds", scenario.name), covers, false)?;
            same(&format!("{}: shorter than one backoff", scenario.name), window < BACKOFF, true)?;
            let duplicates = scenario.declared.figures(scenario.intents).duplicates;
            same(&format!("{}: duplicates", scenario.name), duplicates, u64::from(scenario.intents))?;
        }
    }
    same("scenarios with a window", windows, 1)
}
