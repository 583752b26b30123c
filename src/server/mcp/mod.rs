//! The charge server as a tool of the Model Context Protocol. Invariant: it is the same server behind another door: what
//! becomes of a charge is decided by its policy alone.

mod dialogue;
mod http;
pub mod stdio;
pub mod tool;

pub use http::{PATH, Sessions, answer};
