//! The Model Context Protocol, as far as calls of tools need it: JSON-RPC 2.0, its revisions, and what a reply says.
//! Invariant: nothing here decides a verdict, and nothing that the protocol leaves open is guessed.

pub mod bridge;
pub mod call;
pub mod client;
pub mod events;
pub mod message;
pub mod meta;
pub mod reply;
pub mod speech;
pub mod tools;
pub mod version;
