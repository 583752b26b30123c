//! `idem explain`: the reference, in the binary. Invariant: what it says of a name stands beside that name in its registry;
//! only prose that belongs to no registry is kept here.

pub mod args;
pub mod command;
pub mod config;
pub mod entries;
pub mod libraries;
pub mod manual;
pub mod page;
pub mod topics;

pub use command::command;
