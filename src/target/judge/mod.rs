//! What the facts mean. Invariant: pure.

pub mod invariants;
pub mod verdict;
