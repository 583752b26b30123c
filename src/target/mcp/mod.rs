//! `idem probe --mcp`: what comes of the calls that agents make again? The data path: connect, choose tools, and for each
//! the probe of a target whose requests are calls. Invariant: nothing is driven, judged or reported here.

pub mod args;
mod arguments;
mod command;
mod tools;

pub use command::command;
