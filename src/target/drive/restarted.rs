//! The user's restart command. Invariant: what comes after it meets a server that answers.

use std::time::{Duration, Instant};

use super::session::Session;
use crate::console::shell;
use crate::http::client;
use crate::http::client::{Outcome, Request};
use crate::target::options::Restart;
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
pub async fn restarted(session: &Session, how: &Restart) -> Result<(), String> {
    if let Some(why) = session.never_up.borrow().as_ref() {
        return Err(why.clone());
    }
    let mut since = Duration::ZERO;
    for refused in REFUSED {
        kill_and_start(how).await?;
        match ready(session, refused).await {
            Ok(()) => return spoken_to(session, how).await,
            Err(Symptom::Refused) => since += refused,
            Err(last) => return Err(format!("the server is not ready after {PATIENCE:?}: {last}")),
        }
    }
    let why = format!("the server is not ready after {since:?} and {} starts: {}", REFUSED.len(), Symptom::Refused);
    session.never_up.replace(Some(why.clone()));
    Err(why)
}

async fn kill_and_start(how: &Restart) -> Result<(), String> {
    match how {
        Restart::Command(command) => {
            shell::effect(command, shell::PATIENCE).await.map_err(|why| format!("--restart-cmd: {why}"))
        }
        Restart::Process(bridge) => bridge.restart().await,
    }
}

/// A tool's server forgot its session. A process of ours has heard its handshake again already.
async fn spoken_to(session: &Session, how: &Restart) -> Result<(), String> {
    match (how, &session.options.template.tool) {
        (Restart::Command(_), Some(tool)) => tool.reconnect().await,
        (Restart::Command(_), None) | (Restart::Process(_), _) => Ok(()),
    }
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
        // What it names was never charged.
        target: session.options.template.request(&session.call("ready"), &target.authority).target,
        headers: Vec::new(),
        body: Vec::new(),
    };
    let begin = Instant::now();
    loop {
        let outcome = client::attempt(&target.route, &request, session.patience()).await;
        if is_up(&outcome) {
            return Ok(());
        }
        let patience = if outcome.symptom == Symptom::Refused { refused } else { PATIENCE };
        if begin.elapsed() > patience {
            return Err(outcome.symptom);
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Whether the server itself is there: a gateway in front of it answers 502 or 503 while it is not, and what closes the
/// connection or answers in no known way is there all the same.
fn is_up(outcome: &Outcome) -> bool {
    match (&outcome.reply, outcome.symptom) {
        (Some(reply), _) => !matches!(reply.status, 502 | 503),
        (None, Symptom::Closed | Symptom::BadReply) => true,
        (None, _) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::client::Reply;

    fn outcome(symptom: Symptom, status: Option<u16>) -> Outcome {
        let reply = status.map(|status| Reply { status, headers: Vec::new(), body: Vec::new() });
        Outcome { symptom, reply, detail: None, elapsed: Duration::ZERO }
    }

    #[test]
    fn a_server_is_up_once_it_answers_itself() {
        for (status, up) in [
            (200, true),
            (204, true),
            (404, true),
            (405, true),
            (500, true),
            (501, true),
            (502, false),
            (503, false),
            (504, true),
        ] {
            assert_eq!(is_up(&outcome(Symptom::of_status(status), Some(status))), up, "{status}");
        }
    }

    #[test]
    fn without_a_reply_only_what_took_the_connection_and_ended_it_is_up() {
        for symptom in Symptom::ALL.iter().copied() {
            let up = matches!(symptom, Symptom::Closed | Symptom::BadReply);
            assert_eq!(is_up(&outcome(symptom, None)), up, "{symptom}");
        }
    }
}
