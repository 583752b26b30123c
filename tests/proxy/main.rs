//! `idem proxy` as a process, between a client and an upstream of raw bytes.

mod faults;
mod framing;
mod support;
mod usage;
