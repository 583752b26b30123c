//! What was sent and what came of it. Invariant: facts alone, no judgement.

pub mod answer;
pub mod case;
#[cfg(test)]
pub mod fixtures;
