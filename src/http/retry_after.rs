//! `Retry-After` in both its forms (RFC 9110, 10.2.3). Invariant: what is not one of the two forms gives None; nothing is
//! guessed.

use std::time::{Duration, SystemTime};

/// When a server asks to be tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryAfter {
    /// So long after the reply; whole seconds on the wire.
    Delay(Duration),
    /// Not before this time.
    Date(SystemTime),
}

impl RetryAfter {
    /// Reads a field value: delay-seconds (digits alone) or an HTTP-date. None for anything else.
    pub fn parse(value: &str) -> Option<RetryAfter> {
        let value = value.trim_matches([' ', '\t']);
        if !value.is_empty() && value.bytes().all(|b| b.is_ascii_digit()) {
            // More digits than 64 bits hold are a valid delay all the same: for ever.
            return Some(RetryAfter::Delay(Duration::from_secs(value.parse().unwrap_or(u64::MAX))));
        }
        httpdate::parse_http_date(value).ok().map(RetryAfter::Date)
    }

    /// How long to wait at `now`; zero for a date that has passed.
    pub fn wait(self, now: SystemTime) -> Duration {
        match self {
            RetryAfter::Delay(delay) => delay,
            RetryAfter::Date(date) => date.duration_since(now).unwrap_or(Duration::ZERO),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_both_forms_and_nothing_else() {
        assert_eq!(RetryAfter::parse(" 120 "), Some(RetryAfter::Delay(Duration::from_secs(120))));
        let date = RetryAfter::parse("Fri, 31 Dec 1999 23:59:59 GMT").unwrap();
        let before = SystemTime::UNIX_EPOCH + Duration::from_secs(946_684_799 - 30);
        assert_eq!(date.wait(before), Duration::from_secs(30));
        assert_eq!(date.wait(before + Duration::from_secs(60)), Duration::ZERO);
        assert_eq!(
            RetryAfter::parse("99999999999999999999999"),
            Some(RetryAfter::Delay(Duration::from_secs(u64::MAX)))
        );
        for garbage in ["", "soon", "-1", "1.5", "+3"] {
            assert_eq!(RetryAfter::parse(garbage), None, "{garbage}");
        }
    }
}
