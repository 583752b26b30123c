//! The URLs that can be given. Invariant: what was parsed can be asked for, and what is shown of it can be given again.

use std::fmt;
use std::path::PathBuf;

use anyhow::{Context, bail, ensure};

/// Whom a URL names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    Host {
        /// Without brackets for an IPv6 address.
        host: String,
        port: u16,
        is_tls: bool,
    },
    /// A Unix socket, by its file.
    Socket(PathBuf),
}

/// A URL in its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Url {
    pub place: Place,
    /// Path and query, at least `/`.
    pub path: String,
}

impl Url {
    /// Whether a text is meant as a URL, and not as a file.
    pub fn is_meant(text: &str) -> bool {
        ["http://", "https://", "unix:"].iter().any(|scheme| text.starts_with(scheme))
    }

    /// # Errors
    /// For another scheme, user information, or a port that is not a number.
    pub fn parse(text: &str) -> anyhow::Result<Url> {
        ensure!(text.bytes().all(|b| b.is_ascii_graphic()), "{text}: percent-encode what is not plain ASCII");
        if let Some(socket) = text.strip_prefix("unix:") {
            return Url::of_socket(socket).with_context(|| text.to_owned());
        }
        let (rest, is_tls) = match (text.strip_prefix("http://"), text.strip_prefix("https://")) {
            (Some(rest), _) => (rest, false),
            (None, Some(rest)) => (rest, true),
            (None, None) => bail!("{text}: give an address as http://127.0.0.1:8080/charges, https://… or unix:/FILE"),
        };
        let at = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(at);
        ensure!(
            !authority.contains('@'),
            "user information in the URL is not supported; give it as --header 'Authorization: …'"
        );
        let (host, port) = host_and_port(authority).with_context(|| text.to_owned())?;
        let port = port.unwrap_or(default_port(is_tls));
        Ok(Url { place: Place::Host { host, port, is_tls }, path: absolute(path) })
    }

    /// A file, and behind `:/` a path, as nginx writes them.
    fn of_socket(text: &str) -> anyhow::Result<Url> {
        let at = text.find(":/").unwrap_or(text.len());
        let (file, path) = text.split_at(at);
        ensure!(!file.is_empty(), "give a socket's file, as in unix:/run/charges.sock");
        Ok(Url { place: Place::Socket(file.into()), path: absolute(path.trim_start_matches(':')) })
    }

    pub fn is_tls(&self) -> bool {
        matches!(self.place, Place::Host { is_tls: true, .. })
    }

    /// The value of the Host header (RFC 9110, 7.2). A Unix socket has no name; its clients say localhost.
    pub fn authority(&self) -> String {
        match &self.place {
            Place::Host { host, port, is_tls } => {
                let host = if host.contains(':') { format!("[{host}]") } else { host.clone() };
                if *port == default_port(*is_tls) { host } else { format!("{host}:{port}") }
            }
            Place::Socket(_) => "localhost".to_owned(),
        }
    }

    /// Without the query, which may hold a secret.
    pub fn without_query(&self) -> Url {
        let path = self.path.split('?').next().unwrap_or("/").to_owned();
        Url { place: self.place.clone(), path }
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Place::Host { is_tls, .. } => {
                let scheme = if *is_tls { "https" } else { "http" };
                write!(f, "{scheme}://{}{}", self.authority(), self.path)
            }
            Place::Socket(file) => write!(f, "unix:{}:{}", file.display(), self.path),
        }
    }
}

/// RFC 9110, 4.2.1 and 4.2.2.
fn default_port(is_tls: bool) -> u16 {
    if is_tls { 443 } else { 80 }
}

/// The port is None where none is given.
fn host_and_port(authority: &str) -> anyhow::Result<(String, Option<u16>)> {
    let is_bare = !authority.starts_with('[') && authority.matches(':').count() > 1;
    ensure!(!is_bare, "an IPv6 address stands in brackets, as in http://[::1]:8080/");
    let (host, port) = match authority.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((host, rest)) => (host, rest),
        None => authority.split_at(authority.find(':').unwrap_or(authority.len())),
    };
    ensure!(!host.is_empty(), "no host");
    let port = match port.strip_prefix(':') {
        Some(port) => Some(port.parse().with_context(|| format!("port {port}"))?),
        None if port.is_empty() => None,
        None => bail!("after the address comes a port, as in [::1]:8080"),
    };
    Ok((host.to_owned(), port))
}

/// Without a fragment, which is not sent, and with its slash.
fn absolute(path: &str) -> String {
    let path = path.split('#').next().unwrap_or(path);
    if path.starts_with('/') { path.to_owned() } else { format!("/{path}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_split_into_their_parts() {
        let host = |host: &str, port, is_tls| Place::Host { host: host.into(), port, is_tls };
        for (url, place, path, authority) in [
            ("http://localhost:8080/v1?x=1#top", host("localhost", 8080, false), "/v1?x=1", "localhost:8080"),
            ("http://127.0.0.1", host("127.0.0.1", 80, false), "/", "127.0.0.1"),
            ("https://127.0.0.1?x", host("127.0.0.1", 443, true), "/?x", "127.0.0.1"),
            ("https://a.test:80#x", host("a.test", 80, true), "/", "a.test:80"),
            ("http://a.test:443/", host("a.test", 443, false), "/", "a.test:443"),
            ("http://[::1]:81", host("::1", 81, false), "/", "[::1]:81"),
            ("https://[::1]/c", host("::1", 443, true), "/c", "[::1]"),
            ("unix:/run/x.sock", Place::Socket("/run/x.sock".into()), "/", "localhost"),
            ("unix:x.sock:/charges?y", Place::Socket("x.sock".into()), "/charges?y", "localhost"),
        ] {
            let parsed = Url::parse(url).unwrap();
            assert_eq!((&parsed.place, parsed.path.as_str()), (&place, path), "{url}");
            assert_eq!((parsed.authority().as_str(), parsed.is_tls()), (authority, url.starts_with("https")), "{url}");
            assert_eq!(Url::parse(&parsed.to_string()).unwrap(), parsed, "{url}");
            assert!(!parsed.without_query().path.contains('?') && Url::is_meant(url), "{url}");
        }
    }

    #[test]
    fn what_is_not_a_url_is_refused() {
        for (bad, says) in [
            ("ftp://x/", "give an address as http://"),
            ("x", "give an address as http://"),
            ("http://", "no host"),
            ("https://:8080/", "no host"),
            ("http://a:b@c/", "user information"),
            ("http://x:99999/", "port 99999"),
            ("http://x:/", "port"),
            ("http://x/ä", "percent-encode"),
            ("http://::1:8080/", "in brackets"),
            ("http://[::1]8080/", "after the address comes a port"),
            ("unix:", "give a socket's file"),
            ("unix::/charges", "give a socket's file"),
        ] {
            let why = format!("{:#}", Url::parse(bad).unwrap_err());
            assert!(why.contains(says), "{bad}: {why}");
        }
        assert!(!Url::is_meant("charges.jsonl"));
    }
}
