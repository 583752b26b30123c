//! JSON to a `Reading`, in one pass and without a tree. Invariant: only fields of the table in `fields` are looked at;
//! what a field means depends on where it stands, and a request's own options and bodies are never read as evidence.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::fields::Field;
use super::leaves::{Name, header_map};
use super::reading::{Reading, Role, Status};

mod outcome_words;
mod scalars;

/// Where a field stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// In the reading itself.
    Top,
    /// In an object of the reading that is a reading of its own (loguru's `record`, curl's JSON inside another).
    Within,
    /// In an error object or one of its causes.
    Error,
    /// In an object that describes the reply.
    Response,
    Headers,
    /// In loguru's level object.
    Level,
    /// In hurl's list of exchanges.
    Entries,
}

/// Deserializes one value into the reading.
pub struct Slot<'r, 'a> {
    reading: &'r mut Reading<'a>,
    place: Place,
    depth: u8,
    /// The field that the value belongs to; None for the reading as a whole.
    field: Option<Field>,
}

impl<'r, 'a> Slot<'r, 'a> {
    /// The slot for a whole reading.
    pub fn whole(reading: &'r mut Reading<'a>) -> Slot<'r, 'a> {
        Slot { reading, place: Place::Top, depth: 0, field: None }
    }

    /// The slot for one field of a reading.
    pub fn member(reading: &'r mut Reading<'a>, field: Field) -> Slot<'r, 'a> {
        Slot { reading, place: Place::Top, depth: 0, field: Some(field) }
    }
}

impl<'de> DeserializeSeed<'de> for Slot<'_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Slot<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(if self.field.is_none() { "an object or a text" } else { "any value" })
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(mut self, value: bool) -> Result<(), E> {
        self.boolean(value);
        Ok(())
    }

    fn visit_i64<E>(mut self, value: i64) -> Result<(), E> {
        self.integer(value);
        Ok(())
    }

    fn visit_u64<E>(mut self, value: u64) -> Result<(), E> {
        self.integer(i64::try_from(value).unwrap_or(i64::MAX));
        Ok(())
    }

    fn visit_f64<E>(mut self, value: f64) -> Result<(), E> {
        match self.field {
            Some(Field::Pretransfer) => self.reading.pretransfer = Some(value),
            Some(Field::Status) if value.fract() == 0.0 && value.abs() < 1e6 => self.integer(value as i64),
            Some(Field::Status) => self.reading.set_status(Status::Odd),
            Some(
                Field::Time
                | Field::RetryAfter
                | Field::Intent
                | Field::Key
                | Field::Receipt
                | Field::UnheardReceipt
                | Field::Amount,
            ) => {
                self.words(Cow::Owned(value.to_string()));
            }
            _ => {}
        }
        Ok(())
    }

    fn visit_str<E>(mut self, value: &str) -> Result<(), E> {
        self.words(Cow::Owned(value.to_owned()));
        Ok(())
    }

    fn visit_borrowed_str<E>(mut self, value: &'de str) -> Result<(), E> {
        self.words(Cow::Borrowed(value));
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let Slot { reading, place, depth, field } = self;
        let field = if field == Some(Field::Chain) && place == Place::Error { Some(Field::Errors) } else { field };
        use Field::{Cause, Context, Entries, Error, Errors, Headers, Message};
        let is_read = |f: &Field| matches!(f, Error | Errors | Cause | Context | Headers | Entries);
        // The details of an error are often a list (PayPal's, Google's).
        let is_detail = |f: &Field| *f == Message && place == Place::Error;
        let Some(field) = field.filter(|f| is_read(f) || is_detail(f)) else {
            reading.wrapper |= place == Place::Top && matches!(field, Some(Field::Wrapper | Field::Made));
            while seq.next_element::<IgnoredAny>()?.is_some() {
                if field == Some(Field::Failures) {
                    reading.note_trouble("failures");
                }
            }
            return Ok(());
        };
        let branch = reading.branch;
        if field == Errors {
            reading.next_branch();
        }
        while seq.next_element_seed(Slot { reading, place, depth, field: Some(field) })?.is_some() {
            if field == Errors {
                reading.next_branch();
            }
            // GraphQL answers 200 with a list of errors.
            if field == Errors && place == Place::Response {
                reading.note_trouble("errors");
            }
        }
        reading.branch = branch;
        if field == Entries && place == Place::Top && reading.status == Status::Absent {
            scalars::push(reading, 0, Role::Error, Cow::Borrowed("hurl: no reply"));
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        // HAR's `log` is an object; docker's is a text. Loki's answer is in `data`.
        if self.place == Place::Top
            && matches!(self.field, Some(Field::Log | Field::Wrapper | Field::Made | Field::Beside))
        {
            self.reading.wrapper = true;
        }
        match self.inside() {
            Some(Place::Headers) => header_map(self.reading, map),
            Some(Place::Within) if !matches!(self.field, Some(Field::Nested)) => self.aside(map),
            Some(place) => self.walk(place, map),
            None => {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(())
            }
        }
    }
}

impl<'de> Slot<'_, 'de> {
    /// The place that an object in this field is; None for an object that is no evidence.
    fn inside(&self) -> Option<Place> {
        match (self.field, self.place) {
            (None, place) => Some(place),
            (Some(Field::Nested | Field::Beside | Field::Context), Place::Top | Place::Within) => Some(Place::Within),
            (Some(Field::Error | Field::Errors), Place::Top | Place::Within | Place::Error) => Some(Place::Error),
            // An error in a reply's body: that it is there says enough, what it says is the server's business.
            (Some(Field::Error | Field::Errors | Field::Body), Place::Response) => Some(Place::Response),
            (Some(Field::Beside | Field::Wrapper), Place::Response) => Some(Place::Response),
            (Some(Field::Body), Place::Top | Place::Within) => Some(Place::Response),
            (Some(Field::Cause | Field::Context | Field::Inner), Place::Error) => Some(Place::Error),
            (Some(Field::Message), Place::Top | Place::Within | Place::Error) => Some(Place::Error),
            (Some(Field::Response), _) => Some(Place::Response),
            (Some(Field::Headers), _) => Some(Place::Headers),
            (Some(Field::Level), _) => Some(Place::Level),
            (Some(Field::Entries), Place::Top | Place::Entries) => Some(Place::Entries),
            _ => None,
        }
    }

    /// An object of the reading whose words count only where the reading has none of its own.
    fn aside<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        let Slot { reading, place: _, depth, field } = self;
        let before = reading.texts.len();
        Slot { reading: &mut *reading, place: Place::Within, depth, field }.walk(Place::Within, map)?;
        for text in &mut reading.texts[before..] {
            if matches!(text.role, Role::Error | Role::Trace) {
                text.role = Role::Aside;
            }
        }
        Ok(())
    }

    fn walk<A: MapAccess<'de>>(self, inside: Place, mut map: A) -> Result<(), A::Error> {
        let Slot { reading, place, depth, field } = self;
        let depth = if inside == Place::Error { depth.saturating_add(1) } else { depth };
        if inside == Place::Error {
            reading.known = true;
            reading.note_trouble("error");
        }
        if inside == Place::Response && matches!(field, Some(Field::Error)) {
            reading.note_trouble("error");
        }
        // hurl follows redirects: the last exchange is the one that counts.
        if inside == Place::Response && place == Place::Entries {
            reading.status = Status::Absent;
            reading.exchanges = true;
        }
        while let Some(name) = map.next_key_seed(Name)? {
            match name {
                Some(Field::Document) if inside == Place::Top => {
                    reading.document = true;
                    map.next_value::<IgnoredAny>()?;
                }
                Some(field) => map.next_value_seed(Slot { reading, place: inside, depth, field: Some(field) })?,
                // A reply's body may say anywhere in it that it is no success.
                None if inside == Place::Response => {
                    map.next_value_seed(Slot { reading, place: inside, depth, field: Some(Field::Body) })?;
                }
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}
