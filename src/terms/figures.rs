//! The five figures of a scenario, declared or measured.

use serde::{Deserialize, Serialize};

/// Counts, all of them. Only `duplicates` = 0, `lost` = 0 and `charges` = the number of intents is clean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figures {
    /// Requests sent, retries included.
    pub requests: u64,
    /// Ledger lines.
    pub charges: u64,
    /// Intents charged at least once.
    pub unique: u64,
    /// Sum over intents of max(0, charges - 1).
    pub duplicates: u64,
    /// Expected intents with no charge.
    pub lost: u64,
}

impl std::ops::AddAssign for Figures {
    fn add_assign(&mut self, other: Figures) {
        self.requests += other.requests;
        self.charges += other.charges;
        self.unique += other.unique;
        self.duplicates += other.duplicates;
        self.lost += other.lost;
    }
}

impl Figures {
    /// The figures by their names in the JSON document, in the table's order.
    pub fn named(&self) -> [(&'static str, u64); 5] {
        [
            ("requests", self.requests),
            ("charges", self.charges),
            ("unique", self.unique),
            ("duplicates", self.duplicates),
            ("lost", self.lost),
        ]
    }
}
