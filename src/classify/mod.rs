//! `idem classify`: readings in, one verdict each out. The data path: read, extract, judge, findings, report.

pub mod args;
pub mod command;
pub mod extract;
pub mod findings;
pub mod groups;
pub mod in_process;
pub mod judge;
pub mod judged;
pub mod partition;
pub mod place;
pub mod read;
pub mod report;
pub mod session;
pub mod told;

pub use command::command;
