//! Percent-encoding, in URLs (RFC 3986, 2.1) and in forms. Invariant: what was encoded is decoded as the same text.

/// All but what never needs it (RFC 3986, 2.3: letters, digits, `-._~`).
pub fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => out.push(char::from(byte)),
            _ => out += &code(byte),
        }
    }
    out
}

/// One byte as `%2F`.
pub fn code(byte: u8) -> String {
    format!("%{byte:02X}")
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
    fn all_but_the_unreserved_is_encoded() {
        assert_eq!(encode("aZ9-._~"), "aZ9-._~");
        assert_eq!(encode("a b/c?d=é+%"), "a%20b%2Fc%3Fd%3D%C3%A9%2B%25");
    }

    #[test]
    fn percent_signs_that_escape_nothing_stay() {
        assert_eq!(decoded(b"a%2Gb%", true).as_deref(), Some("a%2Gb%"));
        assert_eq!(decoded(b"%C3%A9+%2b", true).as_deref(), Some("\u{e9} +"));
        assert_eq!(decoded(b"a+b", false).as_deref(), Some("a+b"));
        assert_eq!(decoded(b"%FF", true), None);
    }

    proptest::proptest! {
        #[test]
        fn what_was_encoded_is_decoded(text in ".*") {
            proptest::prop_assert_eq!(decoded(encode(&text).as_bytes(), true), Some(text));
        }
    }
}
