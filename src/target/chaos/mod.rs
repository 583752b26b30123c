//! Seeded exploration: schedules of steps are drawn, played and judged by the four invariants, and what breaks one is
//! shrunk. The data path: step, schedule, draw, play, shrink, pursue, explore, report. Invariant: drawing and shrinking are pure.

pub mod args;
pub mod command;
pub mod coverage;
pub mod draw;
pub mod explore;
pub mod file;
pub mod finding;
#[cfg(test)]
pub mod fixtures;
pub mod habits;
pub mod in_process;
pub mod means;
pub mod play;
pub mod pursue;
pub mod replayed;
pub mod schedule;
pub mod send;
pub mod shape;
pub mod shrink;
pub mod size;
pub mod small;
pub mod stand_in;
pub mod state;
pub mod step;
pub mod summary;
pub mod trial;
pub mod words;
pub mod world;

pub use command::command;
