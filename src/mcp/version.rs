//! Revisions of the protocol. Invariant: what differs between them is asked here, never by a date in text.

use crate::terms::named::named_enum;

named_enum! {
    /// A revision, the oldest first.
    pub enum Version {
        /// The first one; over HTTP it had another transport, which idem does not speak.
        V20241105 = "2024-11-05",
        /// The first with one HTTP endpoint; its requests do not name it in a header.
        V20250326 = "2025-03-26",
        /// A session begins with `initialize`; each later request names the revision in a header.
        V20250618 = "2025-06-18",
        /// As before.
        V20251125 = "2025-11-25",
        /// No session: each request says by itself who asks and by which revision.
        V20260728 = "2026-07-28",
    }
}

impl Version {
    /// The newest one.
    pub const NEWEST: Version = Version::V20260728;
    /// The newest one that begins with a handshake.
    pub const NEWEST_OF_SESSIONS: Version = Version::V20251125;

    /// Whether each request stands for itself; else a handshake comes first.
    pub fn is_stateless(self) -> bool {
        match self {
            Version::V20241105 | Version::V20250326 | Version::V20250618 | Version::V20251125 => false,
            Version::V20260728 => true,
        }
    }

    /// Whether requests after the handshake carry `MCP-Protocol-Version`.
    pub fn has_header(self) -> bool {
        match self {
            Version::V20241105 | Version::V20250326 => false,
            Version::V20250618 | Version::V20251125 | Version::V20260728 => true,
        }
    }
}
