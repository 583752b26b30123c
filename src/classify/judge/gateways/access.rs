//! Access lines in the common and combined formats, and ingress-nginx's list of tries behind them. Sources: Apache "Log
//! files", nginx ngx_http_log_module and ngx_http_upstream_module, ingress-nginx "Log format". Invariant: the status of the
//! line is what the client was sent; a list of tries is as open as its most open one.

use super::{Tells, Told};
use crate::terms::outcome::Symptom;

/// `... "METHOD PATH HTTP/x" STATUS BYTES ...`; None for any other line.
pub fn line(line: &str) -> Option<Told> {
    let (before, rest) = line.split_once("\" ").filter(|(before, _)| is_request(before))?;
    let method = before.rsplit_once('"')?.1.split(' ').next()?;
    let mut words = rest.split(' ');
    let status: u16 = words.next()?.parse().ok().filter(|status| (100..600).contains(status))?;
    // The size, so that a status in a sentence is none.
    words.next().filter(|size| *size == "-" || size.bytes().all(|b| b.is_ascii_digit()))?;
    let tells = match status {
        499 => Tells::Open(Symptom::Closed),
        _ => Tells::Status,
    };
    Some(Told { tells, status: Some(status), evidence: format!("{method} {status}") })
}

fn is_request(text: &str) -> bool {
    text.rsplit_once('"').is_some_and(|(_, request)| request.contains(" HTTP/") && request.split(' ').count() == 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_behind_the_request_is_the_replys() {
        let told =
            |rest: &str| line(&format!(r#"10.0.0.1 - - [10/Oct/2024:13:55:36 +0000] "POST /pay HTTP/1.1" {rest}"#));
        assert_eq!(told("502 157 \"-\"").map(|t| (t.tells, t.status)), Some((Tells::Status, Some(502))));
        assert_eq!(told("499 0 \"-\"").map(|t| t.tells), Some(Tells::Open(Symptom::Closed)));
        assert_eq!(told("no status"), None);
        assert_eq!(line("sent \"POST /pay HTTP/1.1\" 3 times"), None);
        assert_eq!(line("plain words"), None);
    }
}
