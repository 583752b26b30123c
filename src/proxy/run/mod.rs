//! `idem proxy -- COMMAND`: the user's client run through the proxy, once or under each fault, and judged at once.
//! Invariant: what did not come about proves nothing, and the command's own code is told apart from a finding's.

pub mod args;
pub mod audit;
pub mod calls;
pub mod charges;
pub mod client;
pub mod command;
pub mod intents;
pub mod outcome;
pub mod recording;
pub mod report;
pub mod trial;

pub use command::command;
