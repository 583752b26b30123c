//! Envoy's response flags and code details, as Envoy, Istio, Contour and others log them. Source: envoyproxy.io, "Access
//! logging" (response flags) and "Response code details"; what each reset reason maps to is router.cc,
//! `streamResetReasonToResponseFlag`. Invariant: several flags are as open as their most open one.

use super::{Code, Tells, Told, by_status, lookup, never, open};
use crate::terms::outcome::Symptom::*;

/// Short and long names.
const FLAGS: &[Code] = &[
    // Raised by the connection pool before the stream is attached, TLS handshake included.
    never("UF", Refused),
    never("UpstreamConnectionFailure", Refused),
    never("UH", Unreachable),
    never("NoHealthyUpstream", Unreachable),
    never("NR", ClientError),
    never("NoRouteFound", ClientError),
    never("NC", Unreachable),
    never("NoClusterFound", Unreachable),
    never("DF", Dns),
    never("DnsResolutionFailed", Dns),
    never("RL", Throttled),
    never("RateLimited", Throttled),
    never("RLSE", ServerError),
    never("RateLimitServiceError", ServerError),
    never("UAEX", ClientError),
    never("UnauthorizedExternalService", ClientError),
    never("IH", ClientError),
    never("InvalidEnvoyRequestHeaders", ClientError),
    never("NFCF", ServerError),
    never("NoFilterConfigFound", ServerError),
    never("FI", ServerError),
    never("FaultInjected", ServerError),
    never("LH", ServerError),
    never("FailedLocalHealthCheck", ServerError),
    never("DO", Throttled),
    never("DropOverload", Throttled),
    never("UDO", Throttled),
    never("UnconditionalDropOverload", Throttled),
    by_status("DI"),
    by_status("DelayInjected"),
    by_status("-"),
    // The pool refused the stream, or a retry was suppressed after an attempt that reached the server.
    open("UO", ServerError),
    open("UpstreamOverflow", ServerError),
    // Several attempts.
    open("URX", ServerError),
    open("UpstreamRetryLimitExceeded", ServerError),
    open("UC", Closed),
    open("UpstreamConnectionTermination", Closed),
    open("UR", Reset),
    open("UpstreamRemoteReset", Reset),
    open("LR", Reset),
    open("LocalReset", Reset),
    open("UPE", BadReply),
    open("UpstreamProtocolError", BadReply),
    open("UT", ReadTimeout),
    open("UpstreamRequestTimeout", ReadTimeout),
    open("UMSDR", Timeout),
    open("UpstreamMaxStreamDurationReached", Timeout),
    open("SI", Timeout),
    open("StreamIdleTimeout", Timeout),
    open("DT", Timeout),
    open("DurationTimeout", Timeout),
    open("DC", Closed),
    open("DownstreamConnectionTermination", Closed),
    open("DR", Closed),
    open("DownstreamRemoteReset", Closed),
    open("DPE", Closed),
    open("DownstreamProtocolError", Closed),
    open("RFCF", BadReply),
    open("ResponseFromCacheFilter", BadReply),
    open("OM", ServerError),
    open("OverloadManagerTerminated", ServerError),
];

/// What the flags and details of one request say; None where it is not Envoy's vocabulary.
pub fn told(flags: &str, details: Option<&str>, status: Option<u16>) -> Option<Told> {
    let each: Vec<_> = flags.split(',').map(|flag| lookup(FLAGS, flag.trim())).collect::<Option<_>>()?;
    let details = details.unwrap_or("");
    let open = each.iter().find(|tells| matches!(tells, Tells::Open(_)));
    let never = each.iter().find(|tells| matches!(tells, Tells::Never(_)));
    let tells = match (open, never) {
        (Some(Tells::Open(_)), None) if is_refused_by_pool(flags, details) => Tells::Never(NotProcessed),
        // On a TCP line each attempt is a connect alone, and URX always stands there (usage.rst).
        (Some(_), Some(never)) if status == Some(0) && flags.contains("URX") => *never,
        (Some(open), _) => *open,
        (None, Some(Tells::Never(Refused))) => Tells::Never(connecting(details)),
        (None, Some(never)) => *never,
        (None, None) => Tells::Status,
    };
    let evidence = format!("{} {flags}", status.map_or("-".to_owned(), |status| status.to_string()));
    Some(Told { tells, status: status.filter(|status| *status > 0), evidence })
}

/// The stream was refused before it was attached: by the pool's circuit breaker, or by HTTP/2's REFUSED_STREAM.
fn is_refused_by_pool(flags: &str, details: &str) -> bool {
    (flags == "UO" && details.contains("{overflow}")) || (flags == "UR" && details.contains("remote_refused_stream"))
}

/// Which way a connection failed.
fn connecting(details: &str) -> crate::terms::outcome::Symptom {
    let details = details.to_ascii_lowercase();
    match () {
        () if details.contains("timeout") => ConnectTimeout,
        () if details.contains("tls") => Tls,
        () => Refused,
    }
}

/// The default text format, or Istio's: `[START] "METHOD PATH PROTOCOL" CODE FLAGS [DETAILS ...] ...`.
pub fn line(line: &str) -> Option<Told> {
    let (request, rest) = line.get(line.find("] \"")? + 3..)?.split_once("\" ")?;
    let mut words = rest.split(' ');
    let status: u16 = words.next()?.parse().ok()?;
    let flags = words.next().filter(|flags| !flags.is_empty() && !flags.bytes().any(|b| b.is_ascii_digit()))?;
    let is_tcp = request == "- - -";
    let details: String = words.take(3).collect::<Vec<_>>().join(" ");
    told(flags, Some(&details), Some(if is_tcp { 0 } else { status }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_as_open_as_their_most_open_one() {
        let tells = |flags, details| told(flags, Some(details), Some(503)).map(|told| told.tells);
        let rows = [
            ("UF", "", Some(Tells::Never(Refused))),
            ("UF", "upstream_reset_before_response_started{connection_timeout}", Some(Tells::Never(ConnectTimeout))),
            (
                "UF",
                "upstream_reset_before_response_started{remote_connection_failure,TLS_error}",
                Some(Tells::Never(Tls)),
            ),
            ("UF,URX", "", Some(Tells::Open(ServerError))),
            ("URX,UF", "", Some(Tells::Open(ServerError))),
            ("UC", "", Some(Tells::Open(Closed))),
            ("UT", "response_timeout", Some(Tells::Open(ReadTimeout))),
            ("UO", "upstream_reset_before_response_started{overflow}", Some(Tells::Never(NotProcessed))),
            ("UO", "via_upstream", Some(Tells::Open(ServerError))),
            (
                "UR",
                "upstream_reset_before_response_started{remote_refused_stream_reset}",
                Some(Tells::Never(NotProcessed)),
            ),
            ("UR", "", Some(Tells::Open(Reset))),
            ("DI,FI", "", Some(Tells::Never(ServerError))),
            ("-", "via_upstream", Some(Tells::Status)),
            ("XX", "", None),
        ];
        for (flags, details, expected) in rows {
            assert_eq!(tells(flags, details), expected, "{flags} {details}");
        }
    }

    #[test]
    fn both_text_formats_are_read_and_no_other() {
        let default = r#"[2020-09-18T00:00:00.000Z] "POST /pay HTTP/1.1" 503 UF 0 91 60 - "-" "curl""#;
        assert_eq!(line(default).unwrap().tells, Tells::Never(Refused));
        let istio = r#"[2021-05-10T00:37:31.782Z] "POST /pay HTTP/1.1" 200 UC upstream_reset - "-" 84 95 3 -"#;
        assert_eq!(
            line(istio),
            Some(Told { tells: Tells::Open(Closed), status: Some(200), evidence: "200 UC".into() })
        );
        let tcp = r#"[2024-01-01T00:00:00.000Z] "- - -" 0 UF,URX - - "TLS error" 0 0 10"#;
        assert_eq!(line(tcp).unwrap().tells, Tells::Never(Refused));
        assert_eq!(line(r#"10.0.0.1 - - [10/Oct/2024:13:55:36 +0000] "POST /pay HTTP/1.1" 502 157 "-""#), None);
    }

    #[test]
    fn a_pool_that_refused_says_so_with_its_own_flag_and_detail() {
        let tells = |flags, details, status| told(flags, Some(details), status).map(|told| told.tells);
        for (flags, details, expected) in [
            ("UO", "{overflow}", Tells::Never(NotProcessed)),
            ("UR", "{overflow}", Tells::Open(Reset)),
            ("UO", "remote_refused_stream_reset", Tells::Open(ServerError)),
            ("UC", "{overflow}", Tells::Open(Closed)),
            ("UF,UO", "{overflow}", Tells::Open(ServerError)),
            ("UF", "{Connection_Timeout}", Tells::Never(ConnectTimeout)),
            ("UH", "timeout", Tells::Never(Unreachable)),
        ] {
            assert_eq!(tells(flags, details, Some(503)), Some(expected), "{flags} {details}");
        }
        // On a TCP line, which has no status, each attempt is a connect alone.
        assert_eq!(tells("UF,URX", "", Some(0)), Some(Tells::Never(Refused)));
        assert_eq!(tells("UF,UC", "", Some(0)), Some(Tells::Open(Closed)));
        assert_eq!(tells("UF,URX", "", None), Some(Tells::Open(ServerError)));
        let sent = |status| told("UC", None, status).map(|told| (told.status, told.evidence));
        assert_eq!(sent(Some(0)), Some((None, "0 UC".into())));
        assert_eq!(sent(Some(1)), Some((Some(1), "1 UC".into())));
        assert_eq!(sent(None), Some((None, "- UC".into())));
        let bytes_for_flags = r#"[2020-09-18T00:00:00.000Z] "POST /pay HTTP/1.1" 503 157 UF"#;
        let none = r#"[2020-09-18T00:00:00.000Z] "POST /pay HTTP/1.1" 503  UF"#;
        assert_eq!((line(bytes_for_flags), line(none)), (None, None));
    }
}
