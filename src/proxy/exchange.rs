//! One request of a client at the proxy. Invariant: it was read whole.

use std::sync::Arc;

use crate::http::message::{Message, Start};

/// A request that the proxy has read whole.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// As in the events.
    pub id: u64,
    pub request: Arc<Message>,
}

impl Exchange {
    /// The request's method, as it was written.
    pub fn method(&self) -> &str {
        match &self.request.head.start {
            Start::Request { method, .. } => method,
            Start::Response { .. } => "",
        }
    }
}
