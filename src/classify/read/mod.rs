//! From bytes to values. Invariant: constant memory, however long the input is.

pub mod frame;
pub mod reader;
