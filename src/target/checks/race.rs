//! Simultaneous duplicates. Invariant: all connections are open before the first byte is sent, and the release is
//! common: nothing but the target's own work lies between the copies.

use std::time::{Duration, Instant};

use super::cut::measure;
use super::{Plan, enough};
use crate::http::address::Address;
use crate::http::client::Connection;
use crate::proxy::reach;
use crate::target::drive::join::join_all;
use crate::target::drive::session::Session;
use crate::target::facts::case::{Attempt, Case, Shortfall, Swept};
use crate::target::options::Options;
use crate::target::request::template::Call;

const MEASURE: u64 = 3;
/// Rounds in which all copies go at once.
const TOGETHER: u64 = 16;
/// Rounds in which the others go later, over the second half of the first one's time and a quarter beyond it.
const STAGGERED: u64 = 16;
/// Rounds in which the others go at the first one's end: between its charge and what it remembers of it, and when it
/// gives up its lock.
const AT_THE_END: u64 = 20;
/// For opening the connections of a round, at least.
const OPENING: Duration = Duration::from_millis(250);
/// A slow target gets fewer rounds, but never less than a quarter.
const BUDGET: Duration = Duration::from_secs(6);

/// When a copy is sent.
#[derive(Clone, Copy, Debug)]
pub enum Release {
    /// Whole, back to back.
    Whole,
    /// All but the last byte is there before; then the last bytes, back to back.
    LastByte,
    /// The first at once, the others so long after it.
    After(Duration),
}

/// One copy of a volley.
pub struct Shot<'a> {
    /// Which of the case's calls it is.
    pub call: usize,
    pub bytes: Vec<u8>,
    pub asked: Call,
    pub to: &'a Address,
}

impl<'a> Shot<'a> {
    /// These calls, by their place in the case, to the first target. What could not be signed is left out.
    pub async fn volley(session: &'a Session, calls: impl IntoIterator<Item = (usize, &Call)>) -> Vec<Shot<'a>> {
        let mut shots = Vec::new();
        for (call, asked) in calls {
            shots.extend(Shot::at(session, call, asked, session.target()).await);
        }
        shots
    }

    /// None where it could not be signed.
    async fn at(session: &Session, call: usize, asked: &Call, to: &'a Address) -> Option<Shot<'a>> {
        let bytes = session.bytes(asked, &to.authority).await.ok()?;
        Some(Shot { call, bytes, asked: asked.clone(), to })
    }
}

pub fn plan(_: &Options, copies: u64) -> Plan {
    let rounds = TOGETHER + STAGGERED + AT_THE_END;
    Plan::new(MEASURE + rounds * (copies + 1), MEASURE + rounds)
}

pub async fn drive(session: &Session, most: usize) -> Vec<Case> {
    let check = format!("race_{most}");
    let mut copies = most;
    let measured = measure(session, &check, MEASURE).await;
    let mut cases = Vec::new();
    for release in releases(session.latency()) {
        let mut case = session.case(&check, label(release));
        if let Release::After(at) = release {
            case.swept = Some(Swept { way: "the others sent", at, of: session.latency() });
        }
        let shots = Shot::volley(session, (0..copies).map(|_| (0, &case.calls[0]))).await;
        fire(session, &mut case, shots, release).await;
        // What a short backlog left out once it would leave out again, and each round would wait for it.
        copies = case.attempts.len().clamp(2, copies);
        cases.push(case);
        if enough(&cases) {
            break;
        }
    }
    if let Some(last) = cases.last_mut().filter(|_| copies < most) {
        last.remarks.push(format!("the target took {copies} of {most} connections at once"));
    }
    [measured, session.retry_later(cases).await].concat()
}

fn label(release: Release) -> String {
    match release {
        Release::Whole => "all at once".into(),
        Release::LastByte => "last bytes at once".into(),
        Release::After(after) => format!("{:.1} ms after the first", after.as_secs_f64() * 1e3),
    }
}

fn releases(latency: Duration) -> Vec<Release> {
    let affordable = BUDGET.as_secs_f64() / (latency.as_secs_f64().max(0.001) * 3.0);
    let rounds = |most: u64| (affordable as u64).clamp(most / 4, most) as u32;
    let together = rounds(TOGETHER);
    let mut releases: Vec<_> =
        (0..together).map(|round| if round % 2 == 0 { Release::Whole } else { Release::LastByte }).collect();
    releases.extend(spread(latency, [50, 125], rounds(STAGGERED)).map(Release::After));
    releases.extend(spread(latency, [85, 105], rounds(AT_THE_END)).map(Release::After));
    releases
}

/// Moments from one per cent of the latency to another, evenly; at least two.
fn spread(latency: Duration, [from, to]: [u32; 2], count: u32) -> impl Iterator<Item = Duration> {
    let steps = count.max(2) - 1;
    (0..=steps).map(move |i| latency * (from * steps + (to - from) * i) / (100 * steps))
}

/// Opens a connection for each shot and lets all go. The attempts come into the case in the order of their replies; a
/// connection that did not open is left out, and fewer than two make no race.
pub async fn fire(session: &Session, case: &mut Case, shots: Vec<Shot<'_>>, release: Release) {
    // A connection that a short backlog leaves out must not hold up those that are open.
    let patience = (session.latency() * 4).max(OPENING).min(session.patience());
    let deadline = tokio::time::Instant::now() + patience;
    let opened = join_all(shots.iter().map(|shot| Connection::open(&shot.to.route, shot.asked.from, deadline))).await;
    let mut ready: Vec<_> =
        opened.into_iter().zip(&shots).filter_map(|(open, shot)| Some((open.ok()?, shot))).collect();
    if ready.len() < 2 {
        let why = format!("only {} of {} connections could be opened", ready.len(), shots.len());
        case.shortfall = Some(Shortfall::NotCarriedOut(why));
        return;
    }
    let ahead = matches!(release, Release::LastByte);
    if ahead {
        for (connection, shot) in &mut ready {
            connection.send_ahead(&shot.bytes[..shot.bytes.len() - 1]).await;
        }
    }
    let start = Instant::now();
    let copies = ready.into_iter().enumerate().map(|(n, (connection, shot))| async move {
        if let (Release::After(after), true) = (release, n > 0) {
            reach(start + after).await;
        }
        copy(session, connection, shot, ahead, n).await
    });
    let mut attempts = join_all(copies).await;
    session.count(attempts.len() as u64);
    attempts.sort_by_key(|attempt| attempt.ended);
    case.attempts.append(&mut attempts);
}

async fn copy(session: &Session, connection: Connection, shot: &Shot<'_>, ahead: bool, n: usize) -> Attempt {
    let sent = session.clock();
    let deadline = tokio::time::Instant::now() + session.patience();
    let from = if ahead { shot.bytes.len() - 1 } else { 0 };
    let outcome = connection.exchange(&shot.bytes[from..], deadline).await;
    let note = format!("copy {}", n + 1);
    let attempt = session.attempt(&shot.asked, shot.to, sent, shot.call, &note, &outcome).await;
    Attempt { copy: true, ..attempt }
}

pub fn needs_replicas(options: &Options) -> Option<&'static str> {
    (options.targets.len() < 2).then_some("give --target once for each replica")
}

const REPLICA_ROUNDS: u64 = 4;

pub fn replicas_plan(_: &Options) -> Plan {
    Plan::new(REPLICA_ROUNDS * (3 + 3), REPLICA_ROUNDS * 2)
}

/// Attempt at one address, retry at another; and both at once.
pub async fn replicas(session: &Session) -> Vec<Case> {
    let targets = &session.options.targets;
    let mut cases = Vec::new();
    for round in 0..REPLICA_ROUNDS as usize {
        let (a, b) = (&targets[round % targets.len()], &targets[(round + 1) % targets.len()]);
        let mut case = session.case("replicas", format!("retry at {b}"));
        session.send_to(&mut case, 0, &format!("first, at {a}"), a).await;
        session.send_to(&mut case, 0, &format!("retry, at {b}"), b).await;
        cases.push(case);
        let mut case = session.case("replicas", "race across addresses");
        let mut shots = Vec::new();
        for to in [a, b] {
            shots.extend(Shot::at(session, 0, &case.calls[0], to).await);
        }
        fire(session, &mut case, shots, Release::Whole).await;
        cases.push(case);
    }
    session.retry_later(cases).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rounds_sweep_across_the_end_and_shrink_for_a_slow_target() {
        let all = releases(Duration::from_millis(20));
        assert_eq!(all.len() as u64, TOGETHER + STAGGERED + AT_THE_END);
        let after: Vec<_> =
            all.iter().filter_map(|r| if let Release::After(d) = r { Some(*d) } else { None }).collect();
        assert_eq!(
            (after.iter().min(), after.iter().max()),
            (Some(&Duration::from_millis(10)), Some(&Duration::from_millis(25)))
        );
        assert_eq!(releases(Duration::from_secs(2)).len() as u64, (TOGETHER + STAGGERED + AT_THE_END) / 4);
    }
}
