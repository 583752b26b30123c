//! What is answered to which method, over either transport. Invariant: a request is served by the rules of one revision,
//! which it names itself or which its session began with.

use std::sync::Arc;

use serde_json::{Value, json};

use super::tool::{self, Tool};
use crate::mcp::message::{Fault, code};
use crate::mcp::meta::{PROTOCOL_VERSION, SERVER_INFO};
use crate::mcp::version::Version;
use crate::server::service::ChargeService;

/// The revision that a request names in its `_meta`; None where it names none, as those of a session do.
///
/// # Errors
/// It names one that is not spoken here.
pub fn named_version(tool: &Tool, params: &Value) -> Result<Option<Version>, Fault> {
    let Some(named) = params.get("_meta").and_then(|meta| meta.get(PROTOCOL_VERSION)) else { return Ok(None) };
    let requested = named.as_str().unwrap_or_default();
    match Version::parse(requested) {
        Ok(version) if version.is_stateless() && tool.speaks(version) => Ok(Some(version)),
        Ok(_) | Err(_) => {
            let data = json!({"supported": tool.versions(), "requested": named});
            Err(Fault { data, ..Fault::new(code::UNSUPPORTED_VERSION, "unsupported protocol version") })
        }
    }
}

/// The result of a request by a revision.
///
/// # Errors
/// The protocol's.
pub async fn result(
    service: Arc<ChargeService>,
    tool: &Tool,
    version: Version,
    method: &str,
    params: &Value,
) -> Result<Value, Fault> {
    let unknown = || Fault::new(code::METHOD_NOT_FOUND, format!("method not found: {method}"));
    let mut result = match (method, version.is_stateless()) {
        ("server/discover", true) => json!({"supportedVersions": tool.versions(), "capabilities": {"tools": {}}}),
        ("ping", false) => json!({}),
        ("tools/list", _) => json!({"tools": [tool.description(service.policy())]}),
        ("tools/call", _) => tool::call(service, params, tool.asks && version.is_stateless()).await?,
        _ => return Err(unknown()),
    };
    if version.is_stateless() {
        if result.get("resultType").is_none() {
            result["resultType"] = json!("complete");
        }
        result["_meta"] = json!({SERVER_INFO: about()});
        if method != "tools/call" {
            (result["ttlMs"], result["cacheScope"]) = (json!(0), json!("private"));
        }
    }
    Ok(result)
}

/// The result of `initialize`, and the revision that the session goes by from now on.
///
/// # Errors
/// No revision that begins with a handshake is spoken here.
pub fn initialize(tool: &Tool, params: &Value) -> Result<(Version, Value), Fault> {
    let requested = params.get("protocolVersion").and_then(Value::as_str).unwrap_or_default();
    let mut spoken = tool.versions();
    spoken.retain(|version| !version.is_stateless());
    let asked = Version::parse(requested).ok().filter(|version| spoken.contains(version));
    let Some(version) = asked.or(spoken.first().copied()) else {
        let only = tool.versions().into_iter().map(Version::name).collect::<Vec<_>>().join(", ");
        return Err(Fault::new(code::METHOD_NOT_FOUND, format!("no handshake here: the revision is {only}")));
    };
    let result = json!({"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": about()});
    Ok((version, result))
}

fn about() -> Value {
    json!({"name": "idem-serve", "version": env!("CARGO_PKG_VERSION")})
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::mcp::tool::Hints;

    fn tool(only: Option<Version>) -> Tool {
        Tool { hints: Hints::True, only, streams: false, asks: false }
    }

    #[test]
    fn a_session_goes_by_the_revision_asked_for_or_by_the_newest_that_has_sessions() {
        let begun = |only, asked: &str| {
            initialize(&tool(only), &json!({"protocolVersion": asked})).map(|(version, _)| version).ok()
        };
        assert_eq!(begun(None, "2025-06-18"), Some(Version::V20250618));
        assert_eq!(begun(None, "2024-11-05"), Some(Version::V20251125));
        assert_eq!(begun(Some(Version::V20250618), "2025-11-25"), Some(Version::V20250618));
        assert_eq!(begun(Some(Version::V20260728), "2025-11-25"), None);
    }

    #[test]
    fn only_a_stateless_revision_is_named_by_a_request() {
        let named = |only, version: &str| {
            named_version(&tool(only), &json!({"_meta": {PROTOCOL_VERSION: version}})).map_err(|fault| fault.code)
        };
        assert_eq!(named(None, "2026-07-28"), Ok(Some(Version::V20260728)));
        assert_eq!(named(Some(Version::V20251125), "2026-07-28"), Err(code::UNSUPPORTED_VERSION));
        assert_eq!(named(None, "2025-11-25"), Err(code::UNSUPPORTED_VERSION));
        assert_eq!(named(None, "1900-01-01"), Err(code::UNSUPPORTED_VERSION));
        assert_eq!(named_version(&tool(None), &json!({"_meta": {}})), Ok(None));
    }
}
