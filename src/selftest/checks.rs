//! All checks of the selftest. Invariant: their order is the order of the report.

use super::subject::SelfCheck;
use super::{canonical, keys, reconcile, retry, rows, window};

/// All checks, in the order in which they are printed.
pub fn checks() -> impl Iterator<Item = &'static SelfCheck> {
    [canonical::CHECKS, keys::CHECKS, reconcile::CHECKS, retry::CHECKS, window::CHECKS, rows::CHECKS]
        .into_iter()
        .flatten()
}
