//! The fault proxy: two independent legs with HTTP/1.1 framing, and one fault per exchange. Invariant: the plan
//! decides and the proxy acts; it acts on observed events, and all that it did can be read from its events.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::{JoinHandle, JoinSet};

use super::apply;
use super::client_leg::ClientLeg;
use super::event::{self, EventKind, Events, Sink};
use super::exchange::Exchange;
use super::fault::Fault;
use super::settings::Settings;
use super::tunnel;
use crate::http::address::Route;

/// Decides the fault of each exchange, once its request has been read whole.
type Plan = Arc<dyn Fn(&Exchange) -> Fault + Send + Sync>;

/// A running proxy. It ends, with all its connections, when it is stopped or dropped.
pub struct Proxy {
    address: SocketAddr,
    events: Events,
    accepting: JoinHandle<()>,
}

/// What all connections of one proxy share.
struct Shared {
    upstream: Route,
    settings: Settings,
    plan: Plan,
    sink: Sink,
}

impl Proxy {
    /// Serves `listener` on the present tokio runtime. `plan` is called once for each request, in the order in which
    /// the requests came in whole.
    ///
    /// # Errors
    /// Where the listener has no local address.
    pub fn start(
        listener: TcpListener,
        upstream: impl Into<Route>,
        settings: Settings,
        plan: impl Fn(&Exchange) -> Fault + Send + Sync + 'static,
    ) -> std::io::Result<Proxy> {
        let address = listener.local_addr()?;
        let (sink, events) = event::channel();
        let upstream = upstream.into();
        let shared = Arc::new(Shared { upstream, settings, plan: Arc::new(plan), sink });
        Ok(Proxy { address, events, accepting: tokio::spawn(accept(listener, shared)) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What happens, in order, from the start on. Nothing is lost while nobody reads; it is kept in memory.
    pub fn events(&mut self) -> &mut Events {
        &mut self.events
    }

    /// Closes the listener and all connections, whatever they are waiting for.
    pub async fn stop(mut self) {
        self.accepting.abort();
        // It can only end by the abort, or by a panic that was already shown.
        let _ = (&mut self.accepting).await;
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// Accepts until it is aborted; the connections are aborted with it.
async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    let free = Arc::new(Semaphore::new(shared.settings.connections));
    let mut connections = JoinSet::new();
    while let Ok(permit) = Arc::clone(&free).acquire_owned().await {
        match listener.accept().await {
            Ok((stream, _)) => {
                let connection = serve(stream, Arc::clone(&shared));
                connections.spawn(async move {
                    connection.await;
                    drop(permit);
                });
            }
            // Out of descriptors, or the client left the backlog: neither ends the proxy.
            Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
        }
        while connections.try_join_next().is_some() {}
    }
}

/// One client connection: exchange after exchange, in order, so that pipelined requests are safe.
async fn serve(stream: TcpStream, shared: Arc<Shared>) {
    // Without it a small reply may wait for an acknowledgement of the one before; the proxy works without.
    let _ = stream.set_nodelay(true);
    let mut client = ClientLeg::new(stream, &shared.settings);
    loop {
        let request = match client.request().await {
            Ok(Some(request)) => request,
            Ok(None) => return,
            Err(malformed) => {
                let notes = shared.sink.exchange();
                notes.note(EventKind::BadRequest { detail: malformed.to_string() });
                return client.refuse(&malformed).await;
            }
        };
        if tunnel::is_asked_for(&request) {
            return tunnel::run(&request, client, &shared.upstream, &shared.settings).await;
        }
        let notes = shared.sink.exchange();
        let exchange = Exchange { id: notes.id(), request: Arc::new(request) };
        notes.note(EventKind::RequestRead { request: Arc::clone(&exchange.request) });
        let fault = (shared.plan)(&exchange);
        let goes_on = apply::run(&exchange, fault, &mut client, (&shared.upstream, &shared.settings), &notes).await;
        notes.note(EventKind::Ended);
        if !goes_on {
            return;
        }
    }
}
