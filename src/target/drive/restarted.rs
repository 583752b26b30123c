//! The user's restart command. Invariant: what comes after it meets a server that answers.

use std::time::{Duration, Instant};

use super::session::Session;
use crate::http::client;
use crate::http::client::Request;
use crate::target::shell;
use crate::terms::outcome::Symptom;

/// For the server to be ready.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long connections may be refused before the command is run once more: a server that starts while the killed one
/// still holds its port or its files ends at once. The last try has all the patience.
const REFUSED: [Duration; 3] = [Duration::from_secs(8), Duration::from_secs(20), PATIENCE];

/// Runs the restart command, and waits until the server answers again.
///
/// # Errors
/// Says how the command failed, or what the server last said.
pub async fn restarted(session: &Session, command: &str) -> Result<(), String> {
    if let Some(why) = session.never_up.borrow().as_ref() {
        return Err(why.clone());
    }
    let mut since = Duration::ZERO;
    for refused in REFUSED {
        shell::effect(command, shell::PATIENCE).await.map_err(|why| format!("--restart-cmd: {why}"))?;
        match ready(session, refused).await {
            Ok(()) => return Ok(()),
            Err(Symptom::Refused) => since += refused,
            Err(last) => return Err(format!("the server is not ready after {PATIENCE:?}: {last}")),
        }
    }
    let why = format!("the server is not ready after {since:?} and {} starts: {}", REFUSED.len(), Symptom::Refused);
    session.never_up.replace(Some(why.clone()));
    Err(why)
}

/// Waits until a request is neither refused nor answered 502 or 503. It asks for options, which changes nothing (RFC
/// 9110, 9.2.1).
///
/// # Errors
/// Gives how the last request failed: after a minute, or where connections are refused for so long.
async fn ready(session: &Session, refused: Duration) -> Result<(), Symptom> {
    let target = session.target();
    let request = Request {
        method: "OPTIONS".into(),
        host: target.authority.clone(),
        target: session.options.template.path.clone(),
        headers: Vec::new(),
        body: Vec::new(),
    };
    let begin = Instant::now();
    loop {
        let outcome = client::attempt(target.socket, &request, session.patience()).await;
        let up = match (&outcome.reply, outcome.symptom) {
            (Some(reply), _) => !matches!(reply.status, 502 | 503),
            (None, Symptom::Closed | Symptom::BadReply) => true,
            (None, _) => false,
        };
        if up {
            return Ok(());
        }
        let patience = if outcome.symptom == Symptom::Refused { refused } else { PATIENCE };
        if begin.elapsed() > patience {
            return Err(outcome.symptom);
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
