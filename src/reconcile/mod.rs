//! `idem reconcile`: the ledger against the intents that should have been charged.

pub mod amount;
pub mod args;
pub mod command;
mod formats;
mod input;
pub mod names;
pub mod oracle;
pub mod records;
pub mod report;
pub mod tally;

pub use command::command;
