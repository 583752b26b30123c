//! `idem probe --target`: does MY endpoint charge twice? The data path: options, checks, drive, facts, judge, run, report.

pub mod addresses;
pub mod args;
pub mod chaos;
pub mod checks;
pub mod command;
pub mod drive;
pub mod facts;
pub mod judge;
pub mod mcp;
pub mod options;
pub mod report;
pub mod request;
pub mod run;
pub mod signer;

pub use command::command;
