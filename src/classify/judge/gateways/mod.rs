//! What gateways and balancers write of a request, in their own codes. Invariant: each code stands in one table with the
//! vendor's document that it is from, and says `never` only where that document says that nothing was sent; a list of
//! tries is as open as its most open one.

pub mod balancers;
pub mod envoy;
pub mod haproxy;

use super::verdict::{Evidence, Verdict};
use crate::classify::extract::reading::{Mark, Reading, Status};
use crate::classify::read::access::access;
use crate::terms::outcome::{Advice, Effect, Symptom};

/// What a code proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tells {
    /// Nothing was sent to any server.
    Never(Symptom),
    /// It may have been.
    Open(Symptom),
    /// Nothing by itself: the status decides.
    Status,
}

/// One code of a gateway.
pub struct Code {
    pub code: &'static str,
    pub tells: Tells,
}

pub const fn never(code: &'static str, symptom: Symptom) -> Code {
    Code { code, tells: Tells::Never(symptom) }
}

pub const fn open(code: &'static str, symptom: Symptom) -> Code {
    Code { code, tells: Tells::Open(symptom) }
}

pub const fn by_status(code: &'static str) -> Code {
    Code { code, tells: Tells::Status }
}

/// The row of a code in a table, without letter case.
pub fn lookup(codes: &[Code], wanted: &str) -> Option<Tells> {
    codes.iter().find(|row| row.code.eq_ignore_ascii_case(wanted)).map(|row| row.tells)
}

/// What a gateway's line or record says: its codes, with the status beside them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    pub tells: Tells,
    /// None where no status was sent.
    pub status: Option<u16>,
    pub evidence: String,
}

/// The verdict of a gateway's own codes or line; None where the reading has none.
pub fn read<'a>(reading: &'a Reading<'_>) -> Option<Verdict<'a>> {
    let told = of_marks(reading).or_else(|| of_texts(reading))?;
    Some(verdict(told))
}

fn of_marks(reading: &Reading) -> Option<Told> {
    if reading.marks.is_empty() {
        return None;
    }
    let status = match reading.status {
        Status::Code(status) => Some(status),
        Status::Absent | Status::Odd | Status::Conflict => None,
    };
    let mark = |wanted: Mark| reading.marks.iter().find(|(mark, _)| *mark == wanted).map(|(_, text)| text.as_ref());
    let envoy = mark(Mark::EnvoyFlags).map(|flags| envoy::told(flags, mark(Mark::EnvoyDetails), status));
    let haproxy = || haproxy::told(mark(Mark::HaproxyState)?, mark(Mark::ConnectTime), mark(Mark::Retries), status);
    let balancer = || balancers::told(mark(Mark::Details)?, status);
    envoy.flatten().or_else(haproxy).or_else(balancer)
}

/// The first text that is a gateway's line.
fn of_texts(reading: &Reading) -> Option<Told> {
    reading.texts.iter().find_map(|text| of_line(&text.text))
}

fn of_line(text: &str) -> Option<Told> {
    // Each of them quotes the request, and most texts quote nothing.
    memchr::memchr(b'"', text.as_bytes())?;
    let line = text.lines().next().filter(|line| line.contains("HTTP/") || line.contains("\"- - -\" "))?;
    envoy::line(line).or_else(|| haproxy::line(line)).or_else(|| balancers::line(line)).or_else(|| access_line(line))
}

/// A line in the common or combined format: the status is what the client was sent.
fn access_line(line: &str) -> Option<Told> {
    let found = access(line)?;
    let evidence = format!("{} {}", found.method, found.status);
    Some(Told { tells: Tells::Status, status: Some(found.status), evidence })
}

/// Codes first, then the status. A 2xx beside a code of trouble did not reach the client whole.
fn verdict<'a>(told: Told) -> Verdict<'a> {
    let evidence = Evidence::Words(told.evidence.into());
    let success = told.status.is_some_and(|status| (200..300).contains(&status));
    match (told.tells, told.status) {
        (Tells::Never(symptom), _) if symptom.advice().effect != Effect::Maybe => Verdict::of(symptom, evidence),
        // A server error or a refusal for now that the gateway made itself: nothing was sent on.
        (Tells::Never(symptom), _) => {
            Verdict { symptom, advice: Advice { effect: Effect::No, ..Symptom::NotProcessed.advice() }, evidence }
        }
        (Tells::Open(_), _) if success => Verdict::of(Symptom::Truncated, evidence),
        (Tells::Open(symptom), _) => Verdict::of(symptom, evidence),
        (Tells::Status, Some(status)) => Verdict::of_status(status, evidence),
        (Tells::Status, None) => Verdict::of(Symptom::Closed, evidence),
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;

    fn told(tells: Tells, status: Option<u16>) -> (&'static str, &'static str, &'static str) {
        let verdict = verdict(Told { tells, status, evidence: String::new() });
        (verdict.symptom.name(), verdict.advice.effect.name(), verdict.advice.action.name())
    }

    #[test]
    fn a_code_decides_before_the_status() {
        for (tells, status, expected) in [
            (Tells::Never(Symptom::Refused), Some(503), ("refused", "no", "retry")),
            (Tells::Never(Symptom::ClientError), Some(403), ("client-error", "no", "fix-request")),
            (Tells::Never(Symptom::Throttled), Some(429), ("throttled", "unlikely", "retry-later-same-key")),
            // A server error of the gateway's own: nothing was sent on.
            (Tells::Never(Symptom::ServerError), Some(500), ("server-error", "no", "retry")),
            (Tells::Never(Symptom::Closed), None, ("closed", "no", "retry")),
            (Tells::Open(Symptom::Closed), Some(503), ("closed", "maybe", "retry-same-key")),
            (Tells::Open(Symptom::Closed), None, ("closed", "maybe", "retry-same-key")),
            (Tells::Open(Symptom::Closed), Some(199), ("closed", "maybe", "retry-same-key")),
            (Tells::Open(Symptom::Closed), Some(200), ("truncated", "maybe", "verify-first")),
            (Tells::Open(Symptom::Closed), Some(299), ("truncated", "maybe", "verify-first")),
            (Tells::Open(Symptom::Closed), Some(300), ("closed", "maybe", "retry-same-key")),
            (Tells::Status, Some(200), ("ok", "yes", "done")),
            (Tells::Status, Some(202), ("ok", "maybe", "verify-first")),
            (Tells::Status, Some(503), ("server-error", "maybe", "retry-same-key")),
            (Tells::Status, None, ("closed", "maybe", "retry-same-key")),
        ] {
            assert_eq!(told(tells, status), expected, "{tells:?} {status:?}");
        }
    }

    #[test]
    fn each_gateways_mark_is_read_by_its_own_table() {
        let of = |marks: &[(Mark, &'static str)], status| {
            let marks = marks.iter().map(|(mark, text)| (*mark, Cow::Borrowed(*text))).collect();
            read(&Reading { marks, status, ..Reading::default() }).map(|verdict| verdict.symptom)
        };
        let failed = Status::Code(503);
        assert_eq!(of(&[(Mark::EnvoyFlags, "UF")], failed), Some(Symptom::Refused));
        assert_eq!(
            of(&[(Mark::EnvoyDetails, "timeout"), (Mark::EnvoyFlags, "UF")], failed),
            Some(Symptom::ConnectTimeout)
        );
        assert_eq!(of(&[(Mark::HaproxyState, "SC--"), (Mark::ConnectTime, "-1")], failed), Some(Symptom::Refused));
        assert_eq!(of(&[(Mark::HaproxyState, "SC--"), (Mark::Retries, "0")], failed), Some(Symptom::Refused));
        assert_eq!(of(&[(Mark::HaproxyState, "SC--")], failed), Some(Symptom::ServerError));
        assert_eq!(of(&[(Mark::Details, "DNSFailure")], failed), Some(Symptom::Dns));
        assert_eq!(of(&[(Mark::Details, "UF")], failed), None, "another vendor's code");
        assert_eq!(of(&[(Mark::Retries, "0")], failed), None);
        assert_eq!(of(&[], failed), None);
        assert_eq!(of(&[(Mark::EnvoyFlags, "UC")], Status::Code(200)), Some(Symptom::Truncated));
        assert_eq!(of(&[(Mark::EnvoyFlags, "UC")], Status::Absent), Some(Symptom::Closed));
    }
}
