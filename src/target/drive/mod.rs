//! Attempts at the target, and the retries that settle them. Invariant: it provokes and observes, and judges nothing.

pub mod additions;
pub mod exclusive;
pub mod faulty;
pub mod fence;
pub mod join;
pub mod lease;
pub mod load;
pub mod pace;
pub mod poll;
pub mod restarted;
pub mod session;
pub mod settle;
pub mod tool;
