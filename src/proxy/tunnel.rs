//! An upgraded connection (RFC 9110, 7.8), as of a WebSocket: bytes both ways until one side ends. Invariant: only a GET that
//! asks for it comes here, so no request that a fault is meant for passes by; it is not logged, since it is no attempt.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;

use super::answer;
use super::client_leg::ClientLeg;
use super::forward::Forwarded;
use super::settings::Settings;
use crate::http::address::Route;
use crate::http::message::{Message, Start};
use crate::http::transport;

/// Whether a request asks to go on in another protocol. HTTP/2 over cleartext is none that a server need take up.
pub fn is_asked_for(request: &Message) -> bool {
    let head = &request.head;
    let gets = matches!(&head.start, Start::Request { method, .. } if method == "GET");
    gets && head.has_token("connection", "upgrade")
        && head.get("upgrade").is_some()
        && !head.has_token("upgrade", "h2c")
}

/// Passes on the request and whatever follows it on both sides.
pub async fn run(request: &Message, mut client: ClientLeg, upstream: &Route, settings: &Settings) {
    let mut server = match timeout(settings.connect, transport::connect(upstream, None)).await {
        Ok(Ok(stream)) => stream,
        Ok(Err(_)) | Err(_) => {
            client.write(&answer::problem(502, "no connection to the upstream", None, "GET", true)).await;
            return;
        }
    };
    let forwarded = Forwarded::new(request, settings.host.as_deref());
    let Some((mut client, ahead)) = client.into_stream() else { return };
    if server.send(&forwarded.bytes).await.is_err() || server.send(&ahead).await.is_err() {
        return;
    }
    let (mut from_client, mut from_server) = ([0; 16 << 10], [0; 16 << 10]);
    let mut client_sends = true;
    loop {
        tokio::select! {
            read = client.read(&mut from_client), if client_sends => match read {
                Ok(count @ 1..) if server.send(&from_client[..count]).await.is_ok() => {}
                // It has ended its side; what the server still says reaches it.
                Ok(_) | Err(_) => {
                    client_sends = false;
                    let _ = server.end().await;
                }
            },
            read = server.read(&mut from_server) => match read {
                Ok(count @ 1..) if client.write_all(&from_server[..count]).await.is_ok() => {}
                Ok(_) | Err(_) => {
                    let _ = client.shutdown().await;
                    return;
                }
            },
        }
    }
}
