//! The name of a run, put into the names of its intents. Invariant: no two runs share one, so that records of an earlier
//! run never count for a later one.

use std::time::SystemTime;

use sha2::{Digest, Sha256};

/// 8 hex digits, other ones at each call.
pub fn run_id() -> String {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |d| d.as_nanos());
    hex::encode(&Sha256::digest(format!("{since}-{}", std::process::id()))[..4])
}
