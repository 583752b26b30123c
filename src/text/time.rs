//! Times as text, read and written. Invariant: a time that leaves its zone open is not a time, nothing is guessed; what is
//! written is UTC with milliseconds, so that texts sort as times do, and is read back as the same millisecond.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970-01-01 UTC, of a time as logs write it: RFC 3339 with its zone, or a Unix time as a number, in
/// seconds below 1e11 (so with a fraction), milliseconds below 1e14, microseconds below 1e17, else nanoseconds. None for
/// anything else.
pub fn milliseconds(text: &str) -> Option<i64> {
    let text = text.trim();
    match text.as_bytes() {
        [b'0'..=b'9', .., b'Z' | b'z'] => from_rfc3339(text),
        _ if text.len() > 19 && text.as_bytes()[4] == b'-' => from_rfc3339(text),
        _ => unix(text),
    }
}

fn unix(text: &str) -> Option<i64> {
    let number: f64 = text.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0)?;
    let scale = match number {
        ..1e11 => 1000.0,
        ..1e14 => 1.0,
        ..1e17 => 1e-3,
        _ => 1e-6,
    };
    Some((number * scale) as i64)
}

/// RFC 3339, 5.6: `2026-11-02T10:00:00.123+01:00`; a space may stand for the `T`.
fn from_rfc3339(text: &str) -> Option<i64> {
    let number = |from: usize, to: usize| -> Option<i64> {
        let digits = text.get(from..to)?;
        digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok())?
    };
    let mark = |at: usize, any: &[u8]| text.as_bytes().get(at).is_some_and(|byte| any.contains(byte));
    let marks = mark(4, b"-") && mark(7, b"-") && mark(10, b"Tt ") && mark(13, b":") && mark(16, b":");
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    let in_range = (1..=12).contains(&month) && (1..=31).contains(&day) && hour < 24 && minute < 60 && second < 61;
    if !marks || !in_range {
        return None;
    }
    let (fraction, zone) = fraction(text.get(19..)?);
    let seconds = days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset(zone)?;
    Some(seconds * 1000 + fraction)
}

/// Milliseconds of `.123…` or `,123…` (ISO 8601, 4.2.2.4), and what follows.
fn fraction(rest: &str) -> (i64, &str) {
    let Some(digits) = rest.strip_prefix(['.', ',']) else { return (0, rest) };
    let zone = digits.trim_start_matches(|c: char| c.is_ascii_digit());
    let value = digits.bytes().take_while(u8::is_ascii_digit).chain(std::iter::repeat(b'0')).take(3);
    (value.fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0')), zone)
}

/// Seconds east of Greenwich, of `Z`, `+01:00` or, as Python and Ruby write it, `+0100` and ` +0100`, or, as PostgreSQL
/// does, `+01`.
fn offset(zone: &str) -> Option<i64> {
    let zone = zone.trim_start();
    if zone.eq_ignore_ascii_case("z") {
        return Some(0);
    }
    let sign = if zone.starts_with('-') { -1 } else { 1 };
    let digits = zone.strip_prefix(['+', '-'])?;
    let (hours, minutes) = digits.split_once(':').or_else(|| match digits.len() {
        2 => Some((digits, "0")),
        4 => digits.split_at_checked(2),
        _ => None,
    })?;
    let (hours, minutes): (i64, i64) = (hours.parse().ok()?, minutes.parse().ok()?);
    ((0..24).contains(&hours) && (0..60).contains(&minutes)).then_some(sign * (hours * 3600 + minutes * 60))
}

/// Days since 1970-01-01 of a date in the Gregorian calendar (Howard Hinnant, "chrono-Compatible Low-Level Date
/// Algorithms", days_from_civil).
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The time as RFC 3339, for example `2026-12-01T05:27:48.120Z`. A clock set before 1970 gives 1970.
pub fn rfc3339(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    let seconds = since.as_secs();
    let (year, month, day) = civil(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z", since.subsec_millis())
}

/// Days since 1970-01-01 to year, month and day: Howard Hinnant, "chrono-compatible low-level date algorithms",
/// `civil_from_days`, whose years begin in March so that the leap day comes last.
fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    (year_of_era + era * 400 + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn reads_what_logs_write() {
        let expected = 1_793_613_600_123;
        for text in [
            "2026-11-02T10:00:00.123Z",
            "2026-11-02T11:00:00.123456+01:00",
            "2026-11-02 10:00:00.123+00:00",
            "2026-11-02T11:00:00.123+0100",
            "2026-11-02 11:00:00,123 +0100",
            "2026-11-02 11:00:00.123456+01",
            "1793613600.123",
            "1793613600123",
            "1793613600123000",
        ] {
            assert_eq!(milliseconds(text), Some(expected), "{text}");
        }
        assert_eq!(milliseconds("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(milliseconds("2000-02-29T23:59:59Z"), Some(951_868_799_000));
    }

    #[test]
    fn guesses_nothing() {
        for text in [
            "",
            "soon",
            "2026-11-02T10:00:00",
            "2026-11-02 10:00:00,123",
            "2026-13-02T10:00:00Z",
            "-5",
            "NaN",
            "2026-11-02T10:00:00+1",
            "2026-11-02T10:00:00+010",
            "é026-11-02T10:00:00Z",
        ] {
            assert_eq!(milliseconds(text), None, "{text}");
        }
    }
    #[test]
    fn known_times_are_written() {
        let at = |seconds, millis: u32| rfc3339(UNIX_EPOCH + Duration::new(seconds, millis * 1_000_000));
        assert_eq!(at(0, 0), "1970-01-01T00:00:00.000Z");
        assert_eq!(at(951_782_400, 7), "2000-02-29T00:00:00.007Z");
        assert_eq!(at(1_700_000_000, 999), "2023-11-14T22:13:20.999Z");
        assert_eq!(at(4_107_542_400, 0), "2100-03-01T00:00:00.000Z");
        assert_eq!(rfc3339(UNIX_EPOCH - Duration::from_secs(1)), "1970-01-01T00:00:00.000Z");
    }

    proptest! {
        /// Up to the year 9999.
        #[test]
        fn what_is_written_is_read_back(millis in 0_u64..253_402_300_800_000) {
            let written = rfc3339(UNIX_EPOCH + Duration::from_millis(millis));
            prop_assert_eq!(milliseconds(&written), Some(millis as i64), "{}", written);
        }

        /// httpdate writes `Sun, 06 Nov 1994 08:49:37 GMT` up to the year 9999.
        #[test]
        fn what_is_written_agrees_with_another_implementation(seconds in 0_u64..253_402_300_800) {
            let time = UNIX_EPOCH + Duration::from_secs(seconds);
            let (ours, theirs) = (rfc3339(time), httpdate::fmt_http_date(time));
            let parts: Vec<_> = theirs.split([' ', ',']).filter(|part| !part.is_empty()).collect();
            let date: Vec<_> = ours.split(['-', 'T', '.']).collect();
            prop_assert_eq!((date[0], date[2], date[3]), (parts[3], parts[1], parts[4]), "{}", theirs);
        }
    }
}
