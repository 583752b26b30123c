//! What a TLS server has to show, and the handshake in which it does. Invariant: nothing is sent to a server whose
//! certificate was not verified, unless the user gave it up with `--insecure`.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, ensure};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::client::Resumption;
use tokio_rustls::rustls::crypto::{CryptoProvider, ring};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{AlertDescription, CertificateError, ClientConfig, Error, RootCertStore};

use super::unverified::Unverified;

/// Whom we trust, made once for all connections of a run.
#[derive(Debug)]
pub struct Trust {
    config: Arc<ClientConfig>,
    /// Authorities beside the built-in ones; None where there are none.
    pub cacert: Option<PathBuf>,
    /// Whoever answers is taken for the server.
    pub is_insecure: bool,
}

impl Trust {
    /// As the options say it; `is_asked` is whether any URL is https.
    ///
    /// # Errors
    /// As [`Trust::new`], and where the options would change nothing.
    pub fn of_options(cacert: Option<&Path>, is_insecure: bool, is_asked: bool) -> anyhow::Result<Trust> {
        ensure!(is_asked || cacert.is_none(), "--cacert changes nothing: no URL is https");
        ensure!(is_asked || !is_insecure, "--insecure changes nothing: no URL is https");
        Trust::new(cacert, is_insecure)
    }

    /// # Errors
    /// Where `cacert` cannot be read, or holds no certificate, or one that is none.
    pub fn new(cacert: Option<&Path>, is_insecure: bool) -> anyhow::Result<Trust> {
        let provider = Arc::new(ring::default_provider());
        let mut config = config(provider, cacert, is_insecure)?;
        // HTTP/2 would be another wire than the one whose faults are made.
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        // Nothing is carried from one connection to the next: no replica gets another one's ticket.
        config.resumption = Resumption::disabled();
        Ok(Trust { config: Arc::new(config), cacert: cacert.map(Path::to_owned), is_insecure })
    }

    /// # Errors
    /// Why the handshake failed, in words, with what to do.
    pub async fn handshake(
        &self,
        name: &ServerName<'static>,
        stream: TcpStream,
    ) -> Result<TlsStream<TcpStream>, String> {
        let connector = TlsConnector::from(Arc::clone(&self.config));
        let failed = |error| format!("TLS handshake with {}: {}", name.to_str(), told(&error));
        connector.connect(name.clone(), stream).await.map_err(failed)
    }
}

impl fmt::Display for Trust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.cacert, self.is_insecure) {
            (_, true) => f.write_str("any certificate, by --insecure"),
            (Some(file), false) => write!(f, "the built-in authorities and {}", file.display()),
            (None, false) => f.write_str("the built-in authorities"),
        }
    }
}

fn config(provider: Arc<CryptoProvider>, cacert: Option<&Path>, is_insecure: bool) -> anyhow::Result<ClientConfig> {
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions()?;
    if is_insecure {
        let verifier = Arc::new(Unverified::new(provider));
        return Ok(builder.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth());
    }
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    if let Some(file) = cacert {
        add(&mut roots, file).with_context(|| format!("--cacert {}", file.display()))?;
    }
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}

/// Adds the authorities of a PEM file.
fn add(roots: &mut RootCertStore, file: &Path) -> anyhow::Result<()> {
    let pem = std::fs::read(file).context("cannot read it")?;
    let mut count = 0;
    for certificate in CertificateDer::pem_slice_iter(&pem) {
        count += 1;
        let certificate = certificate.map_err(|why| anyhow::anyhow!("certificate {count} is not PEM: {why}"))?;
        roots.add(certificate).with_context(|| format!("certificate {count} cannot be an authority"))?;
    }
    ensure!(count > 0, "no certificate in it; give a PEM file, with -----BEGIN CERTIFICATE-----");
    Ok(())
}

/// What an error of a connection says, in the handshake or after it, and what to do where we know it.
pub fn told(error: &io::Error) -> String {
    let Some(reason) = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>()) else {
        return match error.kind() {
            // The library's own words end in a link.
            io::ErrorKind::UnexpectedEof => "the server closed the connection without a close_notify".to_owned(),
            _ => error.to_string().to_lowercase(),
        };
    };
    match advice(reason) {
        Some(advice) => format!("{reason}; {advice}"),
        None => reason.to_string(),
    }
}

/// None where the reason says all there is to say.
fn advice(reason: &Error) -> Option<&'static str> {
    match reason {
        Error::InvalidCertificate(CertificateError::UnknownIssuer) => {
            Some("nobody trusted has issued it: give the certificate of its authority as --cacert FILE")
        }
        Error::InvalidCertificate(
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
        ) => Some("give the URL with a name that the certificate is for"),
        // The library has no variant of its own for it.
        Error::InvalidCertificate(CertificateError::Other(other))
            if other.to_string().contains("CaUsedAsEndEntity") =>
        {
            Some("the server shows an authority's certificate (CA:TRUE): let the authority issue one for the server")
        }
        Error::InvalidMessage(_) => Some("the answer is not TLS: is it an http:// server?"),
        Error::AlertReceived(AlertDescription::NoApplicationProtocol) => Some("it must speak http/1.1 (ALPN)"),
        Error::AlertReceived(AlertDescription::CertificateRequired) => Some("client certificates are not supported"),
        _ => None,
    }
}
