//! The text of a ledger to its items: JSON lines, an array, or an object with an array at a pointer. Invariant: a torn
//! last line is no item and no error, for the writer may be in the middle of it; broken text elsewhere is an error, for
//! what it held might have been a charge.

use std::fmt;

use serde_json::Value;

/// Why there are no items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Bad {
    /// A document that is still being written: worth another look.
    Unfinished(String),
    Malformed(String),
}

impl fmt::Display for Bad {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bad::Unfinished(why) | Bad::Malformed(why) => f.write_str(why),
        }
    }
}

/// Reads all items. `at` points to the array of a ledger that is one document.
///
/// # Errors
/// Names the line and column of what is no JSON, or what stands at the pointer instead of an array.
pub fn parse(text: &str, at: Option<&str>) -> Result<Vec<Value>, Bad> {
    let text = text.trim_start_matches('\u{feff}');
    match (at, text.trim_start().starts_with('[')) {
        (Some(at), _) if text.trim().is_empty() => Err(Bad::Unfinished(format!("empty, no array at {at}"))),
        (Some(at), _) => array(document(text)?, at),
        (None, true) => array(document(text)?, ""),
        (None, false) => lines(text),
    }
}

fn document(text: &str) -> Result<Value, Bad> {
    serde_json::from_str(text).map_err(|error| match error.is_eof() {
        true => Bad::Unfinished(error.to_string()),
        false => Bad::Malformed(error.to_string()),
    })
}

fn array(document: Value, at: &str) -> Result<Vec<Value>, Bad> {
    match document.pointer(at) {
        Some(Value::Array(items)) => Ok(items.clone()),
        Some(_) => Err(Bad::Malformed(format!("what stands at '{at}' is no array; give --ledger-items"))),
        None => Err(Bad::Malformed(format!("nothing stands at {at}; give --ledger-items"))),
    }
}

fn lines(text: &str) -> Result<Vec<Value>, Bad> {
    let mut items = Vec::new();
    let mut rest = text.split_inclusive('\n').enumerate().peekable();
    while let Some((i, line)) = rest.next() {
        if line.trim().is_empty() {
            continue;
        }
        match serde_json::from_str(line) {
            Ok(item) => items.push(item),
            // The writer is in the middle of it, or was killed there.
            Err(_) if rest.peek().is_none() && !line.ends_with('\n') => {}
            // One object over several lines, as a server may print it.
            Err(_) if i == 0 => return whole(text),
            Err(error) => return Err(Bad::Malformed(format!("line {}: no JSON: {error}", i + 1))),
        }
    }
    Ok(items)
}

fn whole(text: &str) -> Result<Vec<Value>, Bad> {
    match serde_json::from_str(text) {
        Ok(Value::Object(_)) => Err(Bad::Malformed("one object; say with --ledger-items where its array is".into())),
        Ok(item) => Ok(vec![item]),
        Err(error) => Err(Bad::Malformed(format!("line 1: no JSON: {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn all_three_shapes() {
        let two = vec![json!({"intent": "a"}), json!({"intent": "b"})];
        assert_eq!(parse("{\"intent\":\"a\"}\r\n\n{\"intent\":\"b\"}\n", None).unwrap(), two);
        assert_eq!(parse(" [{\"intent\":\"a\"},\n{\"intent\":\"b\"}]", None).unwrap(), two);
        assert_eq!(parse(r#"{"data":{"items":[{"intent":"a"},{"intent":"b"}]}}"#, Some("/data/items")).unwrap(), two);
        assert_eq!(parse("", None).unwrap(), Vec::<Value>::new());
    }

    #[test]
    fn a_torn_last_line_is_no_item_and_a_torn_middle_line_is_an_error() {
        assert_eq!(parse("{\"intent\":\"a\"}\n{\"inte", None).unwrap().len(), 1);
        let bad = parse("{\"a\":1}\n{\"inte\n{\"a\":2}\n", None).unwrap_err();
        assert!(bad.to_string().starts_with("line 2"), "{bad}");
    }

    #[test]
    fn an_array_in_the_middle_of_a_write_is_unfinished() {
        assert!(matches!(parse("[{\"a\":1},", None), Err(Bad::Unfinished(_))));
        assert!(matches!(parse("[1] x", None), Err(Bad::Malformed(_))));
        assert!(parse("{\"data\":3}", Some("/data")).unwrap_err().to_string().contains("no array"));
    }

    proptest! {
        #[test]
        fn no_text_panics(text in ".*", at in proptest::option::of("(/[a-z]{0,2}){0,2}")) {
            let _ = parse(&text, at.as_deref());
        }

        /// Cut anywhere, a file of lines gives the items before the cut: none is lost and none invented.
        #[test]
        fn a_cut_file_gives_its_whole_lines(n in 1usize..6, cut in 0usize..200) {
            let text: String = (0..n).map(|i| format!("{{\"intent\":\"i-{i}\"}}\n")).collect();
            let cut = cut.min(text.len());
            let (kept, _) = text.split_at(cut);
            let whole = kept.matches('}').count();
            prop_assert_eq!(parse(kept, None).unwrap().len(), whole);
        }
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn any_text_is_survived(bytes in crate::text::fragments::bytes()) {
            let text = String::from_utf8_lossy(&bytes);
            for at in [None, Some(""), Some("/items"), Some("ü")] {
                let _ = parse(&text, at);
            }
        }
    }
}
