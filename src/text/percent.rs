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

/// A `%` that begins no code stands for itself; what is not UTF-8 becomes the replacement character.
pub fn decode(text: &str) -> String {
    let (bytes, mut out) = (text.as_bytes(), Vec::with_capacity(text.len()));
    let digit = |at: usize| bytes.get(at).and_then(|byte| char::from(*byte).to_digit(16));
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match (byte, digit(at + 1), digit(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                out.push((high * 16 + low) as u8);
                at += 3;
            }
            _ => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
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
    fn a_percent_sign_that_begins_no_code_stands_for_itself() {
        assert_eq!(decode("100%"), "100%");
        assert_eq!(decode("%zz%4"), "%zz%4");
        assert_eq!(decode("%c3%A9"), "é");
    }

    proptest::proptest! {
        #[test]
        fn what_was_encoded_is_decoded(text in ".*") {
            proptest::prop_assert_eq!(decode(&encode(&text)), text);
        }
    }
}
