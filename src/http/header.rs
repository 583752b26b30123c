//! Headers as the user gives them. Invariant: a header can be sent as it is, and none of those that frame the request.

use anyhow::{Context, ensure};

/// A header as curl's `-H` takes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    pub name: String,
    pub value: String,
}

impl Header {
    /// # Errors
    /// Where the name is not a token (RFC 9110, 5.6.2), or the value holds a line break.
    pub fn parse(text: &str) -> anyhow::Result<Header> {
        let (name, value) = text.split_once(':').with_context(|| format!("{text}: give a header as 'Name: value'"))?;
        let token =
            !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b));
        ensure!(token, "{name}: not a header name");
        let ours = ["host", "content-length", "transfer-encoding", "connection"];
        ensure!(!ours.iter().any(|o| name.eq_ignore_ascii_case(o)), "{name}: idem sets this header itself");
        ensure!(!value.contains(['\r', '\n', '\0']), "{name}: the value holds a line break");
        Ok(Header { name: name.to_string(), value: value.trim().to_string() })
    }
}
