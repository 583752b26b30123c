//! What is asked of the target. Invariant: a request follows from the template and a call alone.

pub mod body;
pub mod cookies;
pub mod expected;
pub mod fill;
pub mod form;
pub mod given;
pub mod json;
pub mod key;
pub mod poll;
pub mod printed;
pub mod secrets;
pub mod template;
pub mod variation;
pub mod wire;
