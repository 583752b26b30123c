//! A retry that differs from the first request in what real retries differ in, one thing at a time: after the first one's
//! success, after its interruption, and beside it. Invariant: that a target refuses a variant is its habit; that it
//! refuses it only as a retry is a finding.

use std::time::Duration;

use super::keys::winner;
use super::race::{Release, Shot, fire};
use super::{Plan, enough};
use crate::proxy::{End, Fault};
use crate::target::drive::session::Session;
use crate::target::facts::case::{Case, Rule};
use crate::target::options::{Design, Options};
use crate::target::request::template::Call;
use crate::target::request::variation::{AT_A_UNIX_SOCKET, Kind, VARIATIONS, Variation};

/// What came of the first request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum First {
    Completed,
    Interrupted,
}

const FIRSTS: [First; 2] = [First::Completed, First::Interrupted];
const RACES: usize = 2;
/// Beyond a plain request's time: what was cut off has ended by then.
const AFTERWARDS: Duration = Duration::from_millis(20);

/// First, its retry, and a later one.
pub fn elsewhere_plan(options: &Options) -> Plan {
    plan_of(options, is_elsewhere)
}

pub fn written_plan(options: &Options) -> Plan {
    plan_of(options, |kind| !is_elsewhere(kind))
}

fn plan_of(options: &Options, wanted: fn(Kind) -> bool) -> Plan {
    let keys = (FIRSTS.len() * variations(options, wanted).count()) as u64;
    Plan::new(3 * keys, keys)
}

pub fn race_plan(options: &Options) -> Plan {
    let keys = (RACES * variations(options, |_| true).count()) as u64;
    Plan::new(3 * keys, keys)
}

pub async fn elsewhere(session: &Session) -> Vec<Case> {
    walk(session, "elsewhere", is_elsewhere).await
}

pub async fn written(session: &Session) -> Vec<Case> {
    walk(session, "written", |kind| !is_elsewhere(kind)).await
}

fn is_elsewhere(kind: Kind) -> bool {
    kind == Kind::Elsewhere
}

/// Those of a kind for which the target and the template have room.
fn variations(options: &Options, wanted: fn(Kind) -> bool) -> impl Iterator<Item = &'static Variation> {
    let sample = Call::default();
    let all = VARIATIONS.iter().filter(move |variation| wanted(variation.kind));
    all.filter(move |variation| (variation.of)(&sample, &options.template, &options.targets[0]).is_some())
}

async fn walk(session: &Session, check: &str, wanted: fn(Kind) -> bool) -> Vec<Case> {
    let mut cases = Vec::new();
    for variation in variations(&session.options, wanted) {
        for first in FIRSTS {
            let Some(case) = varied(session, check, variation, first).await else { continue };
            let taken = case.rule == Rule::Once;
            cases.push(case);
            if enough(&cases) {
                return session.retry_later(cases).await;
            }
            if !taken {
                break;
            }
        }
    }
    tell_what_is_left_out(session, &mut cases, wanted);
    session.retry_later(cases).await
}

/// Says what could not be varied because of where the target is.
fn tell_what_is_left_out(session: &Session, cases: &mut [Case], wanted: fn(Kind) -> bool) {
    let has_socket = session.target().route.socket().is_some();
    if let Some(first) = cases.first_mut().filter(|_| !has_socket) {
        let left_out = AT_A_UNIX_SOCKET.iter().filter(|(kind, _)| wanted(*kind));
        first.remarks.extend(left_out.map(|(_, why)| (*why).to_owned()));
    }
}

/// The calls of a case: the request as it is first sent, and its variant.
fn calls(session: &Session, check: &str, variation: &Variation) -> Option<[Call; 2]> {
    let plain = session.call(check);
    let variant = (variation.of)(&plain, &session.options.template, session.target())?;
    Some([if variation.kind == Kind::Size { variant.clone() } else { plain }, variant])
}

async fn varied(session: &Session, check: &str, variation: &Variation, first: First) -> Option<Case> {
    let label = match first {
        First::Completed => variation.label.to_string(),
        First::Interrupted => format!("{}, the first interrupted", variation.label),
    };
    let mut case = Case::new(label, Rule::Once, calls(session, check, variation)?.to_vec());
    match first {
        First::Completed => session.send(&mut case, 0, "first").await,
        First::Interrupted => {
            let fault = Fault::CutUpstream { after: session.latency() / 2, by: End::Rst };
            session.send_through(&mut case, "first, cut off half-way", fault, session.patience()).await;
            // A retry beside the first one's end is what `cut` and the races are for.
            tokio::time::sleep(session.latency() * 2 + AFTERWARDS).await;
        }
    }
    if first == First::Completed && variation.kind == Kind::Size && !case.settled() {
        report_only(&mut case, variation);
        return Some(case);
    }
    session.send(&mut case, 1, variation.label).await;
    demand(session, check, variation, &mut case).await;
    Some(case)
}

/// The variant has to settle, where the target takes such a request at all.
async fn demand(session: &Session, check: &str, variation: &Variation, case: &mut Case) {
    case.to_settle = Some(1);
    if case.settled() {
        return;
    }
    let Some([_, fresh]) = calls(session, check, variation) else { return };
    let mut control = Case::new("control", Rule::Once, vec![fresh]);
    session.send(&mut control, 0, "control: such a request with a fresh key").await;
    match (control.settled(), variation.kind) {
        (false, _) => {
            case.to_settle = Some(0);
            case.remarks.push(not_taken(case, variation, 1));
        }
        (true, Kind::Content) => {
            case.to_settle = Some(0);
            if !session.options.accept.contains(&Design::StrictBody) {
                let said = case.attempts.last().map(|attempt| attempt.answer.line(None)).unwrap_or_default();
                case.remarks
                    .push(format!("{}: refused, {said} (--accept strict-body if that is meant)", variation.label));
            }
        }
        (true, Kind::Elsewhere | Kind::Written | Kind::Size) => {}
    }
}

fn not_taken(case: &Case, variation: &Variation, call: usize) -> String {
    let said = case.of_call(call).last().map(|attempt| attempt.answer.line(None)).unwrap_or_default();
    format!("{}: not taken by this target, {said}", variation.label)
}

/// Nothing is asked of a request that the target does not take at all.
fn report_only(case: &mut Case, variation: &Variation) {
    case.remarks.push(not_taken(case, variation, 0));
    (case.rule, case.to_settle) = (Rule::Report, None);
}

/// Two copies at once, the second one varied.
pub async fn race(session: &Session) -> Vec<Case> {
    let mut cases = Vec::new();
    for variation in variations(&session.options, |_| true) {
        for _ in 0..RACES {
            let Some(calls) = calls(session, "race_varied", variation) else { continue };
            let mut case = Case::new(variation.label, Rule::Once, calls.to_vec());
            let shots = Shot::volley(session, case.calls.iter().enumerate()).await;
            fire(session, &mut case, shots, Release::LastByte).await;
            if variation.kind == Kind::Size && case.attempts.iter().all(|attempt| !attempt.answer.settles()) {
                report_only(&mut case, variation);
            }
            if variation.kind == Kind::Content {
                settle_the_winner(session, &mut case).await;
            }
            cases.push(case);
            if enough(&cases) {
                return session.retry_later(cases).await;
            }
        }
    }
    tell_what_is_left_out(session, &mut cases, |_| true);
    session.retry_later(cases).await
}

/// A design that holds the copies for two payloads gives the key to the one that came first, whichever that is, and refuses
/// the other for good: the remark at `replay_rewritten` tells of it.
async fn settle_the_winner(session: &Session, case: &mut Case) {
    if winner(case) == 1 {
        session.send(case, 0, "the first copy again").await;
        case.to_settle = Some(winner(case));
    }
}
