//! HTTP/1.1 as both sides of the wire see it. Invariant: nothing here retries, pools or judges.

pub mod address;
pub mod client;
pub mod header;
pub mod message;
pub mod retry_after;
pub mod stream;
pub mod transport;
pub mod trust;
mod unverified;
pub mod url;
