//! A key outlives two restarts as it outlives one: what is restored is stored again.

use super::restart::restarted_and_asked;
use super::{Plan, past_window};
use crate::target::drive::restarted::restarted;
use crate::target::drive::session::Session;
use crate::target::facts::case::{Case, Shortfall};
use crate::target::options::{Options, Restart};

/// One key asked in between, one only at the end, one the moment the server is back; and a new order.
pub fn plan(_: &Options) -> Plan {
    Plan::new(3 + 2 + 3 + 2, 4)
}

pub async fn drive(session: &Session) -> Vec<Case> {
    let Some(command) = session.options.restart.as_ref() else { return Vec::new() };
    let case = |label: &str| session.case("double_restart", label);
    let mut cases = [
        case("two restarts, asked in between"),
        case("two restarts"),
        case("two restarts, asked the moment it is back"),
        case("a new order after two restarts"),
    ];
    if let Err(why) = restarted_twice(session, command, &mut cases).await {
        cases.iter_mut().for_each(|case| case.shortfall = Some(Shortfall::NotCarriedOut(why.clone())));
    }
    past_window(session, &mut cases);
    cases.into()
}

async fn restarted_twice(session: &Session, command: &Restart, cases: &mut [Case; 4]) -> Result<(), String> {
    let [asked, left_alone, at_once, fresh] = cases;
    for case in [&mut *asked, &mut *left_alone, &mut *at_once] {
        session.send(case, 0, "first").await;
    }
    restarted(session, command).await?;
    session.send(asked, 0, "after the first restart").await;
    restarted_and_asked(session, command, at_once).await.0?;
    for case in [asked, left_alone, at_once] {
        session.send(case, 0, "after the second restart").await;
    }
    session.send(fresh, 0, "first, after the second restart").await;
    session.send(fresh, 0, "again").await;
    Ok(())
}
