//! TLS: who is taken for the server, what each failure is called, and how an end is told from a cut.

use std::future::Future;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair, date_time_ymd};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::HandshakeKind;
use tokio_rustls::server::TlsStream;

use self::authority::{Authority, Identity};
use super::*;
use crate::http::address::Address;
use crate::http::trust::Trust;
use crate::http::url::Url;

#[path = "../../../tests/support/authority.rs"]
mod authority;

const PATIENCE: Duration = Duration::from_secs(20);
const WHOLE: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const UNTIL_CLOSE: &[u8] = b"HTTP/1.1 200 OK\r\n\r\nok";

/// One attempt at `https://HOST`, where one connection is served.
async fn attempt_at<S: Future>(
    host: &str,
    trust: impl Into<Arc<Trust>>,
    patience: Duration,
    serve: impl FnOnce(TcpStream) -> S,
) -> Outcome {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = Url::parse(&format!("https://{host}:{}/charges", listener.local_addr().unwrap().port())).unwrap();
    let address = Address::resolve(&url, &[], &trust.into()).unwrap();
    let request = Request {
        method: "POST".into(),
        host: url.authority(),
        target: url.path,
        headers: Vec::new(),
        body: b"{}".to_vec(),
    };
    let server = async { serve(listener.accept().await.unwrap().0).await };
    let (outcome, _) = tokio::join!(attempt(&address.route, &request, patience), server);
    outcome
}

fn trusting(authority: &Authority) -> Trust {
    let folder = tempfile::tempdir().unwrap();
    Trust::new(Some(&authority.file(folder.path())), false).unwrap()
}

/// Answers `reply` by these certificates; then `end`.
async fn answering(identity: Identity, reply: &[u8], end: impl AsyncFnOnce(TlsStream<TcpStream>), stream: TcpStream) {
    let Ok(mut stream) = identity.acceptor().accept(stream).await else { return };
    let mut request = [0; 1024];
    assert!(stream.read(&mut request).await.unwrap() > 0);
    stream.write_all(reply).await.unwrap();
    stream.flush().await.unwrap();
    end(stream).await;
}

async fn orderly(mut stream: TlsStream<TcpStream>) {
    stream.shutdown().await.unwrap();
}

/// A FIN without a close_notify.
async fn abrupt(stream: TlsStream<TcpStream>) {
    stream.into_inner().0.shutdown().await.unwrap();
}

#[tokio::test]
async fn an_end_of_tls_without_its_close_notify_is_a_cut() {
    let authority = Authority::new();
    let part = UNTIL_CLOSE.split_last().unwrap().1;
    for (reply, by_notify, by_fin) in [
        (WHOLE, Symptom::Ok, Symptom::Ok),
        (UNTIL_CLOSE, Symptom::Ok, Symptom::Truncated),
        (part, Symptom::Ok, Symptom::Truncated),
        (&WHOLE[..WHOLE.len() - 1], Symptom::Truncated, Symptom::Truncated),
        (b"HTTP", Symptom::Truncated, Symptom::Truncated),
        (b"", Symptom::Closed, Symptom::Closed),
    ] {
        let told = String::from_utf8_lossy(reply);
        let identity = || authority.identity("localhost");
        let serve = |stream| answering(identity(), reply, orderly, stream);
        let outcome = attempt_at("localhost", trusting(&authority), PATIENCE, serve).await;
        assert_eq!(outcome.symptom, by_notify, "close_notify after {told:?}: {outcome:?}");
        let serve = |stream| answering(identity(), reply, abrupt, stream);
        let outcome = attempt_at("localhost", trusting(&authority), PATIENCE, serve).await;
        assert_eq!(outcome.symptom, by_fin, "FIN after {told:?}: {outcome:?}");
        let is_cut =
            outcome.detail.is_some_and(|detail| detail.ends_with("closed the connection without a close_notify"));
        assert_eq!(is_cut, by_fin != Symptom::Ok, "FIN after {told:?}");
    }
}

#[tokio::test]
async fn only_who_is_trusted_by_name_gets_the_request() {
    let authority = Authority::new();
    let expired = || {
        let mut params = CertificateParams::new(vec!["localhost".into()]).unwrap();
        params.not_after = date_time_ymd(2020, 1, 1);
        authority.issue(params)
    };
    let an_authority = || {
        let mut params = CertificateParams::new(vec!["localhost".into()]).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        authority.issue(params)
    };
    let builtin = || Trust::new(None, false).unwrap();
    for (host, identity, trust, says) in [
        ("localhost", authority.identity("localhost"), trusting(&authority), None),
        ("127.0.0.1", authority.identity("127.0.0.1"), trusting(&authority), None),
        (
            "localhost",
            authority.identity("localhost"),
            builtin(),
            Some("UnknownIssuer; nobody trusted has issued it: give the certificate of its authority as --cacert FILE"),
        ),
        ("localhost", Authority::new().identity("localhost"), trusting(&authority), Some("UnknownIssuer")),
        ("localhost", authority.identity("other.test"), trusting(&authority), Some("\"other.test\"")),
        (
            "127.0.0.1",
            authority.identity("localhost"),
            trusting(&authority),
            Some("give the URL with a name that the certificate is for"),
        ),
        ("localhost", expired(), trusting(&authority), Some("certificate expired")),
        ("localhost", an_authority(), trusting(&authority), Some("an authority's certificate (CA:TRUE)")),
        ("localhost", expired(), Trust::new(None, true).unwrap(), None),
        ("localhost", authority.identity("other.test"), Trust::new(None, true).unwrap(), None),
    ] {
        let outcome = attempt_at(host, trust, PATIENCE, |stream| answering(identity, WHOLE, orderly, stream)).await;
        refused_or_not(&outcome, says);
    }
}

#[track_caller]
fn refused_or_not(outcome: &Outcome, says: Option<&str>) {
    let detail = outcome.detail.as_deref().unwrap_or_default();
    match says {
        None => assert_eq!((outcome.symptom, detail), (Symptom::Ok, "")),
        Some(says) => {
            assert_eq!((outcome.symptom, &outcome.reply), (Symptom::Tls, &None), "{detail}");
            let is_line = detail.starts_with("TLS handshake with ") && detail.lines().count() == 1;
            assert!(detail.contains(says) && is_line, "{detail}");
        }
    }
}

#[tokio::test]
async fn a_certificate_that_signed_itself_can_be_trusted_as_it_is() {
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new(vec!["localhost".into()]).unwrap();
    let identity = Identity { certificate: params.self_signed(&key).unwrap().pem(), key: key.serialize_pem() };
    let folder = tempfile::tempdir().unwrap();
    let trust = Trust::new(Some(&identity.files(folder.path())[0]), false).unwrap();
    let outcome = attempt_at("localhost", trust, PATIENCE, |stream| answering(identity, WHOLE, orderly, stream)).await;
    refused_or_not(&outcome, None);
}

/// With TLS 1.3 our side of the handshake is over before the server has looked for our certificate.
#[tokio::test]
async fn what_is_refused_after_the_handshake_may_have_been_read() {
    let authority = Authority::new();
    let config = authority.identity("localhost").config_for_clients_of(&authority);
    let refusing = async |stream| assert!(TlsAcceptor::from(Arc::new(config)).accept(stream).await.is_err());
    let outcome = attempt_at("localhost", trusting(&authority), PATIENCE, refusing).await;
    assert_eq!(outcome.symptom, Symptom::Reset);
    assert!(outcome.detail.unwrap().contains("CertificateRequired; client certificates are not supported"));
}

#[tokio::test]
async fn nothing_is_carried_from_one_connection_to_the_next() {
    let authority = Authority::new();
    let trust = Arc::new(trusting(&authority));
    let acceptor = authority.identity("localhost").acceptor();
    for _ in 0..2 {
        let serve = async |stream| {
            let mut stream = acceptor.accept(stream).await.unwrap();
            assert_eq!(stream.get_ref().1.handshake_kind(), Some(HandshakeKind::Full));
            stream.write_all(WHOLE).await.unwrap();
            stream.shutdown().await.unwrap();
        };
        let outcome = attempt_at("localhost", Arc::clone(&trust), PATIENCE, serve).await;
        refused_or_not(&outcome, None);
    }
}

/// What a server does instead of a handshake.
#[derive(Clone, Copy)]
enum Instead {
    Answer,
    Close,
    Reset,
    Http2,
}

#[tokio::test]
async fn a_handshake_that_fails_is_named_whatever_made_it_fail() {
    for (instead, says) in [
        (Instead::Answer, "is it an http:// server?"),
        (Instead::Close, "localhost: the server closed the connection without"),
        (Instead::Reset, "localhost: connection reset by peer"),
        (Instead::Http2, "it must speak http/1.1"),
    ] {
        let outcome = attempt_at("localhost", Trust::new(None, true).unwrap(), PATIENCE, |mut stream| async move {
            match instead {
                Instead::Http2 => {
                    let mut config = Authority::new().identity("localhost").config();
                    config.alpn_protocols = vec![b"h2".to_vec()];
                    assert!(TlsAcceptor::from(Arc::new(config)).accept(stream).await.is_err());
                    return;
                }
                Instead::Answer => stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.unwrap(),
                Instead::Close => stream.shutdown().await.unwrap(),
                Instead::Reset => {
                    // Before its first byte it could still be taken for a refusal.
                    stream.read_u8().await.unwrap();
                    stream.set_zero_linger().unwrap();
                }
            }
            if !matches!(instead, Instead::Reset) {
                // What was not read would turn the end into a reset.
                let _ = stream.read_to_end(&mut Vec::new()).await;
            }
        })
        .await;
        refused_or_not(&outcome, Some(says));
    }
}

#[tokio::test]
async fn a_handshake_that_does_not_end_is_a_connect_timeout() {
    let trust = Trust::new(None, true).unwrap();
    let (ended, end) = tokio::sync::oneshot::channel::<()>();
    let silent = |stream| async move {
        let _ = end.await;
        drop::<TcpStream>(stream);
    };
    let attempted = attempt_at("localhost", trust, Duration::from_millis(50), silent);
    let mut attempted = std::pin::pin!(attempted);
    assert!(tokio::time::timeout(Duration::from_millis(200), &mut attempted).await.is_err(), "the server is silent");
    drop(ended);
    assert_eq!(attempted.await.symptom, Symptom::ConnectTimeout);
}

#[test]
fn an_authority_is_read_from_a_file_or_refused_by_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let new = |path: &Path| Trust::new(Some(path), false).map(|_| ()).map_err(|why| format!("{why:#}"));
    let good = Authority::new().file(folder.path());
    assert_eq!(new(&good), Ok(()));
    let pem = std::fs::read_to_string(&good).unwrap();
    for (name, text, says) in [
        ("empty.pem", String::new(), "no certificate in it"),
        ("key.pem", Authority::new().identity("a").key, "no certificate in it"),
        ("torn.pem", pem.replace("-----END", "----"), "certificate 1 is not PEM"),
        (
            "none.pem",
            pem.lines().filter(|l| l.starts_with('-')).collect::<Vec<_>>().join("\nAAAA\n"),
            "certificate 1 cannot be",
        ),
        ("second.pem", format!("{pem}{}", pem.replace("-----END", "----")), "certificate 2 is not PEM"),
    ] {
        std::fs::write(path(name), text).unwrap();
        let why = new(&path(name)).unwrap_err();
        assert!(why.starts_with(&format!("--cacert {}: ", path(name).display())) && why.contains(says), "{why}");
    }
    assert!(new(&path("absent.pem")).unwrap_err().contains("absent.pem: cannot read it: No such file"));
}
