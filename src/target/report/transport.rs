//! How the target was reached, where that bounds what the faults show. Invariant: it is said in every format that has
//! room for it, and nowhere for plain TCP.

use std::fmt;

use serde::Serialize;

use crate::http::address::{Address, Route};

/// None of its parts is of a target that is reached over plain TCP.
#[derive(Serialize)]
pub struct Transport {
    kind: &'static str,
    /// Whose certificates are taken; None without TLS.
    #[serde(skip_serializing_if = "Option::is_none")]
    trusting: Option<String>,
    /// What the target sees of the faults.
    faults: &'static str,
}

impl Transport {
    /// Of the first target that is not reached over plain TCP; None where all are.
    pub fn of(targets: &[Address]) -> Option<Transport> {
        targets.iter().find_map(|target| match &target.route {
            Route::Tcp(_) => None,
            Route::Tls { trust, .. } => Some(Transport {
                kind: "https",
                trusting: Some(trust.to_string()),
                faults: "made on the plain side of the proxy: the target sees whole TLS records, then a close_notify and a \
                         FIN, or a reset; what fails within TLS (handshakes, records cut short) is not provoked",
            }),
            Route::Unix(_) => Some(Transport {
                kind: "unix",
                trusting: None,
                faults: "a Unix socket has no reset: where one is told, the target sees a close",
            }),
        })
    }
}

impl fmt::Display for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind)?;
        if let Some(trusting) = &self.trusting {
            write!(f, " (trusting {trusting})")?;
        }
        write!(f, "; faults: {}", self.faults)
    }
}
