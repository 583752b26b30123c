//! Durations on the command line. Invariant: what is not a duration is refused, never read as another one.

use std::time::Duration;

/// A duration as `500ms`, `1.5s`, `2m`, `24h`, or plain seconds.
///
/// # Errors
/// Says which forms there are, for anything else, and for what is negative or over 1000 days.
pub fn duration(text: &str) -> Result<Duration, String> {
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let number = text.strip_suffix(unit).unwrap_or(text);
    let scale = match unit {
        "ms" => 0.001,
        "s" | "" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return Err("not a duration; write it as 500ms, 1.5s, 2m or 24h".into()),
    };
    let number: f64 = number.parse().map_err(|_| "not a duration; write it as 500ms, 1.5s, 2m or 24h")?;
    let seconds = number * scale;
    if seconds > 86_400_000.0 {
        return Err("longer than 1000 days".into());
    }
    Ok(Duration::from_secs_f64(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_a_unit_and_nothing_else() {
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("1.5s"), Ok(Duration::from_millis(1500)));
        assert_eq!(duration("2m"), Ok(Duration::from_secs(120)));
        assert_eq!(duration("2h"), Ok(Duration::from_secs(7200)));
        assert_eq!(duration("6"), Ok(Duration::from_secs(6)));
        assert_eq!(duration("0ms"), Ok(Duration::ZERO));
        assert_eq!(duration("86400000"), Ok(Duration::from_secs(86_400_000)));
        assert_eq!(duration("86400000.1"), Err("longer than 1000 days".to_owned()));
        for bad in ["", "s", "-1s", "1 s", "1sec", "1.2.3s", "9999999h", "∞"] {
            assert!(duration(bad).is_err(), "{bad}");
        }
    }
}
