//! `idem proxy` as a process, between a client and an upstream of raw bytes.

#[path = "../support/mod.rs"]
mod common;
mod faults;
mod framing;
mod support;
mod usage;
