//! The words of the field, each with its one rule. Invariant: pure; only `text` is below.

pub mod canonical;
pub mod chance;
pub mod dedup_window;
pub mod exit;
pub mod figures;
pub mod intent;
pub mod named;
pub mod outcome;
pub mod points;
pub mod run_id;
