//! The retry that comes at once when the server is back. Invariant: what was never sent, since nothing took the
//! connection, is not told.

use std::cell::Cell;
use std::time::{Duration, Instant};

use crate::http::client;
use crate::target::drive::restarted::restarted;
use crate::target::drive::session::Session;
use crate::target::facts::answer::Class;
use crate::target::facts::case::Case;
use crate::target::options::Restart;

/// How long the moment at which connections are taken again is waited for.
const BACK: Duration = Duration::from_secs(60);

/// Restarts the server, and asks a case the moment that connections are taken again. Gives how that ended, and when
/// connections were refused; None where they never were.
pub async fn restarted_and_asked(
    session: &Session,
    command: &Restart,
    case: &mut Case,
) -> (Result<(), String>, Option<Instant>) {
    let over = Cell::new(false);
    let restart = async {
        let ended = restarted(session, command).await;
        over.set(true);
        ended
    };
    let back = async {
        let gone = until_gone(session, &over).await?;
        moment_it_is_back(session, case).await;
        Some(gone)
    };
    tokio::join!(restart, back)
}

/// Asks again and again until a connection is taken.
async fn moment_it_is_back(session: &Session, case: &mut Case) {
    let end = Instant::now() + BACK;
    while Instant::now() < end {
        session.send(case, 0, "the moment it is back").await;
        if case.attempts.last().is_none_or(|attempt| attempt.answer.class != Class::Unsent) {
            break;
        }
        case.attempts.pop();
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// When connections are refused; None where they never are until the restart is over.
async fn until_gone(session: &Session, over: &Cell<bool>) -> Option<Instant> {
    let to = &session.target().route;
    while !over.get() {
        let deadline = tokio::time::Instant::now() + Duration::from_millis(200);
        if !client::listens(to, deadline).await {
            return Some(Instant::now());
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    None
}
