//! Copies that the client does not know of: delivered twice, or held back and let go when the retry is done.

use super::{Plan, enough};
use crate::proxy::{Fault, Gate, SecondCopy, Until};
use crate::target::drive::session::Session;
use crate::target::facts::case::{Case, Shortfall};
use crate::target::options::Options;

/// At once, since that is where chance decides.
const TOGETHER: u64 = 10;
const AFTER: u64 = 4;

pub fn double_plan(_: &Options) -> Plan {
    Plan::new((TOGETHER + AFTER) * 3, TOGETHER + AFTER)
}

pub async fn double(session: &Session) -> Vec<Case> {
    let mut cases = Vec::new();
    let together = (0..TOGETHER).map(|_| (SecondCopy::Together, "twice at once"));
    let after = (0..AFTER).map(|_| (SecondCopy::AfterFirstReply, "again after the first reply"));
    for (second, label) in together.chain(after) {
        let mut case = session.case("double", label);
        let note = format!("the proxy delivers it {label}");
        let told = session.send_through(&mut case, &note, Fault::DeliverTwice { second }, session.patience() * 2).await;
        if told.is_some_and(|told| told.copies < 2) {
            case.shortfall = Some(Shortfall::NotCarriedOut("the second copy could not be delivered".into()));
        }
        cases.push(case);
        if enough(&cases) {
            break;
        }
    }
    session.retry_later(cases).await
}

const LATE: u64 = 4;

pub fn late_plan(_: &Options) -> Plan {
    Plan::new(LATE * 3, LATE)
}

pub async fn late(session: &Session) -> Vec<Case> {
    let mut cases = Vec::new();
    for _ in 0..LATE {
        let mut case = session.case("late_arrival", "held back");
        let (held, go) = (Gate::new(), Gate::new());
        let (arrived, until) = (held.clone(), Until::Opened(go.clone()));
        let fault = move || {
            arrived.open();
            Fault::HoldRequest { until: until.clone() }
        };
        let call = case.calls[0].clone();
        let copy_a = session.through(&call, "copy A, held back until B was done", fault, session.patience() * 3);
        let copy_b = async {
            held.opened().await;
            session.send(&mut case, 0, "retry B").await;
            go.open();
        };
        match tokio::join!(copy_a, copy_b).0 {
            Ok(mut told) => {
                case.attempts.append(&mut told.attempts);
                case.acts.append(&mut told.acts);
            }
            Err(error) => {
                case.shortfall = Some(Shortfall::NotCarriedOut(format!("the proxy could not be set up: {error}")));
            }
        }
        cases.push(case);
    }
    session.retry_later(cases).await
}
