//! The dedup window against the retry span.

use std::time::Duration;

use super::subject::{Checked, SelfCheck, Subject, same};
use crate::probe::scenario::BACKOFF;
use crate::server::policy::Policy;

pub(super) const CHECKS: &[SelfCheck] = &[
    SelfCheck { name: "window-must-cover-the-retry-span", run: covers_the_span },
    SelfCheck { name: "window-too-short-is-declared-to-duplicate", run: too_short_duplicates },
];

/// Three attempts, 350 ms apart, 5 s of patience: 6.05 s.
fn covers_the_span(subject: &Subject) -> Checked {
    for (millis, covered) in [(100, false), (5_000, false), (6_049, false), (6_050, true), (86_400_000, true)] {
        let window = Duration::from_millis(millis);
        let covers = (subject.covers)(window, 3, Duration::from_millis(350), Duration::from_secs(5));
        same(&format!("{window:?} for 3 x 350ms + 5s"), covers, covered)?;
    }
    Ok(())
}

/// The scenarios with a window: each is outlived, already by one backoff, and declared to charge twice.
fn too_short_duplicates(subject: &Subject) -> Checked {
    let mut windows = 0;
    for scenario in subject.scenarios {
        if let Policy::KeyTtl { window } = scenario.policy {
            windows += 1;
            let covers = (subject.covers)(window, scenario.attempts, BACKOFF, scenario.patience);
            same(&format!("{}: the rule holds", scenario.name), covers, false)?;
            same(&format!("{}: shorter than one backoff", scenario.name), window < BACKOFF, true)?;
            let duplicates = scenario.declared.figures(scenario.intents).duplicates;
            same(&format!("{}: duplicates", scenario.name), duplicates, u64::from(scenario.intents))?;
        }
    }
    same("scenarios with a window", windows, 1)
}
