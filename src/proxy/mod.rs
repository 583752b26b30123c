//! The fault proxy, and `idem proxy`. Invariant: one fault per exchange, and all that was done can be read from its events.

pub mod answer;
pub mod apply;
pub mod args;
pub mod attempt_line;
pub mod attempt_log;
pub mod call;
pub mod client_leg;
pub mod command;
pub mod delivery;
pub mod event;
pub mod exchange;
pub mod fault;
pub mod fault_name;
pub mod forward;
pub mod gate;
pub mod legs;
pub mod listener;
pub mod moment;
pub mod place;
pub mod readings;
pub mod run;
pub mod said;
pub mod settings;
pub mod streams;
#[cfg(test)]
mod tests;
pub mod trigger;
pub mod tunnel;
pub mod upstream_leg;

pub use command::command;
pub use event::{Event, EventKind};
pub use fault::{CutAt, End, Fault, SecondCopy, Until};
pub use fault_name::FaultName;
pub use gate::Gate;
pub use listener::Proxy;
pub use moment::reach;
pub use settings::Settings;
