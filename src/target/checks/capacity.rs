//! A first key is still known after many others: what is kept is bounded by time, not by number.

use std::cell::RefCell;

use super::Plan;
use crate::target::drive::join::join_all;
use crate::target::drive::session::Session;
use crate::target::facts::case::Case;
use crate::target::options::Options;

/// Requests under way at a time.
const WORKERS: usize = 8;

pub fn plan(options: &Options) -> Plan {
    Plan::new(2 + options.keys, 1 + options.keys)
}

pub async fn drive(session: &Session) -> Vec<Case> {
    let others = session.options.keys;
    let mut first = session.case("capacity", format!("after {others} other keys"));
    session.send(&mut first, 0, "first").await;
    let (left, done) = (RefCell::new(0..others), RefCell::new(Vec::new()));
    let worker = || async {
        while left.borrow_mut().next().is_some() {
            let mut case = session.case("capacity", "one of the others");
            session.send(&mut case, 0, "another key").await;
            let silent = case.silent();
            done.borrow_mut().push(case);
            if silent {
                break;
            }
        }
    };
    join_all((0..WORKERS).map(|_| worker())).await;
    session.send(&mut first, 0, &format!("again after {others} other keys")).await;
    [vec![first], done.into_inner()].concat()
}
