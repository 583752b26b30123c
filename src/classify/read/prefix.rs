//! What a runtime, a collector or a logging library puts before a line: container names, syslog and journal heads, times.
//! Invariant: only a prefix whose form is known is taken away, and never a word that may be evidence.

/// A line without what was put before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stripped<'a> {
    /// The time in the prefix, as it was written.
    pub time: Option<&'a str>,
    /// Whether the logging library itself began a record here: a time, a level or a tag of its own.
    pub record: bool,
    /// What is left, with its indentation.
    pub rest: &'a str,
}

/// Takes the prefixes away.
pub fn strip(line: &str) -> Stripped<'_> {
    let mut stripped = Stripped { rest: line, ..Stripped::default() };
    // A container's name and a collector's time stand before the log library's own.
    for _ in 0..4 {
        let rest = stripped.rest;
        if let Some(rest) = composed(rest).or_else(|| pod(rest)).or_else(|| priority(rest)) {
            stripped.rest = rest;
        } else if let Some((time, rest)) = klog(rest).or_else(|| ruby(rest)).or_else(|| timed(rest)) {
            // Envoy's access log and nginx' error log are told by their whole line.
            if rest.starts_with('"') || nginx(rest) {
                return Stripped { time: Some(time), record: true, rest: stripped.rest };
            }
            stripped = Stripped { time: Some(time), record: true, rest };
        } else {
            break;
        }
    }
    stripped
}

/// docker compose: `web-1  | `.
fn composed(line: &str) -> Option<&str> {
    // Only as far as a name may go: most lines are words.
    let named = line.bytes().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.')).count();
    let blanks = line.bytes().skip(named).take_while(|b| *b == b' ').count();
    let (head, rest) = line.split_at_checked(named + blanks)?;
    let rest = rest.strip_prefix('|')?;
    let name = head.trim_end();
    let numbered = name.trim_end_matches(|c: char| c.is_ascii_digit()).ends_with(['-', '_']);
    let apart = head.len() - name.len();
    let is_name = name.bytes().any(|b| b.is_ascii_lowercase()) && (apart >= 2 || (apart == 1 && numbered));
    is_name.then(|| rest.strip_prefix(' ').unwrap_or(rest))
}

/// kubectl logs --prefix: `[pod/pay-7c/app] `.
fn pod(line: &str) -> Option<&str> {
    let (_, rest) = line.strip_prefix("[pod/")?.split_once(']')?;
    Some(rest.strip_prefix(' ').unwrap_or(rest))
}

/// A syslog priority, `<34>` or `<34>1 ` (RFC 5424, 6.2.1).
fn priority(line: &str) -> Option<&str> {
    let (number, rest) = line.strip_prefix('<')?.split_once('>')?;
    let is_number = (1..=3).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_digit());
    is_number.then(|| rest.strip_prefix("1 ").unwrap_or(rest))
}

/// klog and glog: `E1202 10:00:00.123456   12 file.go:12] `.
fn klog(line: &str) -> Option<(&str, &str)> {
    let after = line.strip_prefix(['I', 'W', 'E', 'F'])?;
    let digits = after.bytes().take_while(u8::is_ascii_digit).count();
    // Before the bracket is looked for: any word may begin with one of these letters.
    let (head, rest) = matches!(digits, 4 | 8).then(|| line.split_once("] "))??;
    let time = head.split(' ').nth(1).filter(|time| is_clock(time))?;
    Some((time, rest))
}

/// Ruby's Logger: `E, [2026-11-02T10:00:00.123456 #12] ERROR -- : `.
fn ruby(line: &str) -> Option<(&str, &str)> {
    let inner = line.strip_prefix(['D', 'I', 'W', 'E', 'F', 'A'])?.strip_prefix(", [")?;
    let (stamp, rest) = inner.split_once(']')?;
    let time = stamp.split(' ').next().filter(|time| date(time).is_some())?;
    Some((time, rest.split_once("-- ").map_or(rest, |(_, words)| words.trim_start_matches(':').trim_start())))
}

/// A time, in brackets or without, and the head that syslog and the journal put behind it.
fn timed(line: &str) -> Option<(&str, &str)> {
    let open = line.strip_prefix('[');
    let inner = open.unwrap_or(line);
    if let Some((time, rest)) = syslog_time(inner) {
        return Some((time, journal(rest)));
    }
    let length = date(inner).or_else(|| inner.get(..8).filter(|time| is_clock(time)).map(|_| 0))?;
    let length = length + clock(inner.get(length..)?);
    let (time, rest) = inner.split_at_checked(length)?;
    let rest = if open.is_some() { rest.strip_prefix(']')? } else { rest };
    (!time.is_empty() && rest.starts_with([' ', '\t', '|', ':']) || rest.is_empty())
        .then(|| (time.trim(), journal(rest.strip_prefix(' ').unwrap_or(rest))))
}

/// The length of `2026-11-02` or `2026/11/02` with what parts it from the hour.
fn date(text: &str) -> Option<usize> {
    let [y1, y2, y3, y4, sep, m1, m2, other, d1, d2, ..] = text.as_bytes() else { return None };
    let digits = [y1, y2, y3, y4, m1, m2, d1, d2].iter().all(|b| b.is_ascii_digit());
    let parted = matches!(text.as_bytes().get(10), Some(b'T' | b't' | b' ' | b'_'));
    (digits && parted && sep == other && matches!(sep, b'-' | b'/' | b'.')).then_some(11)
}

fn is_clock(text: &str) -> bool {
    let shape = text.as_bytes();
    let digits = |at: usize| shape.get(at).is_some_and(u8::is_ascii_digit);
    [0, 1, 3, 4, 6, 7].into_iter().all(digits) && shape.get(2) == Some(&b':') && shape.get(5) == Some(&b':')
}

/// The length of a time of day with its fraction and its zone.
fn clock(text: &str) -> usize {
    if !is_clock(text) {
        return 0;
    }
    let plain = |from: usize| text.bytes().skip(from).take_while(|b| matches!(b, b'0'..=b'9' | b'.' | b',')).count();
    let mut length = 8 + plain(8);
    match text.as_bytes().get(length..) {
        Some([b'Z' | b'z', ..]) => length += 1,
        Some([b'+' | b'-', b'0'..=b'9', ..]) => length += 1 + offset(text, length + 1),
        Some([b' ', b'+' | b'-', b'0'..=b'9', ..]) => length += 2 + offset(text, length + 2),
        Some(_) | None => {}
    }
    length
}

fn offset(text: &str, from: usize) -> usize {
    text.bytes().skip(from).take_while(|b| matches!(b, b'0'..=b'9' | b':')).count()
}

/// `Dec  2 10:00:00 ` (RFC 3164, 4.1.2).
fn syslog_time(line: &str) -> Option<(&str, &str)> {
    const MONTHS: [&str; 12] =
        ["Jan ", "Feb ", "Mar ", "Apr ", "May ", "Jun ", "Jul ", "Aug ", "Sep ", "Oct ", "Nov ", "Dec "];
    MONTHS.iter().find(|month| line.starts_with(**month))?;
    let day = line.get(4..7).filter(|day| day.bytes().all(|b| b == b' ' || b.is_ascii_digit()))?;
    let clock = clock(line.get(7..)?);
    (clock > 0 && day.ends_with(' '))
        .then(|| line.split_at_checked(7 + clock))?
        .map(|(time, rest)| (time, rest.strip_prefix(' ').unwrap_or(rest)))
}

/// `host proc[12]: ` behind a time; the words as they are where it is not there.
fn journal(rest: &str) -> &str {
    let mut parts = rest.splitn(3, ' ');
    let (Some(host), Some(process), Some(words)) = (parts.next(), parts.next(), parts.next()) else { return rest };
    let name = process.strip_suffix("]:").and_then(|process| process.split_once('[')).map(|(name, _)| name);
    let named =
        |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_./@()".contains(&b));
    if name.is_some_and(named) && named(host) { words } else { rest }
}

/// nginx' error log behind its time: `[error] 12#12: `.
fn nginx(rest: &str) -> bool {
    let number = rest.strip_prefix('[').and_then(|rest| rest.split_once("] ")).map(|(_, rest)| rest);
    number.is_some_and(|rest| {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        digits > 0 && rest.as_bytes().get(digits) == Some(&b'#')
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn known_prefixes_go_and_their_time_stays() {
        for (line, time, rest) in [
            (
                "2026-11-02T10:00:00.1234567Z ##[error]read timed out",
                "2026-11-02T10:00:00.1234567Z",
                "##[error]read timed out",
            ),
            ("[pod/pay-7c/app] 2026-11-02T10:00:00Z \tat x", "2026-11-02T10:00:00Z", "\tat x"),
            ("web-1  | 2026-11-02 10:00:00,123 ERROR pay", "2026-11-02 10:00:00,123", "ERROR pay"),
            ("Nov  2 10:00:00 host pay[12]: socket hang up", "Nov  2 10:00:00", "socket hang up"),
            ("2026-11-02T10:00:00+0100 host pay[12]:   File", "2026-11-02T10:00:00+0100", "  File"),
            ("E1102 10:00:00.123456   12 pay.go:12] dial tcp", "10:00:00.123456", "dial tcp"),
            (
                "E, [2026-11-02T10:00:00.12 #3] ERROR -- : Net::ReadTimeout",
                "2026-11-02T10:00:00.12",
                "Net::ReadTimeout",
            ),
            ("[2026-11-02 10:00:00 +0000] [12] [ERROR] x", "2026-11-02 10:00:00 +0000", "[12] [ERROR] x"),
            ("2026/11/02 10:00:00 Post failed", "2026/11/02 10:00:00", "Post failed"),
            ("10:00:00.123 [main] ERROR pay - x", "10:00:00.123", "[main] ERROR pay - x"),
        ] {
            assert_eq!(strip(line), Stripped { time: Some(time), record: true, rest }, "{line}");
        }
        let nginx = "2024/01/01 00:00:00 [error] 12#12: *6 upstream timed out";
        assert_eq!(strip(nginx), Stripped { time: Some("2024/01/01 00:00:00"), record: true, rest: nginx });
        let envoy = "[2021-05-10T00:37:31.782Z] \"POST /pay HTTP/1.1\" 503 UC";
        assert_eq!(strip(envoy).rest, envoy);
    }

    #[test]
    fn anything_else_stays() {
        for line in [
            "ECONNRESET | POST /pay",
            "timeout | x",
            "2026-11-02",
            "10.0.0.9:43608 [07/Mar/2023:11:33:48.083] ssl~",
            "1686300000,56,pay,x",
            "<html> 503",
            "2026-11-02T10:00:00Zx",
            "",
            "Sept 1",
            "E1102",
            "[pod/",
        ] {
            assert_eq!(strip(line), Stripped { rest: line, ..Stripped::default() }, "{line}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_text_is_survived(line in r"(\[|E, \[|Nov  |<3>|web-1  \| )?[0-9TZé:. \[\]|/#+-]{0,40}") {
            prop_assert!(line.ends_with(strip(&line).rest));
        }
    }
}
