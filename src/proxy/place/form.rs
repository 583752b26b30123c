//! Form-encoded fields (WHATWG URL, application/x-www-form-urlencoded). Invariant: what is not UTF-8 once decoded names
//! nothing.

/// The value of the one field of this name. None where there is none, or more than one.
pub fn only(form: &[u8], name: &str) -> Option<String> {
    let mut values = form.split(|b| *b == b'&').filter_map(|pair| {
        let at = pair.iter().position(|b| *b == b'=').unwrap_or(pair.len());
        let (key, value) = pair.split_at(at);
        (decoded(key, true)? == name).then(|| value.strip_prefix(b"=").unwrap_or(value))
    });
    let value = values.next().filter(|_| values.next().is_none())?;
    decoded(value, true)
}

/// Without percent-encoding; `plus` says whether a `+` is a space, which it is in forms and queries alone. None for what
/// is then not UTF-8.
pub fn decoded(text: &[u8], plus: bool) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((first, after)) = rest.split_first() {
        let escaped = after.first_chunk().filter(|_| *first == b'%').and_then(hex);
        match (first, escaped) {
            (_, Some(byte)) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
                continue;
            }
            (b'+', None) if plus => bytes.push(b' '),
            (byte, None) => bytes.push(*byte),
        }
        rest = after;
    }
    String::from_utf8(bytes).ok()
}

fn hex(digits: &[u8; 2]) -> Option<u8> {
    let [high, low] = digits.map(|digit| char::from(digit).to_digit(16));
    u8::try_from(high? << 4 | low?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_signs_that_escape_nothing_stay() {
        assert_eq!(decoded(b"a%2Gb%", true).as_deref(), Some("a%2Gb%"));
        assert_eq!(decoded(b"%C3%A9+%2b", true).as_deref(), Some("\u{e9} +"));
        assert_eq!(decoded(b"a+b", false).as_deref(), Some("a+b"));
        assert_eq!(decoded(b"%FF", true), None);
    }

    #[test]
    fn a_field_without_a_value_is_empty_and_two_are_none() {
        assert_eq!(only(b"a&b=1", "a").as_deref(), Some(""));
        assert_eq!(only(b"a=1&a=1", "a"), None);
        assert_eq!(only(b"a=1=2", "a").as_deref(), Some("1=2"));
    }
}
