//! `idem proxy` as a process, between a client and an upstream of raw bytes.

mod audit;
#[path = "../support/authority.rs"]
mod authority;
#[path = "../support/mod.rs"]
mod common;
mod faults;
mod framing;
mod pages;
#[path = "../support/python.rs"]
mod python;
mod real_clients;
mod running;
mod support;
mod transports;
mod usage;
