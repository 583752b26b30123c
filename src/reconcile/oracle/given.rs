//! The options that say where to count, validated. Invariant: an `Oracle` can be asked: its address is resolved and
//! allowed, and its pointers are pointers.

use std::time::Duration;

use anyhow::{Context, ensure};

use super::{Oracle, Source};
use crate::http::address::Address;
use crate::http::header::Header;
use crate::http::url::Url;

/// The longest `--ledger-lag`.
const LONGEST_LAG: Duration = Duration::from_secs(600);

/// The options of a command that counts in the user's own records, as they were written.
pub struct Given<'a> {
    /// A file, a URL, or `none`.
    pub ledger: Option<&'a str>,
    /// Where it is, if it is a URL.
    pub url: Option<(Address, Url)>,
    pub command: Option<&'a str>,
    pub items_at: Option<&'a str>,
    pub headers: &'a [String],
    /// None: no lag.
    pub lag: Option<Duration>,
}

impl Given<'_> {
    /// None where neither a ledger nor a command was given. `option` is the one that says where an item holds the intent,
    /// `at` what it says; None for `/intent`.
    ///
    /// # Errors
    /// Names the option, what is wrong with it, and what to give instead.
    pub fn oracle(self, option: &str, at: Option<&str>) -> anyhow::Result<Option<Oracle>> {
        let lag = self.lag.unwrap_or(Duration::ZERO);
        ensure!(lag <= LONGEST_LAG, "--ledger-lag {lag:?}: give {:?} to {LONGEST_LAG:?}", Duration::ZERO);
        let items_at = self.items_at.map(|p| pointer("--ledger-items", p)).transpose()?;
        let intent_at = pointer(option, at.unwrap_or("/intent"))?;
        Ok(self.source()?.map(|source| Oracle { source, items_at, intent_at, lag }))
    }

    fn source(self) -> anyhow::Result<Option<Source>> {
        Ok(Some(match (self.url, self.ledger, self.command) {
            (_, _, Some(command)) => Source::Command(command.to_owned()),
            (Some((address, url)), _, None) => {
                let headers = self.headers.iter().map(|h| Header::parse(h).context("--ledger-header"));
                Source::Url { address, url, headers: headers.collect::<Result<_, _>>()? }
            }
            (None, Some("none"), None) => Source::None,
            (None, Some(file), None) => Source::File(file.into()),
            (None, None, None) => return Ok(None),
        }))
    }
}

/// A JSON pointer (RFC 6901): empty, or it begins with a slash.
///
/// # Errors
/// Names the option.
pub fn pointer(option: &str, text: &str) -> anyhow::Result<String> {
    ensure!(text.is_empty() || text.starts_with('/'), "{option} {text}: a JSON pointer begins with /, as in /{text}");
    Ok(text.to_string())
}
