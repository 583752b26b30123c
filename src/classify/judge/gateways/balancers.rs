//! Cloud balancers and edges: AWS ALB and classic ELB access lines, API Gateway, Google Cloud, Azure. Sources: AWS "Access
//! logs for your Application Load Balancer" and its troubleshooting page, "Gateway response types" of API Gateway; Google
//! "HTTP(S) load balancing logs", statusDetails; Azure "Monitor metrics and logs in Front Door", errorInfo. Invariant: a
//! missing target status is no proof (it covers refused and closed after the request), a missing target is.

use super::{Code, Tells, Told, lookup, never, open};
use crate::terms::outcome::Symptom::*;

/// Codes that stand in a field of their own; names of different vendors do not clash.
const DETAILS: &[Code] = &[
    // Google Cloud.
    never("failed_to_pick_backend", Unreachable),
    never("failed_to_connect_to_backend", Refused),
    never("failed_to_negotiate_alpn", Tls),
    never("ssl_certificate_san_verification_failed", Tls),
    never("ssl_certificate_chain_verification_failed", Tls),
    never("invalid_external_origin_endpoint", Dns),
    never("denied_by_security_policy", ClientError),
    never("body_denied_by_security_policy", ClientError),
    never("rate_limited_by_security_policy", Throttled),
    open("backend_connection_closed_before_data_sent_to_client", Closed),
    open("backend_connection_closed_after_partial_response_sent", Truncated),
    open("backend_timeout", ReadTimeout),
    open("backend_response_corrupted", BadReply),
    open("backend_early_response_with_non_error_status", BadReply),
    open("client_disconnected_before_any_response", Closed),
    open("client_disconnected_after_partial_response", Closed),
    open("client_timed_out", Timeout),
    open("internal_error", ServerError),
    // Azure Front Door and Application Gateway.
    never("DNSFailure", Dns),
    never("DNSTimeout", Dns),
    never("DNSNameNotResolved", Dns),
    never("OriginConnectionRefused", Refused),
    never("SSLHandshakeError", Tls),
    never("CertificateNameCheckFailed", Tls),
    never("ERRORINFO_UPSTREAM_NO_LIVE", Unreachable),
    open("OriginConnectionError", ServerError),
    open("OriginConnectionAborted", Reset),
    open("OriginTimeout", ReadTimeout),
    open("OriginInvalidResponse", BadReply),
    open("OriginError", ServerError),
    open("ClientDisconnected", Closed),
    open("ERRORINFO_UPSTREAM_TIMED_OUT", ReadTimeout),
    open("ERRORINFO_UPSTREAM_CLOSED_CONNECTION", Closed),
    open("ERRORINFO_CLIENT_CLOSED_REQUEST", Closed),
    // API Gateway response types.
    never("THROTTLED", Throttled),
    never("QUOTA_EXCEEDED", Throttled),
    never("UNAUTHORIZED", ClientError),
    never("ACCESS_DENIED", ClientError),
    never("MISSING_AUTHENTICATION_TOKEN", ClientError),
    never("INVALID_API_KEY", ClientError),
    never("BAD_REQUEST_BODY", ClientError),
    never("BAD_REQUEST_PARAMETERS", ClientError),
    never("RESOURCE_NOT_FOUND", ClientError),
    never("REQUEST_TOO_LARGE", ClientError),
    never("WAF_FILTERED", ClientError),
    never("AUTHORIZER_FAILURE", ServerError),
    open("INTEGRATION_TIMEOUT", ReadTimeout),
    open("INTEGRATION_FAILURE", ServerError),
    open("API_CONFIGURATION_ERROR", ServerError),
    // ALB error reasons of Lambda targets: the function was not invoked, or it was.
    never("LambdaThrottling", NotProcessed),
    never("LambdaAccessDenied", NotProcessed),
    never("LambdaResourceNotFound", NotProcessed),
    never("LambdaRequestTooLarge", NotProcessed),
    open("LambdaUnhandled", ServerError),
    open("LambdaInvalidResponse", BadReply),
    open("LambdaResponseTooLarge", BadReply),
    open("LambdaConnectionTimeout", Timeout),
];

/// What a code in a field of its own says; None for one that no vendor writes.
pub fn told(code: &str, status: Option<u16>) -> Option<Told> {
    let tells = lookup(DETAILS, code.trim())?;
    Some(Told { tells, status, evidence: code.trim().to_owned() })
}

/// A line of an ALB's or a classic ELB's access log.
pub fn line(line: &str) -> Option<Told> {
    let words: Vec<&str> = line.split(' ').collect();
    let is_alb = matches!(*words.first()?, "http" | "https" | "h2" | "grpcs" | "ws" | "wss");
    // type time elb client target t t t elb_status target_status; the classic one has no type.
    let from = usize::from(is_alb);
    let [_time, _elb, client, target, t1, t2, t3, status, target_status] = words.get(from..from + 9)? else {
        return None;
    };
    if !client.contains(':') || ![t1, t2, t3].iter().all(|time| time.parse::<f64>().is_ok()) {
        return None;
    }
    let status: u16 = status.parse().ok()?;
    let answered = target_status.parse::<u16>().is_ok_and(|status| status > 0);
    let tells = match (status, *target == "-") {
        (460, false) => Tells::Open(Closed),
        (460, true) => Tells::Never(Closed),
        (500.., true) => Tells::Never(Unreachable),
        (400..=499, true) => Tells::Never(ClientError),
        (502, false) if !answered => Tells::Open(Closed),
        (504, false) => Tells::Open(ReadTimeout),
        _ => Tells::Status,
    };
    let evidence = format!("{status} {target_status}, target {target}");
    Some(Told { tells, status: Some(status), evidence })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alb_proves_nothing_without_a_missing_target() {
        let text = |target: &str, status: &str| {
            let of_target = "https 2024-07-02T22:23:00.186641Z app/pay/50dc 192.0.2.9:2817";
            format!(
                r#"{of_target} {target} -1 -1 -1 {status} - 134 272 "POST https://api.test:443/pay HTTP/1.1" "curl""#
            )
        };
        let tells = |target, status| line(&text(target, status)).map(|told| told.tells);
        assert_eq!(tells("10.0.0.1:80", "502"), Some(Tells::Open(Closed)));
        assert_eq!(tells("10.0.0.1:80", "504"), Some(Tells::Open(ReadTimeout)));
        assert_eq!(tells("-", "503"), Some(Tells::Never(Unreachable)));
        assert_eq!(tells("-", "403"), Some(Tells::Never(ClientError)));
        assert_eq!(tells("10.0.0.1:80", "460"), Some(Tells::Open(Closed)));
        assert_eq!(tells("10.0.0.1:80", "200"), Some(Tells::Status));
        let classic = r#"2024-05-13T23:39:43.945958Z my-elb 192.0.2.9:2817 - -1 -1 -1 503 0 0 0 "POST http://a:80/pay HTTP/1.1" "c" - -"#;
        assert_eq!(line(classic).map(|told| told.tells), Some(Tells::Never(Unreachable)));
        assert_eq!(line(r#"http 200 "POST / HTTP/1.1""#), None);
    }

    #[test]
    fn a_code_stands_once() {
        for (index, row) in DETAILS.iter().enumerate() {
            assert!(
                DETAILS.iter().skip(index + 1).all(|other| !other.code.eq_ignore_ascii_case(row.code)),
                "{}",
                row.code
            );
        }
    }

    #[test]
    fn a_balancers_status_and_what_its_target_sent_tell_together() {
        let tells = |target: &str, status: &str, of_target: &str| {
            let text =
                format!("h2 2024-07-02T22:23:00Z app/pay 192.0.2.9:2817 {target} 0 0.1 0 {status} {of_target} 1 2");
            line(&text).map(|told| (told.tells, told.status))
        };
        let target = "10.0.0.1:80";
        for (at, status, of_target, expected) in [
            // The client went away: after it was sent on, or before.
            (target, 460, "-", Tells::Open(Closed)),
            ("-", 460, "-", Tells::Never(Closed)),
            ("-", 500, "-", Tells::Never(Unreachable)),
            ("-", 504, "-", Tells::Never(Unreachable)),
            ("-", 400, "-", Tells::Never(ClientError)),
            ("-", 499, "-", Tells::Never(ClientError)),
            ("-", 301, "-", Tells::Status),
            (target, 502, "-", Tells::Open(Closed)),
            (target, 502, "0", Tells::Open(Closed)),
            (target, 502, "502", Tells::Status),
            (target, 504, "-", Tells::Open(ReadTimeout)),
            (target, 504, "504", Tells::Open(ReadTimeout)),
            (target, 503, "-", Tells::Status),
            (target, 404, "404", Tells::Status),
        ] {
            assert_eq!(
                tells(at, &status.to_string(), of_target),
                Some((expected, Some(status))),
                "{at} {status} {of_target}"
            );
        }
        assert_eq!(tells(target, "-", "-"), None);
        let no_times = "h2 2024-07-02T22:23:00Z app/pay 192.0.2.9:2817 - 0 x 0 503 - 1 2";
        let no_client = "h2 2024-07-02T22:23:00Z app/pay 192.0.2.9 - 0 0 0 503 - 1 2";
        assert_eq!((line(no_times), line(no_client)), (None, None));
    }
}
