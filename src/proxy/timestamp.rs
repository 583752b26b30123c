//! Times as RFC 3339 text. Invariant: always UTC and always with milliseconds, so that texts sort as times do.

use std::time::{SystemTime, UNIX_EPOCH};

/// For example `2026-12-01T05:27:48.120Z`. A clock set before 1970 gives 1970.
pub fn rfc3339(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or(std::time::Duration::ZERO);
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
    use std::time::Duration;

    use super::*;

    #[test]
    fn known_times() {
        let at = |seconds, millis: u32| rfc3339(UNIX_EPOCH + Duration::new(seconds, millis * 1_000_000));
        assert_eq!(at(0, 0), "1970-01-01T00:00:00.000Z");
        assert_eq!(at(951_782_400, 7), "2000-02-29T00:00:00.007Z");
        assert_eq!(at(1_700_000_000, 999), "2023-11-14T22:13:20.999Z");
        assert_eq!(at(4_107_542_400, 0), "2100-03-01T00:00:00.000Z");
    }

    #[test]
    fn agrees_with_another_implementation_over_the_centuries() {
        for day in (0..150_000).step_by(37) {
            let time = UNIX_EPOCH + Duration::from_secs(day * 86_400);
            let date = rfc3339(time);
            let parsed = httpdate::fmt_http_date(time);
            let year_and_day = format!("{} {}", &date[8..10], &date[..4]);
            assert_eq!(year_and_day, format!("{} {}", &parsed[5..7], &parsed[12..16]), "{parsed}");
        }
    }
}
