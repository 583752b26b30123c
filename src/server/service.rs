//! The charge server: `POST /charges` on hyper. Invariant: a charge that has begun is finished and known to the store
//! whatever becomes of the connection that asked for it; hyper drops a handler when its client hangs up, so the commit
//! runs in a task of its own. What is not HTTP at all gets hyper's own bare 400; everything else refused is a problem.

use std::future::poll_fn;
use std::io;
use std::net::{Shutdown, TcpListener};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::bail;
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::RwLock;
use tokio::task::{JoinHandle, JoinSet};

use super::fault::{Disruption, PhaseCounter};
use super::gate::Gates;
use super::ledger::{Charge, Ledger};
use super::mcp;
use super::mcp::tool::Tool;
use super::policy::Policy;
use super::problem::Problem;
use super::request::{self, ChargeRequest};
use super::store::{Settled, Store};

/// How long a server waits for others.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// For a request's head; idle connections are closed after it too.
    pub head: Duration,
    /// For a request's body.
    pub body: Duration,
    /// For the client of a held reply to give up; then it gets the reply.
    pub hold: Duration,
}

impl Default for Patience {
    fn default() -> Patience {
        Patience { head: Duration::from_secs(10), body: Duration::from_secs(5), hold: Duration::from_secs(30) }
    }
}

/// What is still read of a refused request, so that its answer is not lost in a reset.
const DRAIN_LIMIT: Duration = Duration::from_secs(1);

/// What one server knows: gone with it, but for the ledger and the faults.
#[derive(Debug)]
pub struct ChargeService {
    policy: Policy,
    ledger: Arc<Ledger>,
    faults: Arc<PhaseCounter>,
    gates: Gates,
    store: Store,
    /// Held shared by each commit under way; whoever takes it whole finds the ledger at rest.
    commits: Arc<RwLock<()>>,
    pub patience: Patience,
    /// What it is as a tool; None where it takes charges by plain HTTP.
    pub tool: Option<Tool>,
    /// Of the tool.
    pub sessions: mcp::Sessions,
    /// Why a connection could not be taken, as the operating system says it.
    failure: Mutex<Option<String>>,
}

/// The reply is to be lost: hyper gives up the connection without writing a byte.
#[derive(Debug)]
struct Dropped;

impl std::fmt::Display for Dropped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the reply is dropped")
    }
}

impl std::error::Error for Dropped {}

impl ChargeService {
    /// A service with an empty store. `charged` is what the ledger already holds; `rivals` is how many requests of an
    /// intent come at the same time (1: no race).
    pub fn new(
        policy: Policy,
        ledger: Arc<Ledger>,
        charged: &[Charge],
        faults: Arc<PhaseCounter>,
        rivals: usize,
    ) -> ChargeService {
        ChargeService {
            policy,
            ledger,
            faults,
            gates: Gates::new(rivals),
            store: Store::new(policy, charged),
            commits: Arc::default(),
            patience: Patience::default(),
            tool: None,
            sessions: mcp::Sessions::default(),
            failure: Mutex::default(),
        }
    }

    async fn answer(self: Arc<Self>, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Dropped> {
        if let Some(tool) = self.tool {
            return Ok(mcp::answer(self, tool, request).await);
        }
        let charge = match request::read(request, self.policy, self.patience.body).await {
            Ok(charge) => charge,
            Err(problem) => return Ok(problem.response()),
        };
        let disruption = self.faults.next(&charge.intent);
        if disruption == Disruption::RefuseBeforeCommit {
            return Ok(Problem::new(StatusCode::SERVICE_UNAVAILABLE, "failed before the commit").response());
        }
        let hold = self.patience.hold;
        let reply = match self.commit(charge).await {
            Ok(settled) => reply(&settled),
            Err(problem) => return Ok(problem.response()),
        };
        match disruption {
            Disruption::DropAfterCommit => return Err(Dropped),
            Disruption::HoldAfterCommit(least) => {
                tokio::time::sleep(least).await;
                // The client giving up drops this future, which is what it waits for.
                let _ = tokio::time::timeout(hold, std::future::pending::<()>()).await;
            }
            Disruption::None | Disruption::RefuseBeforeCommit => {}
        }
        Ok(reply)
    }

    fn note(&self, error: &io::Error) {
        let mut failure = self.failure.lock().expect("nobody panics while noting a failure");
        failure.get_or_insert_with(|| error.to_string());
    }

    pub fn policy(&self) -> Policy {
        self.policy
    }

    /// Returns when no commit is under way.
    pub async fn at_rest(&self) {
        let _at_rest = self.commits.write().await;
    }

    /// Charges, whatever becomes of who asked. Errors: as [`Store::settle`].
    pub async fn commit(self: Arc<Self>, request: ChargeRequest) -> Result<Settled, Problem> {
        let under_way = self.commits.clone().read_owned().await;
        let commit = tokio::spawn(async move {
            let _under_way = under_way;
            self.gates.arrived(&request.intent).await;
            self.store.settle(&request, &self.ledger, &self.gates).await
        });
        commit.await.unwrap_or_else(|_| Err(Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "the commit failed")))
    }
}

fn reply(settled: &Settled) -> Response<Full<Bytes>> {
    let body = json!({ "receipt": settled.charge.receipt, "replay": settled.replay });
    let mut response = Response::new(Full::from(body.to_string()));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if settled.replay {
        response.headers_mut().insert("idempotent-replayed", HeaderValue::from_static("true"));
    }
    response
}

/// A running server. Dropping it ends it as a crash would, but for commits under way.
#[derive(Debug)]
pub struct Server {
    accept: JoinHandle<()>,
    service: Arc<ChargeService>,
}

impl Server {
    /// Serves on a listener that is already bound. Errors: the listener cannot be made non-blocking.
    pub fn start(listener: TcpListener, service: ChargeService) -> io::Result<Server> {
        listener.set_nonblocking(true)?;
        let listener = tokio::net::TcpListener::from_std(listener)?;
        let service = Arc::new(service);
        let accept = tokio::spawn(accept(listener, service.clone()));
        Ok(Server { accept, service })
    }

    /// Cuts every connection and returns when no commit is under way: the ledger is at rest. The error says why some
    /// connection could not be taken: then what the clients saw says nothing about the policy.
    pub async fn stop(mut self) -> anyhow::Result<()> {
        self.accept.abort();
        // Aborted, so it ends by being cancelled: there is no result to look at.
        let _ = (&mut self.accept).await;
        self.service.at_rest().await;
        match self.service.failure.lock().expect("nobody panics while noting a failure").take() {
            Some(failure) => bail!("cannot take a connection: {failure}"),
            None => Ok(()),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.accept.abort();
    }
}

async fn accept(listener: tokio::net::TcpListener, service: Arc<ChargeService>) {
    let mut connections = JoinSet::new();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                connections.spawn(converse(stream, service.clone()));
            }
            // The client left already.
            Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
            // Out of descriptors, most likely: that passes, but not without a trace.
            Err(error) => {
                service.note(&error);
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        }
        while connections.try_join_next().is_some() {}
    }
}

async fn converse(stream: TcpStream, service: Arc<ChargeService>) {
    let head = service.patience.head;
    let answer = service_fn(move |request| Box::pin(service.clone().answer(request)));
    let mut connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(head)
        .serve_connection(TokioIo::new(stream), answer);
    // Without hyper's own shutdown, so that a dropped reply ends the socket both ways at once.
    let ended = poll_fn(|context| connection.poll_without_shutdown(context)).await;
    let mut stream = connection.into_parts().io.into_inner();
    if ended.is_ok() && stream.shutdown().await.is_ok() {
        let _ = tokio::time::timeout(DRAIN_LIMIT, drain(&mut stream)).await;
    }
    if let Ok(stream) = stream.into_std() {
        // Fails where the client has closed already, which is as good.
        let _ = stream.shutdown(Shutdown::Both);
    }
}

async fn drain(stream: &mut TcpStream) {
    let mut rest = vec![0; 4096];
    while matches!(stream.read(&mut rest).await, Ok(read) if read > 0) {}
}
