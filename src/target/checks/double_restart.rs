//! A key outlives two restarts as it outlives one: what is restored is stored again.

use super::{Plan, past_window};
use crate::target::drive::restarted::restarted;
use crate::target::drive::session::Session;
use crate::target::facts::case::{Case, Shortfall};
use crate::target::options::Options;

/// One key asked in between, one only at the end.
pub fn plan(_: &Options) -> Plan {
    Plan::new(5, 2)
}

pub async fn drive(session: &Session) -> Vec<Case> {
    let Some(command) = session.options.restart_cmd.as_deref() else { return Vec::new() };
    let mut left_alone = session.case("double_restart", "two restarts");
    let mut asked = session.case("double_restart", "two restarts, asked in between");
    session.send(&mut left_alone, 0, "first").await;
    session.send(&mut asked, 0, "first").await;
    for time in ["first", "second"] {
        if let Err(why) = restarted(session, command).await {
            let failed = Some(Shortfall::NotCarriedOut(why));
            (left_alone.shortfall, asked.shortfall) = (failed.clone(), failed);
            return vec![left_alone, asked];
        }
        session.send(&mut asked, 0, &format!("after the {time} restart")).await;
    }
    session.send(&mut left_alone, 0, "after the second restart").await;
    let mut cases = vec![left_alone, asked];
    past_window(session, &mut cases);
    cases
}
