//! A certificate authority of the test's own, and a TLS server by its certificates. Shared by unit and integration tests.
#![allow(dead_code)]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::danger::ClientCertVerifier;
use tokio_rustls::rustls::server::{NoClientAuth, WebPkiClientVerifier};
use tokio_rustls::rustls::{RootCertStore, ServerConfig};

pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
}

/// A certificate and its key, both in PEM.
pub struct Identity {
    pub certificate: String,
    pub key: String,
}

impl Authority {
    pub fn new() -> Authority {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        // Each has a name of its own: who is asked for is told from who signed wrongly.
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("authority {}", NEXT.fetch_add(1, Ordering::Relaxed));
        params.distinguished_name.push(DnType::CommonName, name);
        let key = KeyPair::generate().unwrap();
        let pem = params.self_signed(&key).unwrap().pem();
        Authority { issuer: Issuer::new(params, key), pem }
    }

    /// Its own certificate as a file of `folder`.
    pub fn file(&self, folder: &Path) -> PathBuf {
        let path = folder.join("ca.pem");
        std::fs::write(&path, &self.pem).unwrap();
        path
    }

    /// For a host name or an address.
    pub fn identity(&self, name: &str) -> Identity {
        self.issue(CertificateParams::new(vec![name.to_owned()]).unwrap())
    }

    pub fn issue(&self, params: CertificateParams) -> Identity {
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap().pem();
        Identity { certificate, key: key.serialize_pem() }
    }
}

impl Identity {
    pub fn acceptor(&self) -> TlsAcceptor {
        TlsAcceptor::from(Arc::new(self.config()))
    }

    pub fn config(&self) -> ServerConfig {
        self.config_by(Arc::new(NoClientAuth))
    }

    /// Asks clients for a certificate of this authority.
    pub fn config_for_clients_of(&self, authority: &Authority) -> ServerConfig {
        let mut roots = RootCertStore::empty();
        roots.add(certificate(&authority.pem)).unwrap();
        let provider = Arc::new(ring::default_provider());
        self.config_by(WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build().unwrap())
    }

    fn config_by(&self, clients: Arc<dyn ClientCertVerifier>) -> ServerConfig {
        let key = PrivateKeyDer::from_pem_slice(self.key.as_bytes()).unwrap();
        let builder = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
        let builder = builder.with_safe_default_protocol_versions().unwrap().with_client_cert_verifier(clients);
        builder.with_single_cert(vec![certificate(&self.certificate)], key).unwrap()
    }

    /// Writes both as files of `folder`, as servers take them.
    pub fn files(&self, folder: &Path) -> [PathBuf; 2] {
        let write = |name: &str, pem: &str| {
            let path = folder.join(name);
            std::fs::write(&path, pem).unwrap();
            path
        };
        [write("server.pem", &self.certificate), write("server.key", &self.key)]
    }
}

fn certificate(pem: &str) -> CertificateDer<'static> {
    CertificateDer::from_pem_slice(pem.as_bytes()).unwrap()
}
