//! Attempts at the target, and the retries that settle them. Invariant: it provokes and observes, and judges nothing.

pub mod faulty;
pub mod fence;
pub mod join;
pub mod restarted;
pub mod session;
pub mod settle;
