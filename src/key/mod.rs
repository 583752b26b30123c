//! `idem key`: the key and the canonical form of a user's own intents.

pub mod args;
pub mod command;

pub use command::command;
