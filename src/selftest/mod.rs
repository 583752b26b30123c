//! `idem selftest`: the logic that the verdicts rest on, held to values written by hand.

pub mod args;
pub mod canonical;
pub mod checks;
pub mod command;
pub mod keys;
pub mod reconcile;
pub mod retry;
pub mod rows;
pub mod subject;
#[cfg(test)]
mod tests;
pub mod vectors;
pub mod window;

pub use command::command;
