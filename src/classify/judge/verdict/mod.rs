//! One reading to one verdict. Invariant: effect and action come from the retry table alone; `no` needs proof that the
//! request cannot have been processed, `yes` a complete 2xx and no sign of trouble beside it.

use std::borrow::Cow;

use crate::classify::extract::reading::{Mark, Reading, Status};
use crate::classify::judge::call::Around;
use crate::classify::judge::chain;
use crate::classify::judge::chain::{Proof, Words};
use crate::classify::judge::gateways;
use crate::classify::judge::vocabulary::Says;
use crate::terms::outcome::{Advice, Effect, Kind, Symptom};

/// What a reading means.
#[derive(Debug)]
pub struct Verdict<'a> {
    pub symptom: Symptom,
    /// The symptom's row of the retry table, or a more careful one where the whole call leaves more open than its end.
    pub advice: Advice,
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

impl<'a> Verdict<'a> {
    /// By the retry table.
    pub fn of(symptom: Symptom, evidence: Evidence<'a>) -> Verdict<'a> {
        Verdict { symptom, advice: symptom.advice(), evidence }
    }

    pub fn of_status(status: u16, evidence: Evidence<'a>) -> Verdict<'a> {
        match Symptom::of_proxy_status(status) {
            Some(symptom) => Verdict::of(symptom, evidence),
            None => Verdict { symptom: Symptom::of_status(status), advice: Advice::of_status(status), evidence },
        }
    }

    /// Of the whole call, where other attempts went before or follow: the last one's `no` is none of theirs.
    pub fn among(self, repeated: &str) -> Verdict<'a> {
        if self.advice.effect != Effect::No {
            return self;
        }
        let end = match self.evidence {
            Evidence::Status(status) => format!("status {status}"),
            Evidence::Words(words) => words.into_owned(),
            Evidence::Field(field) => field.to_owned(),
            Evidence::Nothing => String::new(),
        };
        let evidence = Evidence::Words(Cow::Owned(format!("{end}; {repeated}")));
        Verdict { symptom: self.symptom, advice: self.advice.of_whole_call(), evidence }
    }
}

/// Judges a reading.
pub fn judge<'a>(reading: &'a Reading<'_>) -> Verdict<'a> {
    judge_call(reading).0
}

/// Judges a reading, and tells by which of its words other attempts went before or follow; None where it says nothing of
/// that.
pub fn judge_call<'a>(reading: &'a Reading<'_>) -> (Verdict<'a>, Option<Cow<'a, str>>) {
    if reading.status == Status::Conflict {
        return (Verdict::of(Symptom::Unknown, Evidence::Field("status")), None);
    }
    if let Some(verdict) = gateways::read(reading) {
        return (verdict, None);
    }
    let words = if reading.texts.is_empty() { None } else { Some(chain::read(reading)) };
    let Words { proof, around } = words.unwrap_or(Words { proof: None, around: Around::default() });
    let verdict = match status_of(reading) {
        _ if proof.as_ref().is_some_and(|proof| proof.says == Says::DoneAlready) => {
            by_words(proof.expect("looked at just now"))
        }
        Some(status) => judge_status(status, reading, proof, around.veto),
        None => judge_words(reading, proof),
    };
    let verdict = match around.repeated.as_deref().or_else(|| by_field(reading)) {
        Some(repeated) => verdict.among(repeated),
        None => verdict,
    };
    (verdict, around.repeated)
}

/// The field that tells of other attempts, or that curl sent something before its last try failed to connect. The number
/// of an attempt is no such field: the others have readings of their own.
fn by_field(reading: &Reading) -> Option<&'static str> {
    // The exit codes of curl(1) that tell of a connection that was not made.
    let resent = matches!(reading.exit_code, Some(6 | 7 | 28 | 35)) && reading.status == Status::Absent;
    let sent = reading.sent || reading.pretransfer.is_some_and(|seconds| seconds > 0.0);
    let retried = |(mark, text): &(Mark, Cow<str>)| {
        *mark == Mark::Retries && text.trim_start_matches('+').parse().is_ok_and(|retries: u64| retries > 0)
    };
    let by_mark = || reading.marks.iter().any(retried).then_some("retries");
    reading.repeated.or_else(|| (resent && sent).then_some("size_request")).or_else(by_mark)
}

/// The status that a server may have sent. A code stands in where no status is given (vegeta, Google's errors).
fn status_of(reading: &Reading) -> Option<u16> {
    match reading.status {
        Status::Code(status) => Some(status),
        Status::Absent => reading.code.filter(|code| (200..=599).contains(code)).map(|code| code as u16),
        Status::Odd | Status::Conflict => None,
    }
}

fn judge_status<'a>(
    status: u16,
    reading: &'a Reading<'_>,
    proof: Option<Proof<'a>>,
    veto: Option<Cow<'a, str>>,
) -> Verdict<'a> {
    // No server sends these; clients write them for what they met themselves (HTTP::Tiny and Tornado write 599,
    // AnyEvent::HTTP 595 to 599).
    let made_up = !(100..595).contains(&status);
    let by_status = || Verdict::of_status(status, Evidence::Status(status));
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
        (400..=499, Some(proof)) if is_of_another_hop(&proof) => {
            refused_behind(Verdict::of_status(status, Evidence::Words(proof.evidence)))
        }
        (200..=299, _) if !reading.own_status && reading.status != Status::Absent && trouble(reading).is_none() => {
            Verdict::of(Symptom::Unknown, Evidence::Field("a status inside another object"))
        }
        (200..=299, _) => beside_success(reading, veto).unwrap_or_else(by_status),
        // An interim reply: the request had begun, so nothing said of the connection makes it safe.
        (100..=199, Some(proof)) if proof.symptom.advice().effect == Effect::Maybe => by_words(proof),
        _ => by_status(),
    }
}

/// What stands beside a 2xx and says that it is no success; None where nothing does.
fn beside_success<'a>(reading: &'a Reading<'_>, veto: Option<Cow<'a, str>>) -> Option<Verdict<'a>> {
    // The reply came, and something about it did not do.
    let bad = |evidence| Verdict::of(Symptom::BadReply, evidence);
    let by_field = trouble(reading).map(|field| bad(Evidence::Field(field)));
    by_field.or_else(|| veto.map(|words| bad(Evidence::Words(words)))).or_else(|| said_otherwise(reading))
}

/// Whether the words only repeat the status.
fn proof_is_of(proof: &Proof, status: u16) -> bool {
    proof.status == Some(status)
}

/// Whether the words tell of a connection on which the request may have gone out.
fn went_wrong(proof: &Proof) -> bool {
    matches!(proof.says, Says::Sent(_) | Says::Begun(_) | Says::Open(_))
}

/// Whether the words say that a connection could not be made. Beside a 4xx, which did come over a connection, that is one
/// further back, and what was done before it is not told.
fn is_of_another_hop(proof: &Proof) -> bool {
    matches!(proof.says, Says::Never(_) | Says::Phase(_))
}

/// A refusal for what a server met behind it.
fn refused_behind(verdict: Verdict<'_>) -> Verdict<'_> {
    Verdict { advice: verdict.advice.of_whole_call(), ..verdict }
}

/// A 2xx with words of trouble: the reply began and did not end well.
fn broken(proof: Proof<'_>) -> Verdict<'_> {
    let symptom = match proof.symptom {
        Symptom::BadReply => Symptom::BadReply,
        _ => Symptom::Truncated,
    };
    Verdict::of(symptom, Evidence::Words(proof.evidence))
}

/// A sign of trouble beside a 2xx that no wording explains.
fn trouble(reading: &Reading) -> Option<&'static str> {
    reading.trouble.or_else(|| reading.exit_code.filter(|code| *code != 0).map(|_| "exit_code"))
}

/// A symptom or a kind by name that does not agree with a 2xx.
fn said_otherwise<'a>(reading: &'a Reading<'_>) -> Option<Verdict<'a>> {
    let by_symptom = reading.symptom.map(|symptom| (symptom, "symptom"));
    let by_kind = || named_kind(reading).map(|symptom| (symptom, "kind"));
    let (symptom, field) = by_symptom.or_else(by_kind).filter(|(symptom, _)| *symptom != Symptom::Ok)?;
    let symptom = if symptom.advice().effect == Effect::Maybe { symptom } else { Symptom::Unknown };
    Some(Verdict::of(symptom, Evidence::Field(field)))
}

/// The symptom that a kind names: one of its own, or the least that a coarse kind says.
fn named_kind(reading: &Reading) -> Option<Symptom> {
    let name = reading.kind.as_deref()?;
    let coarse = |kind: Kind| match kind {
        Kind::Ok => Some(Symptom::Ok),
        Kind::ServerError => Some(Symptom::ServerError),
        Kind::TransportTimeout => Some(Symptom::Timeout),
        Kind::Transport => Some(Symptom::Closed),
        Kind::BadReply => Some(Symptom::BadReply),
        // It may be a conflict.
        Kind::ClientError => None,
    };
    match Kind::ALL.iter().find(|kind| kind.name() == name) {
        Some(kind) => coarse(*kind),
        None => Symptom::ALL.iter().copied().find(|symptom| symptom.name() == name),
    }
}

fn judge_words<'a>(reading: &'a Reading<'_>, proof: Option<Proof<'a>>) -> Verdict<'a> {
    if never_about_to_send(reading) {
        return never_sent(reading, proof);
    }
    let bold = |symptom: Symptom| symptom.advice().effect != Effect::Maybe && proof.as_ref().is_some_and(went_wrong);
    if let Some(symptom) = reading.symptom.filter(|symptom| *symptom != Symptom::Ok && !bold(*symptom)) {
        return Verdict::of(symptom, Evidence::Field("symptom"));
    }
    match proof {
        Some(proof) => by_words(proof),
        None => by_kind(reading),
    }
}

fn by_words(proof: Proof<'_>) -> Verdict<'_> {
    let evidence = Evidence::Words(proof.evidence);
    match (proof.says, proof.status) {
        // An error that tells of a 2xx is no success.
        (_, Some(200..=299)) => Verdict::of(Symptom::BadReply, evidence),
        (_, Some(status)) => Verdict::of_status(status, evidence),
        _ => Verdict::of(proof.symptom, evidence),
    }
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
    Verdict::of(symptom, Evidence::Field("time_pretransfer 0"))
}

/// Where no words say anything: a kind by name. A success by name alone is none: no reply is told.
fn by_kind<'a>(reading: &'a Reading<'_>) -> Verdict<'a> {
    match named_kind(reading).filter(|symptom| *symptom != Symptom::Ok) {
        Some(symptom) => Verdict::of(symptom, Evidence::Field("kind")),
        None if reading.status == Status::Odd => Verdict::of(Symptom::BadReply, Evidence::Field("status")),
        None => Verdict::of(Symptom::Unknown, Evidence::Nothing),
    }
}

#[cfg(test)]
mod tests;
