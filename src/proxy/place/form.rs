//! Form-encoded fields (WHATWG URL, application/x-www-form-urlencoded). Invariant: what is not UTF-8 once decoded names
//! nothing.

use crate::text::percent::decoded;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_without_a_value_is_empty_and_two_are_none() {
        assert_eq!(only(b"a&b=1", "a").as_deref(), Some(""));
        assert_eq!(only(b"a=1&a=1", "a"), None);
        assert_eq!(only(b"a=1=2", "a").as_deref(), Some("1=2"));
    }
}
