//! A JSON object at the end of a line of words. Invariant: it is one whole object, or there is none.

use super::frame::{Frame, Step};

/// The words before the object, and the object.
pub fn object(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_end();
    if !line.ends_with('}') {
        return None;
    }
    let at = memchr::memmem::find(line.as_bytes(), b"{\"")?;
    let (before, object) = line.split_at_checked(at)?;
    (Frame::new().feed(object.as_bytes()) == Step::Complete(object.len())).then_some((before, object))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_object_at_the_end_is_one() {
        assert_eq!(object("pay: {\"a\":{\"b\":1}} "), Some(("pay: ", "{\"a\":{\"b\":1}}")));
        assert_eq!(object("{\"a\":1}"), Some(("", "{\"a\":1}")));
        for line in ["pay {\"a\":1} x", "pay {a}", "pay {\"a\":1", "é{\"", "{\"a\":1} {\"b\":2}", ""] {
            assert_eq!(object(line), None, "{line}");
        }
    }
}
