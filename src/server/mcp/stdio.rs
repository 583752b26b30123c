//! The tool over standard input and output: one message a line. Invariant: nothing but messages is written to standard
//! output, each in one piece, and none for a request that was cancelled.

use std::collections::HashMap;
use std::io::{self, BufRead, Write};
use std::sync::{Arc, Mutex};

use serde_json::Value;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;

use super::dialogue;
use super::tool::Tool;
use crate::mcp::message::{self, Fault, Message, code};
use crate::mcp::version::Version;
use crate::server::service::ChargeService;

/// What the one session of a process knows.
struct Session {
    service: Arc<ChargeService>,
    tool: Tool,
    /// None before a handshake.
    version: Mutex<Option<Version>>,
    /// Requests under way, by their ids as they are written.
    under_way: Mutex<HashMap<String, AbortHandle>>,
}

/// Serves until standard input ends, and until what it began is done.
pub async fn serve(service: ChargeService, tool: Tool) {
    let service = Arc::new(service);
    let session = Arc::new(Session { service, tool, version: Mutex::default(), under_way: Mutex::default() });
    let mut lines = lines();
    let mut tasks = tokio::task::JoinSet::new();
    while let Some(line) = lines.recv().await {
        session.clone().take(&line, &mut tasks);
        while tasks.try_join_next().is_some() {}
    }
    while tasks.join_next().await.is_some() {}
    session.service.at_rest().await;
}

/// Lines of standard input, read where it holds up nobody.
fn lines() -> mpsc::UnboundedReceiver<Vec<u8>> {
    let (sender, lines) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        for line in io::stdin().lock().split(b'\n') {
            let Ok(line) = line else { break };
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    lines
}

impl Session {
    fn take(self: Arc<Session>, line: &[u8], tasks: &mut tokio::task::JoinSet<()>) {
        match Message::parse(line) {
            Ok(Message::Request { id, method, params }) => {
                let (session, name) = (self.clone(), id.to_string());
                let task = tasks.spawn(async move {
                    let result = session.result(&method, &params).await;
                    session.lock_under_way().remove(&id.to_string());
                    write(&message::answer(&id, result));
                });
                self.lock_under_way().insert(name, task);
            }
            Ok(Message::Notification { method, params }) if method == "notifications/cancelled" => {
                let name = params.get("requestId").unwrap_or(&Value::Null).to_string();
                // A charge that has begun is finished all the same; only its answer is not written.
                if let Some(task) = self.lock_under_way().remove(&name) {
                    task.abort();
                }
            }
            Ok(Message::Notification { .. } | Message::Response { .. }) => {}
            Err(fault) => write(&message::answer(&Value::Null, Err(fault))),
        }
    }

    async fn result(&self, method: &str, params: &Value) -> Result<Value, Fault> {
        if method == "initialize" {
            let (version, result) = dialogue::initialize(&self.tool, params)?;
            *self.lock_version() = Some(version);
            return Ok(result);
        }
        let named = dialogue::named_version(&self.tool, params)?;
        let version = named.or(*self.lock_version());
        let version = version.ok_or_else(|| Fault::new(code::INVALID_REQUEST, "not initialized"))?;
        dialogue::result(self.service.clone(), &self.tool, version, method, params).await
    }

    fn lock_version(&self) -> std::sync::MutexGuard<'_, Option<Version>> {
        self.version.lock().expect("nobody panics while holding the version")
    }

    fn lock_under_way(&self) -> std::sync::MutexGuard<'_, HashMap<String, AbortHandle>> {
        self.under_way.lock().expect("nobody panics while holding the requests")
    }
}

/// In one write. Fails where nobody reads any more, which the end of standard input tells too.
fn write(message: &Value) {
    let mut out = io::stdout().lock();
    let _ = out.write_all(format!("{message}\n").as_bytes()).and_then(|()| out.flush());
}
