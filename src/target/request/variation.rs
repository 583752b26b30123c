//! How a retry may differ from the first request without being another one: a registry, one entry for each thing that
//! clients, libraries and gateways change on the way. Invariant: an entry varies one thing.

use std::net::{IpAddr, Ipv4Addr, ToSocketAddrs};

use super::template::{Call, Template};
use super::wire::Form;
use crate::http::address::Address;
use crate::http::header::Header;

/// What kind of thing is varied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Where the request comes from.
    Elsewhere,
    /// How it is written.
    Written,
    /// How its content is written: a design may hold that for another payload.
    Content,
    /// Its size. A retry is as large as the first request.
    Size,
}

/// One entry.
pub struct Variation {
    pub label: &'static str,
    pub kind: Kind,
    /// The variant of a call; None where this target, or this template, has no room for it.
    pub of: fn(&Call, &Template, &Address) -> Option<Call>,
}

/// All variations, in the order in which they are tried.
pub const VARIATIONS: &[Variation] = &[
    elsewhere("another connection", |call, _, _| Some(call.clone())),
    elsewhere("another X-Request-Id", |call, template, _| with(call, template, "X-Request-Id: idem-retry-2")),
    elsewhere("another traceparent", |call, template, _| with(call, template, TRACEPARENT)),
    elsewhere("a count of attempts", |call, template, _| with(call, template, "X-Retry-Count: 1")),
    elsewhere("a count of attempts as AWS SDKs send it", |call, template, _| {
        with(call, template, "amz-sdk-request: attempt=2; max=3")
    }),
    elsewhere("another User-Agent", |call, template, _| with(call, template, "User-Agent: another-client/2.0")),
    elsewhere("another X-Forwarded-For", |call, template, _| with(call, template, "X-Forwarded-For: 203.0.113.7")),
    elsewhere("from 127.0.0.2", |call, _, target| from_neighbour(call, target)),
    written("header names in lower case", |call, _, _| Some(Call { form: Form::LowerCase, ..call.clone() })),
    written("headers in another order", |call, _, _| Some(Call { form: Form::Reversed, ..call.clone() })),
    written("body in chunks", |call, _, _| Some(Call { form: Form::Chunked, ..call.clone() })),
    written("Expect: 100-continue", |call, template, _| with(call, template, "Expect: 100-continue")),
    written("HTTP/1.0", |call, _, _| Some(Call { form: Form::Http10, ..call.clone() })),
    written("Content-Type with charset", |call, template, _| with(call, template, &with_charset(template)?)),
    written("another Accept", |call, template, _| with(call, template, "Accept: application/json, */*;q=0.8")),
    written("another Accept-Encoding", |call, template, _| with(call, template, "Accept-Encoding: identity")),
    written("another Accept-Language", |call, template, _| with(call, template, "Accept-Language: en;q=0.9")),
    written("Host spelled otherwise", |call, _, target| other_host(call, target)),
    Variation {
        label: "body written anew",
        kind: Kind::Content,
        of: |call, template, _| template.body.is_known().then(|| Call { reserialised: true, ..call.clone() }),
    },
    Variation {
        label: "body of 100 kB",
        kind: Kind::Size,
        of: |call, template, _| template.body.has_room().then(|| Call { padded: true, ..call.clone() }),
    },
];

/// W3C Trace Context, 3.2.
const TRACEPARENT: &str = "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

type Variant = fn(&Call, &Template, &Address) -> Option<Call>;

const fn elsewhere(label: &'static str, of: Variant) -> Variation {
    Variation { label, kind: Kind::Elsewhere, of }
}

const fn written(label: &'static str, of: Variant) -> Variation {
    Variation { label, kind: Kind::Written, of }
}

/// With a header of its own, but for the one that carries the key: with another one it is another request.
fn with(call: &Call, template: &Template, header: &str) -> Option<Call> {
    let header = Header::parse(header).ok()?;
    let is_key = template.carries_key(&header.name);
    let extra = call.extra.iter().cloned().chain([header]).collect();
    (!is_key).then(|| Call { extra, ..call.clone() })
}

/// The template's own type with a charset; None where it sends no body, or has a charset already.
fn with_charset(template: &Template) -> Option<String> {
    let own = template.content_type().filter(|own| !own.to_ascii_lowercase().contains("charset="))?;
    Some(format!("Content-Type: {own}; charset=utf-8"))
}

/// What cannot be varied at a Unix socket, and why.
pub const AT_A_UNIX_SOCKET: [(Kind, &str); 2] = [
    (Kind::Elsewhere, "from 127.0.0.2: left out, a Unix socket has no addresses"),
    (Kind::Written, "Host spelled otherwise: left out, a Unix socket has no name"),
];

/// From 127.0.0.2, where the target is loopback and the platform can bind it.
fn from_neighbour(call: &Call, target: &Address) -> Option<Call> {
    let other = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2));
    let is_here = target.route.socket().is_some_and(|socket| socket.ip() == IpAddr::V4(Ipv4Addr::LOCALHOST));
    let can = is_here && std::net::TcpListener::bind((other, 0)).is_ok();
    can.then(|| Call { from: Some(other), ..call.clone() })
}

/// A name for an address and the address for a name, where both reach the target.
fn other_host(call: &Call, target: &Address) -> Option<Call> {
    let socket = target.route.socket()?;
    let mut named = ("localhost", socket.port()).to_socket_addrs().ok()?;
    let is_localhost = named.any(|address| address == socket);
    let is_named = target.authority.starts_with("localhost");
    let host = if is_named { socket.to_string() } else { format!("localhost:{}", socket.port()) };
    is_localhost.then(|| Call { host: Some(host), ..call.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::address::Route;
    use crate::target::request::body::Body;
    use crate::target::request::key::KeyPlace;
    use crate::target::request::template::fixtures::template;
    use crate::target::request::wire;

    fn address(authority: &str, socket: &str) -> Address {
        Address { route: Route::Tcp(socket.parse().unwrap()), authority: authority.into() }
    }

    fn target() -> Address {
        address("127.0.0.1:8080", "127.0.0.1:8080")
    }

    #[test]
    fn every_variation_but_the_connection_changes_the_bytes_or_the_address() {
        let template = template(KeyPlace::Header("Idempotency-Key".into()));
        let call = Call { intent: "a".into(), amount: 1, keys: vec![b"k".to_vec()], ..Call::default() };
        let sent = |call: &Call| (wire::bytes(&template.request(call, "127.0.0.1:8080"), call.form), call.from);
        for variation in VARIATIONS {
            let Some(other) = (variation.of)(&call, &template, &target()) else { continue };
            assert_eq!(sent(&other) == sent(&call), variation.label == "another connection", "{}", variation.label);
            assert_eq!((&other.intent, &other.keys), (&call.intent, &call.keys), "{}", variation.label);
        }
    }

    #[test]
    fn the_header_that_carries_the_key_is_not_varied() {
        let template = template(KeyPlace::Header("x-request-id".into()));
        assert!(with(&Call::default(), &template, "X-Request-Id: other").is_none());
        assert!(with(&Call::default(), &template, TRACEPARENT).is_some());
    }

    #[test]
    fn a_name_stands_for_an_address_and_an_address_for_a_name() {
        let of = |target: &Address| other_host(&Call::default(), target).and_then(|call| call.host);
        let host = |authority: &str, socket: &str| of(&address(authority, socket));
        let here = "127.0.0.1:8080";
        assert_eq!(host(here, here).as_deref(), Some("localhost:8080"));
        assert_eq!(host("localhost:8080", here).as_deref(), Some(here));
        assert_eq!(host("192.0.2.1:8080", "192.0.2.1:8080"), None, "localhost is another server");
        let six = "[::1]:8080";
        if ("localhost", 8080).to_socket_addrs().unwrap().any(|known| known == six.parse().unwrap()) {
            assert_eq!(host("localhost:8080", six).as_deref(), Some(six));
        }
        assert_eq!(of(&Address { route: Route::Unix("/x".into()), authority: "localhost".into() }), None);
    }

    #[test]
    fn only_a_target_on_this_machine_is_asked_from_its_neighbour() {
        let elsewhere = address("192.0.2.1:8080", "192.0.2.1:8080");
        assert!(from_neighbour(&Call::default(), &elsewhere).is_none());
        if std::net::TcpListener::bind("127.0.0.2:0").is_ok() {
            let call = from_neighbour(&Call::default(), &target()).expect("an address of this machine");
            assert_eq!(call.from, Some(IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2))));
        }
    }

    #[test]
    fn a_body_is_padded_only_where_there_is_room() {
        let size = VARIATIONS.iter().find(|variation| variation.kind == Kind::Size).unwrap();
        let mut template = template(KeyPlace::Header("k".into()));
        assert!((size.of)(&Call::default(), &template, &target()).is_some_and(|call| call.padded));
        template.body = Body::parse(r#"["{{intent}}"]"#, None).unwrap();
        assert!((size.of)(&Call::default(), &template, &target()).is_none());
    }

    #[test]
    fn a_type_of_the_users_own_keeps_its_name() {
        let mut template = template(KeyPlace::Header("k".into()));
        let charset = |template: &Template| with_charset(template).unwrap_or_default();
        template.headers = vec![Header::parse("Content-Type: application/vnd.x+json").unwrap()];
        assert_eq!(charset(&template), "Content-Type: application/vnd.x+json; charset=utf-8");
        template.headers = vec![Header::parse("X-Own: 1").unwrap()];
        assert_eq!(charset(&template), "Content-Type: application/json; charset=utf-8");
        template.body = Body::parse("a={{intent}}", None).unwrap();
        assert_eq!(charset(&template), "Content-Type: application/x-www-form-urlencoded; charset=utf-8");
        template.body = Body::parse("", None).unwrap();
        assert_eq!(charset(&template), "", "there is no body to say it of");
        template.headers = vec![Header::parse("Content-Type: text/plain; Charset=utf-8").unwrap()];
        assert_eq!(charset(&template), "", "it has one");
    }

    #[test]
    fn what_is_not_understood_is_not_written_anew() {
        let anew = VARIATIONS.iter().find(|variation| variation.kind == Kind::Content).unwrap();
        let mut template = template(KeyPlace::Header("k".into()));
        assert!((anew.of)(&Call::default(), &template, &target()).is_some());
        template.body = Body::parse("<order/>", Some("text/xml")).unwrap();
        assert!((anew.of)(&Call::default(), &template, &target()).is_none());
    }
}
