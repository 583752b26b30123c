//! `idem init`: a first idem.toml from one request. The data path: arguments (or an OpenAPI file) to a request, its reply to
//! settings, settings to the file. Invariant: what is guessed is said beside it, and no secret is written.

pub mod args;
mod ask;
mod asked;
mod body;
mod command;
mod environment;
mod ledger;
mod names;
mod openapi;
mod page;
mod reply;

pub use command::command;
