//! `idem proxy --mcp -- COMMAND` without an upstream: between a client and the server that it speaks to over standard streams.
//! Invariant: nothing but the protocol is written to standard output, and a reading is written before its pipe is closed.

mod command;
mod fault;
mod relay;

pub use command::command;
