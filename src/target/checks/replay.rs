//! The same request again after success: as it was, from elsewhere, written in another way.

use std::net::{IpAddr, Ipv4Addr};

use super::{Plan, enough};
use crate::http::header::Header;
use crate::target::drive::session::Session;
use crate::target::facts::case::Case;
use crate::target::options::Options;
use crate::target::request::template::{KeyPlace, Template};

const ROUNDS: u64 = 3;
/// Headers that differ where a request comes from elsewhere, each varied by itself.
const HEADERS: [(&str, &str); 2] =
    [("another X-Request-Id", "X-Request-Id: idem-retry-2"), ("another User-Agent", "User-Agent: another-client/2.0")];

pub fn again_plan(_: &Options) -> Plan {
    Plan::new(ROUNDS * 3, ROUNDS)
}

pub async fn again(session: &Session) -> Vec<Case> {
    let mut cases = Vec::new();
    for _ in 0..ROUNDS {
        let mut case = session.case("replay", "after success");
        session.send(&mut case, 0, "first").await;
        session.send(&mut case, 0, "again").await;
        cases.push(case);
        if enough(&cases) {
            break;
        }
    }
    session.retry_later(cases).await
}

pub fn elsewhere_plan(options: &Options) -> Plan {
    let places = 2 + headers(&options.template).count() as u64;
    Plan::new(2 * places * 3, 2 * places)
}

pub async fn elsewhere(session: &Session) -> Vec<Case> {
    let mut cases = Vec::new();
    for _ in 0..2 {
        cases.push(with_header(session, "another connection", None).await);
        for (label, header) in headers(&session.options.template) {
            cases.push(with_header(session, label, Some(header)).await);
        }
        cases.push(from_address(session).await);
        if enough(&cases) {
            break;
        }
    }
    session.retry_later(cases).await
}

/// The headers to vary, but for the one that carries the key: with another one it is another request.
fn headers(template: &Template) -> impl Iterator<Item = (&'static str, Header)> {
    let varied = HEADERS.map(|(label, header)| (label, Header::parse(header).expect("a constant")));
    let is_key = |name: &str| matches!(&template.key_place, KeyPlace::Header(key) if key.eq_ignore_ascii_case(name));
    varied.into_iter().filter(move |(_, header)| !is_key(&header.name))
}

async fn with_header(session: &Session, label: &str, header: Option<Header>) -> Case {
    let mut case = session.case("elsewhere", label);
    let mut varied = case.calls[0].clone();
    varied.extra.extend(header);
    case.calls.push(varied);
    case.to_settle = Some(1);
    session.send(&mut case, 0, "first").await;
    session.send(&mut case, 1, label).await;
    case
}

/// From 127.0.0.2, where the target is loopback and the platform can bind it; else the plain retry stands for it.
async fn from_address(session: &Session) -> Case {
    let other = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2));
    let target = session.target();
    let can = target.socket.ip() == IpAddr::V4(Ipv4Addr::LOCALHOST) && std::net::TcpListener::bind((other, 0)).is_ok();
    let mut case = session.case("elsewhere", if can { "from 127.0.0.2" } else { "from another port" });
    session.send(&mut case, 0, "first").await;
    let mut elsewhere = case.calls[0].clone();
    elsewhere.from = can.then_some(other);
    case.calls.push(elsewhere);
    case.to_settle = Some(1);
    session.send(&mut case, 1, "from another address").await;
    case
}

pub fn equivalent_plan(_: &Options) -> Plan {
    Plan::new(2 * ROUNDS * 3, 2 * ROUNDS)
}

pub async fn equivalent(session: &Session) -> Vec<Case> {
    let mut cases = Vec::new();
    for _ in 0..2 * ROUNDS {
        let mut case = session.case("equivalent", "after success");
        let mut other = case.calls[0].clone();
        other.reserialised = true;
        case.calls.push(other);
        session.send(&mut case, 0, "first").await;
        session.send(&mut case, 1, "reordered").await;
        cases.push(case);
        if enough(&cases) {
            break;
        }
    }
    session.retry_later(cases).await
}
