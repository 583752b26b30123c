//! From bytes to values and lines. Invariant: constant memory, however long the input is.

pub mod access;
pub mod ansi;
pub mod decode;
pub mod embedded;
pub mod frame;
pub mod prefix;
pub mod reader;
pub mod trace;
