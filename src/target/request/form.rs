//! Form-encoded bodies, and queries: their fields written anew, one changed, one set. Invariant: what is rewritten has the
//! same fields with the same values, those of one name in the same order; what is altered differs in one value.

use crate::text::percent::{code, decoded, encode};

/// As a form has it (WHATWG URL, 5.2): a space is a plus.
pub fn escape(value: &str) -> String {
    encode(value).replace("%20", "+")
}

/// Whether a text reads as a form: fields with a name and a `=`, none of which begins another kind of text.
pub fn is_form(text: &str) -> bool {
    let is_field = |field: &str| field.split_once('=').is_some_and(|(name, _)| is_name(name));
    !text.is_empty() && text.split('&').all(is_field)
}

fn is_name(name: &str) -> bool {
    let fits = |b: u8| b.is_ascii_alphanumeric() || b"_-.[]%+~:$*".contains(&b);
    !name.is_empty() && name.bytes().all(fits)
}

/// What may not stand in a form as it is, is escaped: white space, what is not ASCII, and control characters.
pub fn tidy(text: &str) -> String {
    let field = |field: &str| {
        field
            .trim()
            .chars()
            .map(|c| if c.is_ascii_graphic() { c.to_string() } else { escape(&c.to_string()) })
            .collect()
    };
    text.split('&').map(field).collect::<Vec<String>>().join("&")
}

/// Turns the fields round and escapes them in another way, both of which mean nothing. Where a name ends with `[]`, the
/// order may mean something: it stays.
pub fn reserialise(form: &str) -> String {
    let fields: Vec<_> = fields(form).collect();
    let is_list = fields.iter().any(|(name, _)| plain(name).contains("[]"));
    let ordered = if is_list { fields } else { turned_round(fields) };
    let text = ordered.iter().map(|(name, value)| format!("{name}={}", another_escape(value))).collect::<Vec<_>>();
    let text = text.join("&");
    match text.split_once('=') {
        // Nothing in its values can be written in two ways: its first name then.
        Some((name, rest)) if text == form => format!("{}={rest}", another_escape(name)),
        Some(_) | None => text,
    }
}

/// The names and the place among those of one name of all fields, with their values.
pub fn leaves(form: &str) -> Vec<(String, String)> {
    let mut leaves: Vec<(String, String)> = Vec::new();
    let mut counts = std::collections::HashMap::new();
    for (name, value) in fields(form) {
        let name = plain(name);
        let count = counts.entry(name.clone()).and_modify(|n| *n += 1).or_insert(1);
        let at = if *count == 1 { name } else { format!("{name} #{count}") };
        leaves.push((at, plain(value)));
    }
    leaves
}

/// With another value of the field that a leaf names; as it is where there is none.
pub fn altered(form: &str, at: &str, another: impl Fn(&str) -> String) -> String {
    let leaves = leaves(form);
    let fields = fields(form).zip(leaves).map(|((name, value), (leaf, old))| match leaf == at {
        true => format!("{name}={}", escape(&another(&old))),
        false => format!("{name}={value}"),
    });
    fields.collect::<Vec<_>>().join("&")
}

/// Sets a field: the first of its name, or one more at the end.
pub fn with_field(form: &str, name: &str, value: &str) -> String {
    let mut fields: Vec<_> = fields(form).map(|(name, value)| (name.to_string(), value.to_string())).collect();
    match fields.iter_mut().find(|(known, _)| plain(known) == name) {
        Some((_, old)) => *old = escape(value),
        None => fields.push((escape(name), escape(value))),
    }
    fields.into_iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("&")
}

/// Names and values as they are written.
fn fields(form: &str) -> impl Iterator<Item = (&str, &str)> {
    form.split('&').filter(|field| !field.is_empty()).map(|field| field.split_once('=').unwrap_or((field, "")))
}

/// What is not UTF-8 once decoded stays as it is written.
fn plain(written: &str) -> String {
    decoded(written.as_bytes(), true).unwrap_or_else(|| written.to_string())
}

/// In the opposite order, but those of one name as they were.
fn turned_round<'a>(fields: Vec<(&'a str, &'a str)>) -> Vec<(&'a str, &'a str)> {
    let mut names: Vec<&str> = Vec::new();
    fields.iter().rev().for_each(|(name, _)| {
        if !names.contains(name) {
            names.push(name);
        }
    });
    names.iter().flat_map(|name| fields.iter().filter(move |(known, _)| known == name).copied()).collect()
}

/// The same value in other bytes: a space as a code, and the first character that needs none as a code too, or as itself
/// where it was one. A value without such a character stays.
fn another_escape(written: &str) -> String {
    let value = plain(written);
    let (usual, other) = (encode(&value), coded_once(&value));
    if other == written { usual } else { other }
}

/// Encoded as usual, and the first character that needs no code as one.
fn coded_once(value: &str) -> String {
    let usual = |c: char| encode(c.encode_utf8(&mut [0; 4]));
    let plain = value.chars().position(|c| usual(c).len() == 1);
    value.chars().enumerate().map(|(n, c)| if Some(n) == plain { code(c as u8) } else { usual(c) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_told_from_other_texts() {
        for form in ["a=1", "a=1&b[c]=x+y&b%5Bd%5D=", "amount=7&items[]=1&items[]=2"] {
            assert!(is_form(form), "{form}");
        }
        for other in ["", "{", "<a b=\"c\"/>", "a", "=1", "hello world=1", "a=1&&b=2", "{\"a\":\"b=c\"}"] {
            assert!(!is_form(other), "{other}");
        }
    }

    #[test]
    fn what_a_form_cannot_hold_is_escaped() {
        assert_eq!(tidy("a=x y&\n b=é\n"), "a=x+y&b=%C3%A9");
        assert_eq!(tidy("a=%20+&b[c]=1"), "a=%20+&b[c]=1");
    }

    #[test]
    fn fields_turn_round_and_are_escaped_in_another_way() {
        assert_eq!(reserialise("a=1&b=x+y"), "b=%78%20y&a=%31");
        assert_eq!(reserialise("a=%31"), "a=1");
        assert_eq!(reserialise("a=%25"), "%61=%25");
        assert_eq!(reserialise("a=1&b=2&a=3"), "a=%31&a=%33&b=%32", "fields of one name are a list");
        assert_eq!(reserialise("a[][x]=1&b=2"), "a[][x]=%31&b=%32", "lists by [] go by their order");
        let (form, other) = ("a=%C2%A1", reserialise("a=%C2%A1"));
        assert!(
            other != form && leaves(&other) == leaves(form),
            "{other}: all that has to be escaped is escaped already"
        );
    }

    #[test]
    fn one_field_is_changed_or_set() {
        let form = "a=1&b%5Bc%5D=x+y&a=2";
        let names: Vec<_> = leaves(form).into_iter().map(|(at, _)| at).collect();
        assert_eq!(names, ["a", "b[c]", "a #2"]);
        let other = |_: &str| "z&".to_string();
        assert_eq!(altered(form, "b[c]", other), "a=1&b%5Bc%5D=z%26&a=2");
        assert_eq!(altered(form, "a #2", other), "a=1&b%5Bc%5D=x+y&a=z%26");
        assert_eq!(altered(form, "nowhere", other), form);
        assert_eq!(with_field(form, "b[c]", "k 1"), "a=1&b%5Bc%5D=k+1&a=2");
        assert_eq!(with_field("", "id", "é"), "id=%C3%A9");
        assert_eq!(with_field("a=1", "m[k]", "1"), "a=1&m%5Bk%5D=1");
    }

    proptest::proptest! {
        #![proptest_config(proptest::test_runner::Config { failure_persistence: None, ..Default::default() })]

        #[test]
        fn the_fields_stay_and_the_bytes_change(values in proptest::collection::vec(("[a-z]{1,3}", "..*"), 1..5)) {
            let form = values.iter().map(|(name, value)| format!("{name}={}", escape(value))).collect::<Vec<_>>().join("&");
            let other = reserialise(&form);
            let sorted = |form: &str| { let mut fields = leaves(form); fields.sort(); fields };
            proptest::prop_assert_ne!(&other, &form);
            proptest::prop_assert_eq!(sorted(&other), sorted(&form));
        }
    }
}
