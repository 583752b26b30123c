//! `idem proxy` as a process, between a client and an upstream of raw bytes.

#[path = "../support/authority.rs"]
mod authority;
#[path = "../support/mod.rs"]
mod common;
mod faults;
mod framing;
#[path = "../support/python.rs"]
mod python;
mod support;
mod transports;
mod usage;
