//! The proxy's bounds. Invariant: each wait and each buffer of the proxy has one.

use std::time::Duration;

use crate::http::message::Limits;
use crate::http::transport::CONNECT;

/// What bounds the proxy. Nothing waits longer, or holds more, than this says.
#[derive(Clone, Debug)]
pub struct Settings {
    /// For requests and for replies.
    pub limits: Limits,
    /// Client connections at a time; more wait in the listener's backlog.
    pub connections: usize,
    /// For a connection to the upstream.
    pub connect: Duration,
    /// For the upstream's whole reply, from the last request byte written on; then the client is answered 504.
    pub reply: Duration,
    /// For a client's next whole request, and for a client to take a reply; then its connection is closed.
    pub idle: Duration,
    /// The longest that a reply or a request is held, whatever it is held for.
    pub hold: Duration,
    /// What the forwarded `Host` header says instead of what the client said. None leaves the request as it is.
    pub host: Option<String>,
}

impl Default for Settings {
    /// 64 KiB heads and 16 MiB bodies, 256 connections, 5 s to connect, 30 s for a reply, 60 s idle, 30 s held.
    fn default() -> Settings {
        Settings {
            limits: Limits::default(),
            connections: 256,
            connect: CONNECT,
            reply: Duration::from_secs(30),
            idle: Duration::from_secs(60),
            hold: Duration::from_secs(30),
            host: None,
        }
    }
}
