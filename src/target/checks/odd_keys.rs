//! Keys that look alike are not one key. Invariant: that a form of key is refused is the target's habit; that it is refused
//! only once a key that looks like it was used is a finding.

use super::Plan;
use crate::target::drive::session::Session;
use crate::target::facts::case::{Case, Rule};
use crate::target::options::Options;
use crate::target::request::key::{KeyFormat, KeyPlace};
use crate::target::request::template::{Call, Template};
use crate::terms::named::named_enum;

named_enum! {
    /// What two keys differ in.
    pub enum Alike {
        LetterCase = "letter case",
        First = "first character",
        LastOf40 = "last of 40 characters",
        LastOf64 = "last of 64 characters",
        LastOf256 = "last of 256 characters",
        LastOf8192 = "last of 8192 characters",
        Punctuation = "punctuation",
        Hyphen = "a hyphen",
        LeadingZero = "a leading zero",
        PercentCode = "a percent code",
        WhiteSpace = "white space",
        Empty = "empty",
        NonAscii = "non-ASCII",
        SecondLine = "second header line",
        Comma = "what follows a comma",
        Colon = "what follows a colon",
        Slash = "what follows a slash",
        Dot = "what follows a dot",
        Middle = "the middle of 64 characters",
        Order = "the order of characters",
    }
}

pub fn needs(options: &Options) -> Option<&'static str> {
    let no_key = "the URL's intent is the key: there are no two keys that look alike";
    (options.template.key_place == KeyPlace::Url).then_some(no_key)
}

pub fn plan(options: &Options) -> Plan {
    let pairs = pairs(&options.template).count() as u64;
    Plan::new(pairs * 2, pairs * 2)
}

/// Pairs of intents whose keys look alike.
pub async fn drive(session: &Session) -> Vec<Case> {
    let mut cases = Vec::new();
    for alike in pairs(&session.options.template) {
        let [first, second] = [(); 2].map(|()| session.call("odd"));
        let [a, b] = alike.keys(&first, &session.options.template);
        let calls = vec![Call { keys: a, ..first }, Call { keys: b, ..second }];
        let mut case = Case::new(alike.to_string(), Rule::Distinct, calls);
        session.send(&mut case, 0, "first key").await;
        session.send(&mut case, 1, "a key that looks like it").await;
        control(session, alike, &mut case).await;
        cases.push(case);
    }
    cases
}

/// Where only the second key was refused: a key of its form to which none before looks alike. If that one is taken, the
/// second has to be taken too.
async fn control(session: &Session, alike: Alike, case: &mut Case) {
    let refused = case.succeeded(0) && case.attempts.last().is_some_and(|attempt| !attempt.answer.settles());
    if !refused || !alike.are_two_keys() {
        return;
    }
    let fresh = session.call("odd");
    let [_, keys] = alike.keys(&fresh, &session.options.template);
    case.calls.push(Call { keys, ..fresh });
    session.send(case, 2, "control: a key of the second's form, none before looks like it").await;
    if case.succeeded(2) {
        case.to_settle = Some(1);
    }
}

fn pairs(template: &Template) -> impl Iterator<Item = Alike> {
    let has_lines = matches!(template.key_place, KeyPlace::Header(_));
    Alike::ALL.iter().copied().filter(move |alike| has_lines || *alike != Alike::SecondLine)
}

impl Alike {
    /// Whether the two are different keys whatever the target makes of them. An empty key is one; which of two header
    /// lines counts is not agreed on, and a comma may stand for a second line (RFC 9110, 5.3).
    pub fn are_two_keys(self) -> bool {
        !matches!(self, Alike::Empty | Alike::SecondLine | Alike::Comma)
    }

    /// The header lines of two keys that differ only in this, made from the key of a fresh call.
    pub fn keys(self, call: &Call, template: &Template) -> [Vec<Vec<u8>>; 2] {
        let base = String::from_utf8_lossy(&call.keys[0]).trim_matches('"').to_string();
        let ends = |a: &str, b: &str| [a, b].map(|end| format!("{base}{end}"));
        let long = |length: usize| {
            let body = format!("{base}{}", "k".repeat(length - base.len() - 1));
            ["a", "b"].map(|last| format!("{body}{last}"))
        };
        let keys = match self {
            // Letters on both sides, whatever the digits are.
            Alike::LetterCase => [format!("{}a", base.to_lowercase()), format!("{}A", base.to_uppercase())],
            Alike::First => [format!("a{base}"), format!("b{base}")],
            Alike::LastOf40 => long(40),
            Alike::LastOf64 => long(64),
            Alike::LastOf256 => long(256),
            Alike::LastOf8192 => long(8192),
            Alike::Punctuation => ends("-a", "_a"),
            Alike::Hyphen => ends("-a", "a"),
            Alike::LeadingZero => [format!("1{}", digits(&base)), format!("01{}", digits(&base))],
            Alike::PercentCode => ends("A", "%41"),
            Alike::WhiteSpace => ends(" x", "  x"),
            Alike::Comma => ends(",a", ",b"),
            Alike::Colon => ends(":a", ":b"),
            Alike::Slash => ends("/a", "/b"),
            Alike::Dot => ends(".a", ".b"),
            Alike::Middle => {
                let tail = "k".repeat(63_usize.saturating_sub(base.len()));
                ["a", "b"].map(|middle| format!("{base}{middle}{tail}"))
            }
            Alike::Order => ends("ab", "ba"),
            Alike::Empty => [String::new(), String::new()],
            Alike::NonAscii => ends("é", "è"),
            Alike::SecondLine => {
                return ["a", "b"].map(|second| [&base, second].map(|key| written(template.key_format, key)).to_vec());
            }
        };
        keys.map(|key| vec![written(template.key_format, &key)])
    }
}

/// Its hex digits as decimal ones.
fn digits(key: &str) -> String {
    key.chars().filter_map(|c| c.to_digit(16)).map(|digit| char::from(b'0' + (digit % 10) as u8)).collect()
}

fn written(format: KeyFormat, key: &str) -> Vec<u8> {
    match format {
        KeyFormat::Hex | KeyFormat::Uuid => key.as_bytes().to_vec(),
        KeyFormat::Quoted => format!("\"{key}\"").into_bytes(),
    }
}
