//! Where requests go. Invariant: an `Address` is loopback, a socket of this machine, or a host that the user allowed by
//! name: requests through us make real charges.

use std::fmt;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, anyhow, ensure};
use tokio_rustls::rustls::pki_types::ServerName;

use super::trust::Trust;
use super::url::{Place, Url};

/// How a connection is made.
#[derive(Debug, Clone)]
pub enum Route {
    Tcp(SocketAddr),
    Tls {
        socket: SocketAddr,
        /// Whom the certificate must be for.
        name: ServerName<'static>,
        trust: Arc<Trust>,
    },
    Unix(PathBuf),
}

impl Route {
    /// None for a Unix socket.
    pub fn socket(&self) -> Option<SocketAddr> {
        match self {
            Route::Tcp(socket) | Route::Tls { socket, .. } => Some(*socket),
            Route::Unix(_) => None,
        }
    }
}

impl From<SocketAddr> for Route {
    fn from(socket: SocketAddr) -> Route {
        Route::Tcp(socket)
    }
}

impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Route::Tcp(socket) | Route::Tls { socket, .. } => write!(f, "{socket}"),
            Route::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

/// A resolved and allowed address.
#[derive(Debug, Clone)]
pub struct Address {
    pub route: Route,
    /// The value of the Host header.
    pub authority: String,
}

impl Address {
    /// # Errors
    /// For a name that does not resolve, for a host that is neither loopback nor among the allowed, and for one that is
    /// not loopback and would not be verified.
    pub fn resolve(url: &Url, allowed: &[String], trust: &Arc<Trust>) -> anyhow::Result<Address> {
        let authority = url.authority();
        let route = match &url.place {
            Place::Socket(path) => {
                std::os::unix::net::SocketAddr::from_pathname(path).with_context(|| format!("{url}"))?;
                Route::Unix(path.clone())
            }
            Place::Host { host, port, is_tls: false } => Route::Tcp(socket(host, *port, allowed)?),
            Place::Host { host, port, is_tls: true } => {
                let socket = socket(host, *port, allowed)?;
                ensure!(
                    socket.ip().is_loopback() || !trust.is_insecure,
                    "--insecure: {host} is not loopback, and whoever answers would get the credentials; give --cacert FILE"
                );
                let name = ServerName::try_from(host.clone());
                let name = name.map_err(|why| anyhow!("{host}: not a name that a certificate can be for: {why}"))?;
                Route::Tls { socket, name, trust: Arc::clone(trust) }
            }
        };
        Ok(Address { route, authority })
    }

    /// The URL of a path there.
    pub fn url(&self, path: &str) -> String {
        match &self.route {
            Route::Tcp(_) => format!("http://{}{path}", self.authority),
            Route::Tls { .. } => format!("https://{}{path}", self.authority),
            Route::Unix(_) => format!("{}:{path}", self.route),
        }
    }

    /// What the user should be told before anything is sent there; None where all is well.
    pub fn warning(&self) -> Option<String> {
        let is_unverified = self.trust().is_some_and(|trust| trust.is_insecure);
        is_unverified.then(|| format!("--insecure: the certificate of {} is not verified", self.url("")))
    }

    /// Whom a connection trusts; None where it is not TLS.
    pub fn trust(&self) -> Option<&Trust> {
        match &self.route {
            Route::Tls { trust, .. } => Some(trust),
            Route::Tcp(_) | Route::Unix(_) => None,
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.route {
            Route::Tcp(_) | Route::Tls { .. } => f.write_str(&self.authority),
            Route::Unix(_) => write!(f, "{}", self.route),
        }
    }
}

fn socket(host: &str, port: u16, allowed: &[String]) -> anyhow::Result<SocketAddr> {
    let found: Vec<_> =
        (host, port).to_socket_addrs().with_context(|| format!("{host}: the name does not resolve"))?.collect();
    // A name with both families is most often served on IPv4 alone where servers are developed.
    let socket = found.iter().find(|a| a.is_ipv4()).or(found.first()).with_context(|| format!("{host}: no address"))?;
    ensure!(
        socket.ip().is_loopback() || allowed.iter().any(|allowed| allowed == host),
        "{host} is not loopback, and these requests make real charges; if that is meant, add --allow-host {host}"
    );
    Ok(*socket)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(url: &str, allowed: &[&str], is_insecure: bool) -> anyhow::Result<Address> {
        let allowed: Vec<_> = allowed.iter().map(|host| host.to_string()).collect();
        Address::resolve(&Url::parse(url).unwrap(), &allowed, &Arc::new(Trust::new(None, is_insecure).unwrap()))
    }

    #[test]
    fn only_loopback_is_allowed_unasked() {
        for scheme in ["http", "https"] {
            let url = format!("{scheme}://192.0.2.1/charges");
            let refused = resolve(&url, &[], false).unwrap_err().to_string();
            assert!(refused.contains("--allow-host 192.0.2.1"), "{refused}");
            assert!(resolve(&url, &["192.0.2.1"], false).is_ok());
        }
        for url in ["http://127.0.0.1:1/", "https://127.0.0.1:1/", "http://[::1]:1/", "unix:/run/x.sock"] {
            assert!(resolve(url, &[], false).is_ok(), "{url}");
        }
    }

    #[test]
    fn an_unverified_server_is_on_this_machine() {
        let refused = resolve("https://192.0.2.1/", &["192.0.2.1"], true).unwrap_err().to_string();
        assert!(refused.contains("--insecure") && refused.contains("192.0.2.1"), "{refused}");
        assert!(resolve("https://127.0.0.1/", &[], true).is_ok());
        assert!(resolve("http://192.0.2.1/", &["192.0.2.1"], true).is_ok(), "there is nothing to verify");
    }

    #[test]
    fn an_address_gives_back_its_url() {
        for (url, shown) in [
            ("http://127.0.0.1:8080/charges", "127.0.0.1:8080"),
            ("https://127.0.0.1/charges", "127.0.0.1"),
            ("http://[::1]:8080/charges", "[::1]:8080"),
            ("unix:/run/x.sock:/charges", "unix:/run/x.sock"),
        ] {
            let address = resolve(url, &[], false).unwrap();
            assert_eq!((address.url("/charges").as_str(), address.to_string().as_str()), (url, shown));
        }
    }

    #[test]
    fn a_socket_path_is_as_long_as_the_system_takes() {
        let long = resolve(&format!("unix:/{}", "x".repeat(200)), &[], false).unwrap_err();
        assert!(format!("{long:#}").contains("shorter than SUN_LEN"), "{long:#}");
    }
}
