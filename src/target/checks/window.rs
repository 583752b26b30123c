//! Replay just before the end of the promised window, and just after it. Invariant: the first counts only if its reply
//! came before the end by our clock; the second is reported, never judged.

use std::time::Duration;

use super::Plan;
use crate::target::drive::session::Session;
use crate::target::facts::case::{Case, Rule, Shortfall};
use crate::target::options::Options;

/// How often a replay that came too late is repeated, each time with twice the margin.
const TRIES: u32 = 3;

pub fn needs(options: &Options) -> Option<&'static str> {
    options.window.is_none().then_some("give --window, the time for which the server promises to know a key")
}

/// Two keys, each replayed; past the window a replay may charge.
pub fn plan(_: &Options) -> Plan {
    Plan::new(4, 3)
}

pub async fn drive(session: &Session) -> Vec<Case> {
    let Some(window) = session.options.window else { return Vec::new() };
    let (before, after) = tokio::join!(before(session, window), after(session, window));
    vec![before, after]
}

async fn before(session: &Session, window: Duration) -> Case {
    let mut margin = (session.latency() * 3 + Duration::from_millis(30)).min(window / 2);
    for attempt in 1.. {
        let mut case = session.case("window", format!("{} ms before the end of {window:?}", margin.as_millis()));
        case.no_retry = true;
        session.send(&mut case, 0, "first").await;
        let first = case.attempts[0].sent;
        sleep_to(session, first + window - margin).await;
        session.send(&mut case, 0, "just before the end of the window").await;
        let in_time = case.attempts[1].ended < first + window;
        if in_time || attempt == TRIES {
            let late = Shortfall::NotHit("the replay's reply came after the end of the window".into());
            case.shortfall = (!in_time).then_some(late);
            return case;
        }
        margin = (margin * 2).min(window / 2);
    }
    unreachable!("the last try returns")
}

async fn after(session: &Session, window: Duration) -> Case {
    let mut case = Case::new("after the window", Rule::Report, vec![session.call("window")]);
    session.send(&mut case, 0, "first").await;
    let margin = (window / 20).max(Duration::from_millis(50));
    sleep_to(session, case.attempts[0].ended + window + margin).await;
    session.send(&mut case, 0, "just after the end of the window").await;
    case
}

async fn sleep_to(session: &Session, moment: Duration) {
    tokio::time::sleep_until(session.started + moment).await;
}
