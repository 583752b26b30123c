//! Event streams (HTML Living Standard, 9.2). Invariant: only an event that is there whole, its empty line included, is an
//! event.

/// The data of each whole event, in order.
pub fn data(stream: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(stream);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text).replace("\r\n", "\n").replace('\r', "\n");
    // The last piece is a line only if its end is there.
    let lines = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
    let mut events = Vec::new();
    let mut data: Option<String> = None;
    for line in lines.split('\n') {
        if line.is_empty() {
            events.extend(data.take());
            continue;
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        if field == "data" {
            let value = value.strip_prefix(' ').unwrap_or(value);
            data = Some(data.map_or_else(|| value.to_owned(), |before| format!("{before}\n{value}")));
        }
    }
    events
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_read_as_the_standard_says() {
        for (stream, events) in [
            ("data: a\n\ndata: b\n\n", &["a", "b"][..]),
            ("event: message\r\nid: 7\r\ndata:a\r\n\r\n", &["a"]),
            ("\u{feff}: a comment\n\ndata: one\ndata: two\n\n", &["one\ntwo"]),
            ("retry: 100\nid: 1\ndata\n\n", &[""]),
            ("data: a\r\rdata: b\r\r", &["a", "b"]),
            ("data: a\n\ndata: cut", &["a"]),
            ("data: a\n", &[]),
            ("", &[]),
        ] {
            assert_eq!(data(stream.as_bytes()), events, "{stream:?}");
        }
    }

    #[test]
    fn what_was_cut_anywhere_is_no_event() {
        let whole = "data: {\"a\":1}\n\n";
        for end in 0..whole.len() {
            assert!(data(&whole.as_bytes()[..end]).is_empty(), "{end}");
        }
    }
}
