//! Headers that the user's commands print, one a line. Invariant: what they print is in no error: it may be a credential.

use crate::http::header::Header;

/// The headers of a text; empty lines are passed over.
///
/// # Errors
/// Names the line that is no header that can be sent, and not what it says.
pub fn headers(text: &str) -> Result<Vec<Header>, String> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let header = |(n, line): (usize, &str)| {
        Header::parse(line).map_err(|_| {
            format!("line {} of what it prints is no header 'Name: value', or one that idem sets itself (Host)", n + 1)
        })
    };
    lines.map(header).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_is_a_header_and_an_error_does_not_say_what_it_was() {
        let both = headers("A: 1\r\n\nB: x:y\n").unwrap();
        assert_eq!(
            both.iter().map(|h| (h.name.as_str(), h.value.as_str())).collect::<Vec<_>>(),
            [("A", "1"), ("B", "x:y")]
        );
        for bad in ["A: 1\ns3cr3t", "A: 1\nHost: s3cr3t", "A: 1\ns3 cr3t: x"] {
            let why = headers(bad).unwrap_err();
            assert!(why.starts_with("line 2 ") && !why.contains("cr3t"), "{why}");
        }
    }
}
