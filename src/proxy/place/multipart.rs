//! Fields of a multipart form (RFC 7578, on RFC 2046, 5.1). Invariant: a part ends at a delimiter line alone, so a boundary
//! within a value's line does not cut it.

use memchr::memmem;

/// The boundary that a content type names. None for what is not a multipart form.
pub fn boundary(content_type: &str) -> Option<String> {
    let (kind, parameters) = content_type.split_once(';')?;
    kind.trim().eq_ignore_ascii_case("multipart/form-data").then(|| parameter(parameters, "boundary"))?
}

/// The value of the one part of this name. None where there is none, or more than one.
pub fn only(body: &[u8], boundary: &str, name: &str) -> Option<String> {
    let delimiter = format!("\r\n--{boundary}");
    // The first delimiter may stand at the very beginning, without a line before it.
    let body = [b"\r\n", body].concat();
    let starts: Vec<usize> = memmem::find_iter(&body, delimiter.as_bytes()).collect();
    let mut values = starts.windows(2).filter_map(|pair| {
        let part = body.get(pair[0] + delimiter.len()..pair[1])?;
        let end = memmem::find(part, b"\r\n\r\n")?;
        let (head, value) = part.split_at(end);
        names(head, name).then(|| value.get(4..).unwrap_or_default().to_vec())
    });
    let value = values.next().filter(|_| values.next().is_none())?;
    String::from_utf8(value).ok()
}

/// Whether the head of a part gives it this name.
fn names(head: &[u8], name: &str) -> bool {
    let head = String::from_utf8_lossy(head);
    let disposition = head.lines().filter_map(|line| line.split_once(':'));
    let mut disposition = disposition.filter(|(field, _)| field.trim().eq_ignore_ascii_case("content-disposition"));
    disposition.any(|(_, value)| parameter(value, "name").as_deref() == Some(name))
}

/// The value of a parameter, quoted or not; a `;` within quotes separates nothing.
fn parameter(parameters: &str, wanted: &str) -> Option<String> {
    let mut quoted = false;
    let pieces = parameters.split(|c| {
        quoted ^= c == '"';
        c == ';' && !quoted
    });
    let mut values = pieces.filter_map(|piece| piece.split_once('='));
    let (_, value) = values.find(|(key, _)| key.trim().eq_ignore_ascii_case(wanted))?;
    Some(value.trim().trim_matches('"').to_owned())
}
