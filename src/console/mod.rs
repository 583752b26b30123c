//! Between the process and who started it. Invariant: results to standard output, all else to standard error.

pub mod github;
pub mod input;
pub mod interrupt;
pub mod output;
pub mod printable;
pub mod progress;
pub mod report_files;
pub mod shell;
