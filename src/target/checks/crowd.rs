//! Eight intents with eight keys at once, then each once more: no key damages another.

use super::Plan;
use super::race::{Release, Shot, fire};
use crate::target::drive::session::Session;
use crate::target::facts::case::{Case, Rule};
use crate::target::options::Options;

const KEYS: usize = 8;
const ROUNDS: usize = 3;

pub fn plan(_: &Options) -> Plan {
    Plan::new((ROUNDS * KEYS * 2) as u64, (ROUNDS * KEYS) as u64)
}

pub async fn drive(session: &Session) -> Vec<Case> {
    let mut cases = Vec::new();
    for _ in 0..ROUNDS {
        let calls: Vec<_> = (0..KEYS).map(|_| session.call("crowd")).collect();
        let shots = Shot::volley(session, calls.iter().enumerate()).await;
        let mut all = Case::new("", Rule::Distinct, calls.clone());
        fire(session, &mut all, shots, Release::Whole).await;
        cases.extend(calls.into_iter().enumerate().map(|(n, call)| {
            let mut case = Case::new(format!("one of {KEYS}"), Rule::Once, vec![call]);
            let own = all.attempts.iter().filter(|attempt| attempt.call == n).cloned();
            case.attempts = own.map(|attempt| crate::target::facts::case::Attempt { call: 0, ..attempt }).collect();
            case.shortfall = all.shortfall.clone();
            case
        }));
    }
    session.retry_later(cases).await
}
