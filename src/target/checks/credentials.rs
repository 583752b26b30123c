//! Who asks: without a credential first, and two principals with one key.

use super::Plan;
use crate::target::drive::session::Session;
use crate::target::facts::case::{Case, Rule, Shortfall};
use crate::target::options::Options;
use crate::target::request::template::Call;

const ROUNDS: u64 = 2;

pub fn needs_authorization(options: &Options) -> Option<&'static str> {
    let given = options.template.headers.iter().any(|header| header.name.eq_ignore_ascii_case("authorization"));
    (!given).then_some("give --header 'Authorization: …'")
}

pub fn missing_plan(_: &Options) -> Plan {
    Plan::new(ROUNDS * 2, ROUNDS)
}

/// First without the credential, then with it.
pub async fn missing(session: &Session) -> Vec<Case> {
    let mut cases = Vec::new();
    for _ in 0..ROUNDS {
        let mut case = session.case("bad_credential", "without the credential first");
        case.calls.push(Call { without: Some("authorization"), ..case.calls[0].clone() });
        session.send(&mut case, 1, "without Authorization").await;
        if case.succeeded(1) {
            // Who asks without it is somebody else: with the same key he may be charged too, and that is no duplicate.
            let anonymous = "the target takes anonymous requests: it does not ask for Authorization";
            case.shortfall = Some(Shortfall::DoesNotApply(anonymous.into()));
        } else {
            session.send(&mut case, 0, "with Authorization").await;
        }
        cases.push(case);
    }
    cases
}

pub fn needs_other(options: &Options) -> Option<&'static str> {
    options.other_credential.is_none().then_some("give --other-credential 'K: V', a second principal")
}

pub fn two_plan(_: &Options) -> Plan {
    Plan::new(ROUNDS * 3, ROUNDS * 2)
}

/// Same key and body under two credentials, and the first one again.
pub async fn two(session: &Session) -> Vec<Case> {
    let mut cases = Vec::new();
    let second_carries = session.of_second_principal().await;
    for _ in 0..ROUNDS {
        let first = session.call("principals");
        let second = Call { extra: second_carries.clone().unwrap_or_default(), ..first.clone() };
        let mut case = Case::new("two credentials", Rule::Principals, vec![first, second]);
        if let Err(why) = &second_carries {
            case.shortfall = Some(Shortfall::NotCarriedOut(why.clone()));
            cases.push(case);
            break;
        }
        session.send(&mut case, 0, "first principal").await;
        session.send(&mut case, 1, "second principal").await;
        session.send(&mut case, 0, "first principal again").await;
        // Refused under the first one's key it may be, but a principal that may ask nothing shows nothing.
        if !case.succeeded(1) && !is_taken(session, &case.calls[1]).await {
            let why = "the target does not take the other credential: see --other-credential";
            case.shortfall = Some(Shortfall::NotCarriedOut(why.into()));
        }
        cases.push(case);
    }
    cases
}

pub fn needs_refreshed(options: &Options) -> Option<&'static str> {
    let needed = "give --refreshed-credential 'K: V', a new token of the same principal";
    options.refreshed_credential.is_none().then_some(needed)
}

pub fn refreshed_plan(_: &Options) -> Plan {
    Plan::new(ROUNDS * 2, ROUNDS)
}

/// The retry comes with a new token of the same principal.
pub async fn refreshed(session: &Session) -> Vec<Case> {
    let mut cases = Vec::new();
    for _ in 0..ROUNDS {
        let mut case = session.case("refreshed", "the same principal, a new token");
        let extra = session.options.refreshed_credential.iter().cloned().collect();
        case.calls.push(Call { extra, ..case.calls[0].clone() });
        session.send(&mut case, 0, "first").await;
        session.send(&mut case, 1, "with the new token").await;
        case.to_settle = Some(1);
        if !case.settled() && !is_taken(session, &case.calls[1]).await {
            let why = "the target does not take the refreshed credential: see --refreshed-credential";
            case.shortfall = Some(Shortfall::NotCarriedOut(why.into()));
        }
        cases.push(case);
    }
    cases
}

/// Whether a fresh intent with the headers of this call succeeds.
async fn is_taken(session: &Session, call: &Call) -> bool {
    let mut control = session.case("control", "control");
    control.calls[0].extra.clone_from(&call.extra);
    session.send(&mut control, 0, "control: a fresh key").await;
    control.settled()
}
