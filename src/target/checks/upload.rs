//! The upload stops half-way: the connection ends in the middle of the body; then the whole request comes. Invariant:
//! some halves are held long enough to be read, and some are retried only when the target had time to notice the end.

use std::time::Duration;

use super::{Plan, enough};
use crate::proxy::{End, Fault};
use crate::target::drive::session::Session;
use crate::target::facts::case::Case;
use crate::target::options::Options;

/// How long the connection is kept after the half, in ms. What is reset at once may never have been read.
const HELD: [u64; 3] = [0, 5, 50];
/// A retry at once may overtake, and so repair, what the target does about a client that has gone; a later one comes this
/// long after it at least.
const LATER: Duration = Duration::from_millis(50);

const KEYS: u64 = 2 * 2 * HELD.len() as u64;

/// Each key's half and its retry. A retry after success is what `replay` is for.
pub fn plan(_: &Options) -> Plan {
    Plan::new(2 * KEYS, KEYS)
}

pub async fn drive(session: &Session) -> Vec<Case> {
    let (mut cases, mut waiting) = (Vec::new(), Vec::new());
    for (held, by, at_once) in ways() {
        if enough(&cases) {
            break;
        }
        let mut case = session.case("half_request", format!("stopped by {by} after {held} ms"));
        let note = format!("half of the body, then {by} after {held} ms");
        let fault = Fault::HalfRequest { after: Duration::from_millis(held), by };
        session.send_through(&mut case, &note, fault, session.patience()).await;
        if at_once {
            session.send(&mut case, 0, "the whole request").await;
            cases.push(case);
        } else {
            waiting.push(case);
        }
    }
    tokio::time::sleep(LATER).await;
    [cases, session.retry_later(waiting).await].concat()
}

/// How long the half is held, how it ends, and whether it is retried at once or later.
fn ways() -> impl Iterator<Item = (u64, End, bool)> {
    let ends = [End::Fin, End::Rst].into_iter().flat_map(|by| [true, false].map(|at_once| (by, at_once)));
    ends.flat_map(|(by, at_once)| HELD.map(|held| (held, by, at_once)))
}
