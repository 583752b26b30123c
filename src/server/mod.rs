//! The charge server, and `idem serve`. Invariant: a charge is a line of the ledger, whatever becomes of its reply.

pub mod args;
pub mod command;
pub mod fault;
pub mod gate;
pub mod ledger;
pub mod mcp;
pub mod policy;
pub mod problem;
pub mod request;
pub mod service;
pub mod store;
#[cfg(test)]
mod tests;

pub use command::command;
