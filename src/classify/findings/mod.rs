//! What readings show together. Invariant: what is forgotten is counted.

pub mod document;
pub mod finder;
pub mod history;
pub mod lookback;
pub mod tally;

#[cfg(test)]
mod tests;
