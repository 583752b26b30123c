//! Where requests go. Invariant: an `Address` is loopback, or a host that the user allowed by name: requests
//! through us make real charges.

use std::fmt;
use std::net::{SocketAddr, ToSocketAddrs};

use anyhow::{Context, bail, ensure};

/// An http URL in its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Url {
    /// Without brackets for an IPv6 address.
    pub host: String,
    pub port: u16,
    /// Path and query, at least `/`.
    pub path: String,
}

impl Url {
    /// # Errors
    /// For https (with advice), another scheme, user information, or a port that is not a number.
    pub fn parse(text: &str) -> anyhow::Result<Url> {
        if text.starts_with("https://") {
            bail!(
                "{text}: https is not supported yet; give the server's local http address, behind the proxy that ends TLS"
            );
        }
        let rest = text
            .strip_prefix("http://")
            .with_context(|| format!("{text}: give an address as http://127.0.0.1:8080/charges"))?;
        let at = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(at);
        ensure!(
            !authority.contains('@'),
            "user information in the URL is not supported; give it as --header 'Authorization: …'"
        );
        ensure!(text.bytes().all(|b| b.is_ascii_graphic()), "{text}: percent-encode what is not plain ASCII");
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if !port.contains(']') => {
                (host, port.parse().with_context(|| format!("{text}: port {port}"))?)
            }
            _ => (authority, 80),
        };
        let host = host.trim_start_matches('[').trim_end_matches(']');
        ensure!(!host.is_empty(), "{text}: no host");
        let path = path.split('#').next().unwrap_or(path);
        let path = if path.starts_with('/') { path.to_string() } else { format!("/{path}") };
        Ok(Url { host: host.to_string(), port, path })
    }

    /// The value of the Host header (RFC 9110, 7.2).
    pub fn authority(&self) -> String {
        let host = if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        if self.port == 80 { host } else { format!("{host}:{}", self.port) }
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "http://{}{}", self.authority(), self.path)
    }
}

/// A resolved and allowed address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    pub socket: SocketAddr,
    /// The value of the Host header.
    pub authority: String,
}

impl Address {
    /// # Errors
    /// For a name that does not resolve, and for a host that is neither loopback nor among the allowed.
    pub fn resolve(url: &Url, allowed: &[String]) -> anyhow::Result<Address> {
        let found: Vec<_> = (url.host.as_str(), url.port)
            .to_socket_addrs()
            .with_context(|| format!("{}: the name does not resolve", url.host))?
            .collect();
        // A name with both families is most often served on IPv4 alone where servers are developed.
        let socket = found
            .iter()
            .find(|a| a.is_ipv4())
            .or(found.first())
            .with_context(|| format!("{}: no address", url.host))?;
        let allowed = socket.ip().is_loopback() || allowed.iter().any(|host| host == &url.host);
        ensure!(
            allowed,
            "{} is not loopback, and these requests make real charges; if that is meant, add --allow-host {}",
            url.host,
            url.host
        );
        Ok(Address { socket: *socket, authority: url.authority() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_split_into_their_parts() {
        let url = Url::parse("http://localhost:8080/v1/charges?x=1#top").unwrap();
        assert_eq!((url.host.as_str(), url.port, url.path.as_str()), ("localhost", 8080, "/v1/charges?x=1"));
        assert_eq!(Url::parse("http://[::1]:81").unwrap().authority(), "[::1]:81");
        assert_eq!(Url::parse("http://127.0.0.1").unwrap().to_string(), "http://127.0.0.1/");
        for bad in ["https://x/", "ftp://x/", "x", "http://", "http://a:b@c/", "http://x:99999/", "http://x/ä"] {
            assert!(Url::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn only_loopback_is_allowed_unasked() {
        let url = Url::parse("http://192.0.2.1:80/charges").unwrap();
        let refused = Address::resolve(&url, &[]).unwrap_err().to_string();
        assert!(refused.contains("--allow-host 192.0.2.1"), "{refused}");
        assert!(Address::resolve(&url, &["192.0.2.1".into()]).is_ok());
        assert!(Address::resolve(&Url::parse("http://127.0.0.1:1/").unwrap(), &[]).is_ok());
    }
}
