//! The upstream connection is closed at swept moments, from the last request byte to 150 % of the latency. Invariant:
//! the moments cover the latency evenly, and more of them lie in the first fraction of a millisecond, where a handler
//! has only just begun.

use std::time::Duration;

use super::{Plan, enough};
use crate::proxy::{End, Fault};
use crate::target::drive::session::Session;
use crate::target::facts::case::{Case, Swept};
use crate::target::options::Options;

/// Evenly from 0 to 150 % of the latency, for each way to close and each way to retry.
const EVENLY: u32 = 24;
/// Just after the last request byte.
const EARLY: [u64; 10] = [0, 20, 50, 80, 110, 140, 170, 200, 300, 500];
/// Around the end of the handler, where charge, key and reply are written: in per cent of the latency.
const LATE_STEP: u32 = 2;
const LATE: std::ops::RangeInclusive<u32> = 86..=103;
/// Requests that measure the latency anew.
const MEASURE: u64 = 5;
/// The sweep's time is bounded: a slow target gets fewer moments.
const BUDGET: Duration = Duration::from_secs(8);

/// For a target of this latency or a lower one; a slow target gets fewer moments.
const TYPICAL: Duration = Duration::from_millis(20);

pub fn plan(_: &Options) -> Plan {
    let moments = sweep(TYPICAL);
    let retries: usize = moments.iter().map(|(_, _, at_once)| 1 + usize::from(*at_once)).sum();
    Plan::new(MEASURE + (moments.len() + retries) as u64, MEASURE + moments.len() as u64)
}

pub async fn drive(session: &Session) -> Vec<Case> {
    let measured = measure(session, "cut", MEASURE).await;
    let mut cases = Vec::new();
    for (moment, by, at_once) in sweep(session.latency()) {
        cases.push(cut(session, moment, by, at_once).await);
        if enough(&cases) {
            break;
        }
    }
    [measured, session.retry_later(cases).await].concat()
}

/// Plain requests, whose median becomes the latency.
pub async fn measure(session: &Session, check: &str, count: u64) -> Vec<Case> {
    let mut cases = Vec::new();
    for _ in 0..count {
        let mut case = session.case(check, "left alone, to measure the latency");
        session.send(&mut case, 0, "left alone").await;
        cases.push(case);
    }
    let attempts: Vec<_> = cases.iter().flat_map(|case| case.attempts.clone()).collect();
    session.measured(&attempts);
    cases
}

/// When to cut, how, and whether to retry at once (always once more later).
fn sweep(latency: Duration) -> Vec<(Duration, End, bool)> {
    let longest = latency * 3 / 2;
    let each = longest.max(Duration::from_millis(1)) * 3;
    let evenly = ((BUDGET.as_secs_f64() / each.as_secs_f64()) as u32).clamp(6, EVENLY);
    let step = (LATE_STEP * EVENLY / evenly) as usize;
    let even = |count: u32| (0..=count).map(move |i| longest * i / count);
    let mut moments = Vec::new();
    for by in [End::Rst, End::Fin] {
        let early = EARLY.iter().map(|&micros| Duration::from_micros(micros)).filter(|&m| m < longest);
        let late = LATE.step_by(step).map(|percent| latency * percent / 100);
        moments.extend(early.chain(even(evenly)).chain(late).map(|moment| (moment, by, true)));
        moments.extend(even(evenly / 2).map(|moment| (moment, by, false)));
    }
    moments
}

async fn cut(session: &Session, after: Duration, by: End, at_once: bool) -> Case {
    let at = format!("{:.2} ms", after.as_secs_f64() * 1e3);
    let mut case = session.case("cut", format!("{by} at {at}"));
    case.swept = Some(Swept { way: by.name(), at: after, of: session.latency() });
    let note = format!("the proxy closes the upstream leg by {by} at {at}");
    session.send_through(&mut case, &note, Fault::CutUpstream { after, by }, session.patience()).await;
    if at_once {
        session.send(&mut case, 0, "retry at once").await;
    }
    case
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sweep_covers_the_latency_evenly_and_a_slow_target_gets_fewer_moments() {
        let latency = Duration::from_millis(20);
        let all = sweep(latency);
        for by in [End::Fin, End::Rst] {
            let mut at: Vec<_> = all.iter().filter(|m| m.1 == by).map(|m| m.0).collect();
            at.sort();
            assert_eq!((at[0], *at.last().unwrap()), (Duration::ZERO, Duration::from_millis(30)));
            assert!(at.windows(2).all(|pair| pair[1] - pair[0] <= Duration::from_micros(1300)));
        }
        assert!(sweep(Duration::from_secs(1)).len() < all.len() / 2);
    }
}
