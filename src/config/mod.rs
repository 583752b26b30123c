//! `idem.toml`: options that need not be typed again. Invariant: a key of a table is an option of its command and nothing
//! else, so the file has no meaning of its own; what stands on the command line goes before it.

pub mod args;
mod environment;
mod expand;
mod file;
mod table;
mod write;

pub use expand::{Expanded, FILE, expand};
pub use file::Value;
pub use table::{options, target};
pub use write::{line, plain, sample};
