//! All checks of a run: what is intended, in which order, and what row each gives.

pub mod plan;
pub mod profile;
pub mod progress;
pub mod receipts;
pub mod row;
pub mod schedule;
