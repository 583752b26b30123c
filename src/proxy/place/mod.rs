//! Where a request names its intent, or carries its key. Invariant: a place gives one name or none; where a name stands
//! twice it is none, for nobody can say which of the two the server takes.

mod form;
mod multipart;

use std::fmt;

use crate::http::message::{Message, Start};
use crate::text::percent;
use crate::text::pointer::{Found, Pointer};

/// A place in a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a JSON body.
    Json(Pointer),
    /// A segment of the path, counted from 1.
    Path(usize),
    /// A parameter of the query.
    Query(String),
    /// A field of a form, form-encoded or multipart.
    Form(String),
    Header(String),
}

impl Place {
    /// # Errors
    /// Says which forms there are.
    pub fn parse(text: &str) -> Result<Place, String> {
        match text.split_once(':') {
            Some(("path", number)) => match number.parse() {
                Ok(number) if number >= 1 => Ok(Place::Path(number)),
                Ok(_) | Err(_) => Err("path:N counts the segments of the path from 1".into()),
            },
            Some((kind @ ("query" | "form" | "header"), "")) => Err(format!("{kind}:NAME needs a name")),
            Some(("query", name)) => Ok(Place::Query(name.to_owned())),
            Some(("form", name)) => Ok(Place::Form(name.to_owned())),
            Some(("header", name)) => Ok(Place::Header(name.to_owned())),
            Some(_) | None => text
                .parse()
                .map(Place::Json)
                .map_err(|why| format!("{why}; or path:N, query:NAME, form:NAME, header:NAME")),
        }
    }

    /// The name that stands there. None where there is none, or more than one.
    pub fn name_in(&self, request: &Message) -> Option<String> {
        let name = match self {
            Place::Json(pointer) => json_name(&request.content()?, pointer),
            Place::Path(number) => segment(target(request), *number),
            Place::Query(name) => form::only(target(request).split_once('?')?.1.as_bytes(), name),
            Place::Form(name) => field(request, name),
            Place::Header(name) => {
                let mut values = request.head.all(name);
                let value = values.next().filter(|_| values.next().is_none())?;
                Some(String::from_utf8_lossy(value).into_owned())
            }
        };
        name.filter(|name| !name.is_empty())
    }
}

impl Place {
    /// The name at this place of a body that is JSON; None where the place is not in a body of JSON.
    pub fn name_in_json(&self, body: &[u8]) -> Option<String> {
        match self {
            Place::Json(pointer) => json_name(body, pointer).filter(|name| !name.is_empty()),
            Place::Path(_) | Place::Query(_) | Place::Form(_) | Place::Header(_) => None,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Json(pointer) => write!(f, "{pointer}"),
            Place::Path(number) => write!(f, "path:{number}"),
            Place::Query(name) => write!(f, "query:{name}"),
            Place::Form(name) => write!(f, "form:{name}"),
            Place::Header(name) => write!(f, "header:{name}"),
        }
    }
}

/// The string or integer at a place of a JSON body. None for any other body, and where the place is not one name.
pub fn json_name(body: &[u8], place: &Pointer) -> Option<String> {
    match place.find(body) {
        Ok(Found::Name(name)) => Some(name.into_owned()),
        Ok(Found::Nothing | Found::Twice | Found::Other(_)) | Err(_) => None,
    }
}

fn field(request: &Message, name: &str) -> Option<String> {
    let kind = request.head.get("content-type").map(|kind| String::from_utf8_lossy(kind).into_owned());
    match kind.as_deref().and_then(multipart::boundary) {
        Some(boundary) => multipart::only(&request.content()?, &boundary, name),
        None => form::only(&request.content()?, name),
    }
}

/// As it stands in the request line, without scheme and authority.
fn target(request: &Message) -> &str {
    let Start::Request { target, .. } = &request.head.start else { return "" };
    match target.split_once("://") {
        Some((_, rest)) if !target.starts_with('/') => rest.find('/').map_or("", |at| rest.split_at(at).1),
        Some(_) | None => target,
    }
}

fn segment(target: &str, number: usize) -> Option<String> {
    let path = target.split(['?', '#']).next()?;
    percent::decoded(path.split('/').nth(number)?.as_bytes(), false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::message::{Limits, Parser};

    fn found(place: &str, head: &str, body: &str) -> Option<String> {
        let mut parser = Parser::request(Limits::default());
        let length = body.len();
        parser.push(format!("{head}\r\nContent-Length: {length}\r\n\r\n{body}").as_bytes()).unwrap();
        Place::parse(place).unwrap().name_in(&parser.into_message())
    }

    #[test]
    fn each_place_gives_its_name() {
        let head = "POST /orders/a%2Fb+c/pay?id=x%20y&n=1&n=2&e= HTTP/1.1\r\nX-Order: o-1\r\nTwice: a\r\nTwice: b";
        let typed = format!("{head}\r\nContent-Type: application/x-www-form-urlencoded");
        let form = "amount=5&metadata%5Border%5D=ord+1&e=&n=1&n=2";
        for (place, name) in [
            ("path:1", Some("orders")),
            ("path:2", Some("a/b+c")),
            ("path:4", None),
            ("query:id", Some("x y")),
            ("query:n", None),
            ("query:e", None),
            ("query:none", None),
            ("header:x-order", Some("o-1")),
            ("header:Twice", None),
            ("form:metadata[order]", Some("ord 1")),
            ("form:amount", Some("5")),
            ("form:n", None),
            ("/intent", None),
        ] {
            assert_eq!(found(place, &typed, form).as_deref(), name, "{place}");
        }
        assert_eq!(found("/a/b", head, r#"{"a":{"b":7}}"#).as_deref(), Some("7"));
        let absolute = "POST http://h:1/orders/9?q=1 HTTP/1.1";
        assert_eq!(found("path:2", absolute, "").as_deref(), Some("9"));
    }

    #[test]
    fn a_multipart_field_is_found_by_its_name() {
        let head = "POST / HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=\"b 1\"";
        let body = "--b 1\r\nContent-Disposition: form-data; name=\"file\"; filename=\"name=order\"\r\n\r\n--b 2\r\n\
                    --b 1\r\ncontent-disposition: form-data; name=order\r\n\r\nord-7\r\n--b 1--\r\n";
        assert_eq!(found("form:order", head, body).as_deref(), Some("ord-7"));
        assert_eq!(found("form:file", head, body).as_deref(), Some("--b 2"));
        assert_eq!(found("form:filename", head, body), None);
    }

    #[test]
    fn a_place_that_is_not_one_is_refused_with_what_to_write() {
        for bad in ["intent", "path:0", "path:x", "query:", "form:", "header:", "cookie:x"] {
            assert!(Place::parse(bad).is_err(), "{bad}");
        }
        for good in ["", "/a", "path:2", "query:a", "form:a[b]", "header:A"] {
            assert_eq!(Place::parse(good).unwrap().to_string(), good);
        }
    }
}
