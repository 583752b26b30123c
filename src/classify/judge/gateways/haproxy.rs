//! HAProxy's termination states. Source: HAProxy configuration manual, 8.2 (log formats) and 8.5 (session state at
//! disconnection). Invariant: a state says `never` only together with a connect time of -1, which says that no connection
//! to any server ever came up, or with no retry; a retry may have been one after a reply (`retry-on`).

use super::{Code, Tells, Told, by_status, lookup, never, open};
use crate::terms::outcome::Symptom::*;

/// The first two letters: who ended the session, and in which phase.
const STATES: &[Code] = &[
    by_status("--"),
    never("SC", Refused),
    never("sC", ConnectTimeout),
    never("SQ", Unreachable),
    never("sQ", Unreachable),
    never("CC", Closed),
    never("CQ", Closed),
    never("CR", Closed),
    never("cR", Throttled),
    never("CT", ClientError),
    never("PT", ClientError),
    never("PC", Unreachable),
    never("PQ", Unreachable),
    never("PR", ClientError),
    never("LR", NotProcessed),
    never("LC", Redirect),
    never("RC", Unreachable),
    never("RR", ServerError),
    never("RQ", ServerError),
    never("IR", ServerError),
    never("IC", ServerError),
    open("SH", Closed),
    open("sH", ReadTimeout),
    open("SD", Truncated),
    open("sD", Truncated),
    open("SL", Truncated),
    open("sL", Truncated),
    open("CH", Closed),
    open("cH", Timeout),
    open("CD", Closed),
    open("cD", Closed),
    open("CL", Closed),
    open("cL", Closed),
    open("PH", BadReply),
    open("PD", BadReply),
    open("LH", BadReply),
    open("RH", ServerError),
    open("RD", ServerError),
    open("RL", ServerError),
    open("IH", ServerError),
    open("ID", ServerError),
    open("IQ", ServerError),
];

/// The state of one session with its connect time and retries, as they were logged; None where it is no such state.
pub fn told(state: &str, connect: Option<&str>, retries: Option<&str>, status: Option<u16>) -> Option<Told> {
    let letters = state.get(..2)?;
    // Case tells a timeout from an abort, so it counts here.
    let row = STATES.iter().find(|row| row.code == letters);
    let tells = row.map(|row| row.tells).or_else(|| lookup(KILLED, letters.get(..1)?))?;
    let never_connected = connect == Some("-1");
    let first_try = retries.is_some_and(|retries| retries == "0");
    // These come before any server is looked for.
    let before_any = matches!(letters, "CR" | "cR" | "CT" | "PT" | "PR" | "LR" | "LC");
    let tells = match tells {
        Tells::Never(symptom) if !(never_connected || first_try || before_any) => Tells::Open(open_symptom(symptom)),
        tells => tells,
    };
    let status_text = status.map_or("-".to_owned(), |status| status.to_string());
    Some(Told { tells, status, evidence: format!("{status_text} {state}") })
}

/// A session killed by an administrator or a health check, in whatever phase.
const KILLED: &[Code] = &[open("D", Closed), open("U", Closed), open("K", Closed)];

/// What is left of a symptom of a request that may have been sent after all.
fn open_symptom(symptom: crate::terms::outcome::Symptom) -> crate::terms::outcome::Symptom {
    use crate::terms::outcome::Effect;
    if symptom.advice().effect == Effect::Maybe { symptom } else { ServerError }
}

/// The HTTP log format: `... TR/Tw/Tc/Tr/Ta STATUS BYTES - - STATE a/f/b/s/RETRIES q/q ...`.
pub fn line(line: &str) -> Option<Told> {
    let words: Vec<&str> = line.split(' ').collect();
    let at = words.iter().position(|word| word.split('/').count() == 5 && word.split('/').all(is_time))?;
    let (timers, rest) = (words.get(at)?, words.get(at + 1..)?);
    let [status, _bytes, _request_cookie, _response_cookie, state, counts, ..] = rest else { return None };
    let retries = counts.split('/').nth(4)?.trim_start_matches('+');
    let status: i32 = status.parse().ok()?;
    let connect = timers.split('/').nth(2);
    told(state, connect, Some(retries), u16::try_from(status).ok().filter(|status| *status > 0))
}

fn is_time(word: &str) -> bool {
    let digits = word.trim_start_matches(['+', '-']);
    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_connection_is_never_sent_only_where_no_other_came_up() {
        let tells = |state, connect, retries| told(state, connect, retries, Some(503)).map(|told| told.tells);
        let rows = [
            ("SC--", Some("-1"), Some("3"), Some(Tells::Never(Refused))),
            ("SC--", Some("2"), Some("3"), Some(Tells::Open(ServerError))),
            ("SC--", None, Some("0"), Some(Tells::Never(Refused))),
            ("SC--", None, None, Some(Tells::Open(ServerError))),
            ("sC--", Some("-1"), None, Some(Tells::Never(ConnectTimeout))),
            ("sH--", Some("3"), Some("0"), Some(Tells::Open(ReadTimeout))),
            ("SH", Some("3"), Some("0"), Some(Tells::Open(Closed))),
            ("PR--", None, None, Some(Tells::Never(ClientError))),
            ("DH--", None, None, Some(Tells::Open(Closed))),
            ("----", Some("1"), Some("0"), Some(Tells::Status)),
            ("xx", None, None, None),
            ("é", None, None, None),
        ];
        for (state, connect, retries, expected) in rows {
            assert_eq!(tells(state, connect, retries), expected, "{state} {connect:?} {retries:?}");
        }
    }

    #[test]
    fn the_http_format_is_read() {
        let text = r#"10.0.0.9:43608 [07/Mar/2023:11:33:48.083] ssl~ http/s1 0/0/3/5/9 200 198 - - SD-- 1/1/1/0/0 0/0 "POST /pay HTTP/1.1""#;
        assert_eq!(
            line(text),
            Some(Told { tells: Tells::Open(Truncated), status: Some(200), evidence: "200 SD--".into() })
        );
        let refused = r#"haproxy[1]: 10.0.0.1:1 [15/Oct/2023:15:26:31.462] f~ b/s 3/-1/-1/-1/8012 503 217 - - SC-- 2/2/2/1/+3 0/0 "POST /pay HTTP/1.1""#;
        assert_eq!(line(refused).unwrap().tells, Tells::Never(Refused));
    }

    #[test]
    fn only_what_comes_before_any_server_is_never_sent_by_its_state_alone() {
        let tells = |state, connect, retries| told(state, connect, retries, Some(503)).map(|told| told.tells);
        for (state, expected) in [
            ("CR", Tells::Never(Closed)),
            ("cR", Tells::Never(Throttled)),
            ("CT", Tells::Never(ClientError)),
            ("PT", Tells::Never(ClientError)),
            ("PR", Tells::Never(ClientError)),
            ("LR", Tells::Never(NotProcessed)),
            ("LC", Tells::Never(Redirect)),
            ("CC", Tells::Open(Closed)),
            ("CQ", Tells::Open(Closed)),
            ("PC", Tells::Open(ServerError)),
            ("sQ", Tells::Open(ServerError)),
            ("RR", Tells::Open(ServerError)),
        ] {
            assert_eq!(tells(state, None, None), Some(expected), "{state}");
            assert_eq!(tells(state, Some("0"), Some("1")), Some(expected), "{state}");
        }
        assert_eq!(tells("RC", Some("-1"), Some("1")), Some(Tells::Never(Unreachable)));
        assert_eq!(tells("RC", Some("4"), Some("0")), Some(Tells::Never(Unreachable)));
        assert_eq!(tells("SD", Some("-1"), Some("0")), Some(Tells::Open(Truncated)), "a reply had begun");
    }

    #[test]
    fn a_line_has_five_timers_and_a_status_that_may_be_none() {
        let of = |timers: &str, status: &str| {
            line(&format!("c [t] f b/s {timers} {status} 0 - - SC-- 2/2/2/1/0 0/0 \"POST /\""))
        };
        let told = |status: &str| of("3/-1/-1/-1/8012", status).map(|told| (told.status, told.evidence));
        assert_eq!(told("503"), Some((Some(503), "503 SC--".into())));
        assert_eq!(told("1"), Some((Some(1), "1 SC--".into())));
        assert_eq!(told("0"), Some((None, "- SC--".into())));
        assert_eq!(told("-1"), Some((None, "- SC--".into())));
        assert_eq!(told("x"), None);
        for timers in ["3/-1/-1/-1", "3/-1/-1/-1/9/9", "3/x/-1/-1/9", "3//-1/-1/9", "a/b/c/d/e"] {
            assert_eq!(of(timers, "503"), None, "{timers}");
        }
        assert!(of("3/-1/-1/-1/+9", "503").is_some(), "logasap");
    }
}
