//! One reading to one verdict. Invariant: effect and action come from the retry table alone; `no` needs proof that the
//! request cannot have been processed, `yes` a complete 2xx and no sign of trouble beside it.

use std::borrow::Cow;

use super::chain;
use super::chain::Proof;
use super::vocabulary::Says;
use crate::classify::extract::reading::{Reading, Status};
use crate::terms::outcome::{Advice, Effect, Symptom};

/// What a reading means.
#[derive(Debug)]
pub struct Verdict<'a> {
    pub symptom: Symptom,
    /// The part of the reading that decided.
    pub evidence: Evidence<'a>,
}

/// The part of the reading that decided.
#[derive(Debug)]
pub enum Evidence<'a> {
    Status(u16),
    Words(Cow<'a, str>),
    Field(&'static str),
    /// Nothing did.
    Nothing,
}

impl Verdict<'_> {
    pub fn advice(&self) -> Advice {
        self.symptom.advice()
    }
}

/// Judges a reading.
pub fn judge<'a>(reading: &'a Reading<'_>) -> Verdict<'a> {
    if reading.status == Status::Conflict {
        return Verdict { symptom: Symptom::Unknown, evidence: Evidence::Field("status") };
    }
    match status_of(reading) {
        Some(status) => judge_status(status, reading),
        None => judge_words(reading),
    }
}

/// The status that a server may have sent. A code stands in where no status is given (vegeta, Google's errors).
fn status_of(reading: &Reading) -> Option<u16> {
    match reading.status {
        Status::Code(status) => Some(status),
        Status::Absent => reading.code.filter(|code| (200..=599).contains(code)).map(|code| code as u16),
        Status::Odd | Status::Conflict => None,
    }
}

fn judge_status<'a>(status: u16, reading: &'a Reading<'_>) -> Verdict<'a> {
    // No server sends these; clients write them for what they met themselves (HTTP::Tiny and Tornado write 599,
    // AnyEvent::HTTP 595 to 599).
    let made_up = !(100..595).contains(&status);
    let proof = if reading.texts.is_empty() { None } else { chain::read(reading) };
    let by_status = || Verdict { symptom: symptom_of(status), evidence: Evidence::Status(status) };
    match (status, proof) {
        (_, Some(proof)) if made_up => by_words(proof),
        (500.., Some(proof)) if matches!(proof.says, Says::NeverBeside(_)) => by_words(proof),
        (200..=299, Some(proof)) if !proof_is_of(&proof, status) => broken(proof),
        // aiohttp gives 400 to a reply that it cannot read, wreck 406, httplib2 400 to whatever it met, and a code or a
        // status inside another object need not be the reply's.
        (400 | 406, Some(proof)) if proof.symptom == Symptom::BadReply || went_wrong(&proof) => by_words(proof),
        // litellm and wreck give 408 to their own patience; the reason of a server's 408 says no more than the status.
        (408, Some(proof)) if went_wrong(&proof) && !proof.evidence.eq_ignore_ascii_case("request timeout") => {
            by_words(proof)
        }
        (300..=499, Some(proof)) if !reading.own_status && went_wrong(&proof) => by_words(proof),
        (200..=299, _) if !reading.own_status && reading.status != Status::Absent && trouble(reading).is_none() => {
            Verdict { symptom: Symptom::Unknown, evidence: Evidence::Field("a status inside another object") }
        }
        (200..=299, _) => match trouble(reading) {
            // The reply came, and something about it did not do.
            Some(field) => Verdict { symptom: Symptom::BadReply, evidence: Evidence::Field(field) },
            None => said_otherwise(reading).unwrap_or_else(by_status),
        },
        // An interim reply: the request had begun, so nothing said of the connection makes it safe.
        (100..=199, Some(proof)) if proof.symptom.advice().effect == Effect::Maybe => by_words(proof),
        _ => by_status(),
    }
}

/// A status by the retry table, and the few of them that proxies write instead of the server's.
fn symptom_of(status: u16) -> Symptom {
    Symptom::of_proxy_status(status).unwrap_or_else(|| Symptom::of_status(status))
}

/// Whether the words only repeat the status.
fn proof_is_of(proof: &Proof, status: u16) -> bool {
    proof.status == Some(status)
}

/// Whether the words tell of a connection on which the request may have gone out.
fn went_wrong(proof: &Proof) -> bool {
    matches!(proof.says, Says::Sent(_) | Says::Begun(_) | Says::Open(_))
}

/// A 2xx with words of trouble: the reply began and did not end well.
fn broken(proof: Proof<'_>) -> Verdict<'_> {
    let symptom = match proof.symptom {
        Symptom::BadReply => Symptom::BadReply,
        _ => Symptom::Truncated,
    };
    Verdict { symptom, evidence: Evidence::Words(proof.evidence) }
}

/// A sign of trouble beside a 2xx that no wording explains.
fn trouble(reading: &Reading) -> Option<&'static str> {
    reading.trouble.or_else(|| reading.exit_code.filter(|code| *code != 0).map(|_| "exit_code"))
}

/// A symptom by name that does not agree with a 2xx.
fn said_otherwise<'a>(reading: &'a Reading<'_>) -> Option<Verdict<'a>> {
    let symptom = reading.symptom.filter(|symptom| *symptom != Symptom::Ok)?;
    let symptom = if symptom.advice().effect == Effect::Maybe { symptom } else { Symptom::Unknown };
    Some(Verdict { symptom, evidence: Evidence::Field("symptom") })
}

fn judge_words<'a>(reading: &'a Reading<'_>) -> Verdict<'a> {
    let proof = chain::read(reading);
    if never_about_to_send(reading) {
        return never_sent(reading, proof);
    }
    let bold = |symptom: Symptom| symptom.advice().effect != Effect::Maybe && proof.as_ref().is_some_and(went_wrong);
    if let Some(symptom) = reading.symptom.filter(|symptom| *symptom != Symptom::Ok && !bold(*symptom)) {
        return Verdict { symptom, evidence: Evidence::Field("symptom") };
    }
    match proof {
        Some(proof) => by_words(proof),
        None => by_kind(reading),
    }
}

fn by_words(proof: Proof<'_>) -> Verdict<'_> {
    let symptom = match (proof.says, proof.status) {
        // An error that tells of a 2xx is no success.
        (_, Some(200..=299)) => Symptom::BadReply,
        (_, Some(status)) => symptom_of(status),
        _ => proof.symptom,
    };
    Verdict { symptom, evidence: Evidence::Words(proof.evidence) }
}

/// curl's own evidence: the transfer failed and was never about to begin.
fn never_about_to_send(reading: &Reading) -> bool {
    reading.pretransfer == Some(0.0) && reading.exit_code.is_some_and(|code| code != 0)
}

/// Which of the symptoms of a request that was never sent: by its words, or by curl's exit code.
fn never_sent<'a>(reading: &'a Reading<'_>, proof: Option<Proof<'a>>) -> Verdict<'a> {
    let worded = proof.map(|proof| proof.symptom).filter(|symptom| symptom.advice().effect == Effect::No);
    // The exit codes of curl(1).
    let symptom = worded.unwrap_or(match reading.exit_code {
        Some(5 | 6) => Symptom::Dns,
        Some(7) => Symptom::Refused,
        Some(28) => Symptom::ConnectTimeout,
        Some(35 | 51 | 53 | 54 | 58 | 59 | 60 | 66 | 77 | 82 | 83 | 90 | 91 | 98) => Symptom::Tls,
        _ => Symptom::Unreachable,
    });
    Verdict { symptom, evidence: Evidence::Field("time_pretransfer 0") }
}

/// The coarse kind that the probe prints; the client-error of a kind may be a conflict.
fn by_kind<'a>(reading: &'a Reading<'_>) -> Verdict<'a> {
    let symptom = match reading.kind.as_deref() {
        Some("server-error") => Symptom::ServerError,
        Some("transport-timeout") => Symptom::Timeout,
        Some("transport") => Symptom::Closed,
        Some("bad-reply") => Symptom::BadReply,
        _ if reading.status == Status::Odd => Symptom::BadReply,
        _ => return Verdict { symptom: Symptom::Unknown, evidence: Evidence::Nothing },
    };
    let field = if reading.status == Status::Odd { "status" } else { "kind" };
    Verdict { symptom, evidence: Evidence::Field(field) }
}
