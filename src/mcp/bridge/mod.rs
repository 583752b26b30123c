//! A server on standard streams behind a loopback port, so that what stands between HTTP clients and servers can stand
//! between it and its client too. Invariant: a POST is a line and its reply the line that answers it; who leaves is not
//! answered, and the server does not hear of it.

pub mod process;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex as StdMutex};

use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::sync::Mutex;
use tokio::task::{JoinHandle, JoinSet};

use self::process::Process;
use super::message::Message;

/// Of a request's body, in bytes.
const LARGEST: usize = 16 << 20;

/// A server and its port. Dropping it ends the server.
#[derive(Debug)]
pub struct Bridge {
    pub address: SocketAddr,
    server: Arc<Server>,
    accept: Mutex<JoinHandle<()>>,
}

#[derive(Debug)]
struct Server {
    command: Vec<String>,
    process: Mutex<Arc<Process>>,
    /// The handshake as it was written, for a process that is started again; empty where there is none.
    opening: StdMutex<Vec<Vec<u8>>>,
}

/// The server ended before it answered: the connection ends without a reply.
#[derive(Debug)]
struct Ended;

impl std::fmt::Display for Ended {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the server has ended")
    }
}

impl std::error::Error for Ended {}

impl Bridge {
    /// Starts the command and listens for it on a free port of loopback.
    ///
    /// # Errors
    /// The command cannot be run, or no port is free.
    pub async fn start(command: Vec<String>) -> Result<Bridge, String> {
        let process = Mutex::new(Arc::new(Process::start(&command)?));
        let server = Arc::new(Server { command, process, opening: StdMutex::default() });
        let (address, accept) = listen(&server, SocketAddr::from(([127, 0, 0, 1], 0))).await?;
        Ok(Bridge { address, server, accept: Mutex::new(accept) })
    }

    /// Kills the server and starts it again; in between no connection is taken.
    ///
    /// # Errors
    /// The command cannot be run any more, or the port was taken.
    pub async fn restart(&self) -> Result<(), String> {
        let mut accept = self.accept.lock().await;
        let mut process = self.server.process.lock().await;
        process.kill();
        accept.abort();
        // Aborted, so it ends by being cancelled: there is no result to look at.
        let _ = (&mut *accept).await;
        *process = self.server.started().await?;
        drop(process);
        *accept = listen(&self.server, self.address).await?.1;
        Ok(())
    }

    /// What the server last said on standard error; empty where it said nothing.
    pub async fn complaint(&self) -> String {
        self.server.process.lock().await.complaint()
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        self.accept.get_mut().abort();
    }
}

async fn listen(server: &Arc<Server>, address: SocketAddr) -> Result<(SocketAddr, JoinHandle<()>), String> {
    let bound = TcpListener::bind(address).await.and_then(|listener| Ok((listener.local_addr()?, listener)));
    let (address, listener) = bound.map_err(|error| format!("cannot listen on {address}: {error}"))?;
    Ok((address, tokio::spawn(accept(listener, server.clone()))))
}

async fn accept(listener: TcpListener, server: Arc<Server>) {
    let mut connections = JoinSet::new();
    loop {
        if let Ok((stream, _)) = listener.accept().await {
            let server = server.clone();
            connections.spawn(async move {
                let answer = service_fn(move |request| answer(server.clone(), request));
                // A client that breaks off, or a server that ends, is what is tried here.
                let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), answer).await;
            });
        }
        while connections.try_join_next().is_some() {}
    }
}

async fn answer(server: Arc<Server>, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Ended> {
    if request.method() != Method::POST {
        return Ok(reply(StatusCode::METHOD_NOT_ALLOWED, Vec::new()));
    }
    let Ok(body) = Limited::new(request.into_body(), LARGEST).collect().await else {
        return Ok(reply(StatusCode::PAYLOAD_TOO_LARGE, Vec::new()));
    };
    let line = one_line(&body.to_bytes());
    match Message::parse(&line) {
        Ok(Message::Request { id, method, .. }) => {
            let process = server.running().await.map_err(|_| Ended)?;
            let answer = process.ask(&id, &line).await.ok_or(Ended)?;
            if method == "initialize" {
                server.keep(line, true);
            }
            Ok(reply(StatusCode::OK, answer))
        }
        Ok(Message::Notification { method, .. }) => {
            server.running().await.map_err(|_| Ended)?.tell(&line);
            if method == "notifications/initialized" {
                server.keep(line, false);
            }
            Ok(reply(StatusCode::ACCEPTED, Vec::new()))
        }
        Ok(Message::Response { .. }) | Err(_) => Ok(reply(StatusCode::BAD_REQUEST, Vec::new())),
    }
}

/// Outside of strings, where alone a line can end, a line's end is white space of JSON.
fn one_line(body: &[u8]) -> Vec<u8> {
    body.iter().map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { *byte }).collect()
}

fn reply(status: StatusCode, body: Vec<u8>) -> Response<Full<Bytes>> {
    let response = Response::builder().status(status).header("content-type", "application/json");
    response.body(Full::from(body)).expect("these headers are valid")
}

impl Server {
    /// The process; one that ended by itself is started again ("Unexpected Termination").
    async fn running(&self) -> Result<Arc<Process>, String> {
        let mut process = self.process.lock().await;
        if process.is_gone() {
            *process = self.started().await?;
        }
        Ok(process.clone())
    }

    /// A new process that has heard the handshake of the last one.
    async fn started(&self) -> Result<Arc<Process>, String> {
        let process = Process::start(&self.command)?;
        let opening = self.opening.lock().expect("nobody panics while holding the handshake").clone();
        for line in opening {
            match Message::parse(&line) {
                Ok(Message::Request { id, .. }) => {
                    process.ask(&id, &line).await.ok_or("the server ends when it is started again")?;
                }
                Ok(Message::Notification { .. } | Message::Response { .. }) | Err(_) => process.tell(&line),
            }
        }
        Ok(Arc::new(process))
    }

    /// Keeps a message of the handshake; the first one begins it anew.
    fn keep(&self, line: Vec<u8>, is_first: bool) {
        let mut opening = self.opening.lock().expect("nobody panics while holding the handshake");
        if is_first {
            opening.clear();
        }
        opening.push(line);
    }
}
