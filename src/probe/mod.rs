//! `idem probe`: the ten scenarios. The data path: scenario, runner, run, verdict, report.

pub mod args;
pub mod attempt;
pub mod baseline;
pub mod command;
pub mod ledger_dir;
pub mod report;
pub mod retry;
pub mod run;
pub mod runner;
pub mod scenario;
pub mod verdict;

pub use command::command;
