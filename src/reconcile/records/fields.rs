//! What is asked of each record, and where. Invariant: a record that says nothing of what decides whether it counts is
//! not taken for one that does.

use std::borrow::Cow;
use std::fmt::Display;

use super::complaint::Complaint;
use crate::reconcile::amount::Amount;
use crate::reconcile::tally::When;
use crate::text::pointer::{Found, Other};
use crate::text::time::milliseconds;

/// The fields of a record by their places: pointers of JSON, columns of CSV.
#[derive(Clone, Debug)]
pub struct Fields<P> {
    pub intent: P,
    /// None where amounts are not looked at.
    pub amount: Option<P>,
    /// None where times are not looked at.
    pub time: Option<(P, Window)>,
    /// A record counts where all of them hold.
    pub filters: Vec<(P, String)>,
}

/// The times that are looked at, in milliseconds since 1970-01-01 UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The first that is; None where it has no begin.
    pub since: Option<i64>,
    /// The first that is not any more; None where it has no end.
    pub until: Option<i64>,
}

/// One record.
#[derive(Debug, PartialEq, Eq)]
pub struct Record<'a> {
    /// Trimmed of white space at both ends, as in the canonical form, so that what has one key is one intent.
    pub intent: Cow<'a, str>,
    /// None where it is not looked at, or not there.
    pub amount: Option<Amount>,
    pub when: When,
    /// What it leaves open beside its intent.
    pub flaw: Option<Complaint>,
}

impl<'a> Record<'a> {
    /// A name alone.
    pub fn named(name: Cow<'a, str>) -> Result<Record<'a>, Complaint> {
        let intent = match name {
            Cow::Borrowed(name) => Cow::Borrowed(trimmed(name)),
            Cow::Owned(name) => Cow::Owned(trimmed(&name).to_owned()),
        };
        match intent.is_empty() {
            true => Err(Complaint::Empty),
            false => Ok(Record { intent, amount: None, when: When::Inside, flaw: None }),
        }
    }
}

impl Window {
    fn place(self, time: i64) -> When {
        let is_inside = self.since.is_none_or(|since| time >= since) && self.until.is_none_or(|until| time < until);
        if is_inside { When::Inside } else { When::Outside }
    }
}

impl<P> Fields<P> {
    /// The same fields at places of another kind.
    ///
    /// # Errors
    /// Those of `place`.
    pub fn at<Q, E>(&self, place: impl Fn(&P) -> Result<Q, E>) -> Result<Fields<Q>, E> {
        Ok(Fields {
            intent: place(&self.intent)?,
            amount: self.amount.as_ref().map(&place).transpose()?,
            time: self.time.as_ref().map(|(at, window)| Ok((place(at)?, *window))).transpose()?,
            filters: self
                .filters
                .iter()
                .map(|(at, value)| Ok((place(at)?, value.clone())))
                .collect::<Result<_, E>>()?,
        })
    }
}

impl<P: Display> Fields<P> {
    /// The record whose fields `find` finds; None where it is not to count.
    ///
    /// # Errors
    /// It names no intent, or not one, or leaves open whether it counts.
    pub fn record<'a>(
        &self,
        find: impl Fn(&P) -> Result<Found<'a>, Complaint>,
    ) -> Result<Option<Record<'a>>, Complaint> {
        for (at, value) in &self.filters {
            match find(at)? {
                Found::Twice => return Err(Complaint::Twice(at.to_string())),
                found if is(&found, value) => {}
                _other_value => return Ok(None),
            }
        }
        let at = || self.intent.to_string();
        let mut record = match find(&self.intent)? {
            Found::Name(name) => Record::named(name)?,
            Found::Nothing => return Err(Complaint::Nothing(at())),
            Found::Twice => return Err(Complaint::Twice(at())),
            Found::Other(what) => return Err(Complaint::Other(at(), what.words())),
        };
        if let Some(at) = &self.amount {
            record.amount = written(find(at)?).and_then(|text| text.trim().parse().ok());
            record.flaw = record.amount.is_none().then(|| Complaint::NoAmount(at.to_string()));
        }
        if let Some((at, window)) = &self.time {
            let time = written(find(at)?).and_then(|text| milliseconds(&text));
            record.when = time.map_or(When::Undated, |time| window.place(time));
            record.flaw = record.flaw.or_else(|| time.is_none().then(|| Complaint::NoTime(at.to_string())));
        }
        Ok(Some(record))
    }
}

/// Whether a value is the one that was given as text.
fn is(found: &Found, value: &str) -> bool {
    match found {
        Found::Name(name) => name == value,
        Found::Other(Other::Real(number)) => number.to_string() == value || value.parse() == Ok(*number),
        Found::Other(Other::Bool(is)) => is.to_string() == value,
        Found::Other(Other::Null) => value == "null",
        Found::Nothing | Found::Twice | Found::Other(Other::Array | Other::Object) => false,
    }
}

/// A text or a number as text; None for anything else.
fn written(found: Found<'_>) -> Option<Cow<'_, str>> {
    match found {
        Found::Name(name) => Some(name),
        Found::Other(Other::Real(number)) => Some(Cow::Owned(number.to_string())),
        Found::Nothing | Found::Twice => None,
        Found::Other(Other::Bool(_) | Other::Null | Other::Array | Other::Object) => None,
    }
}

/// Without white space at both ends. Nearly all names begin and end with a visible ASCII character: seen at once.
fn trimmed(name: &str) -> &str {
    match name.as_bytes() {
        [first, .., last] if first.is_ascii_graphic() && last.is_ascii_graphic() => name,
        _ => name.trim(),
    }
}
