//! Keys and values as the file has them. Invariant: what is written here is read back as the same value.

use clap::{Arg, ArgAction};

use super::file::Value;

/// `key = value`.
pub fn line(key: &str, value: &Value) -> String {
    match value {
        Value::Flag(value) => format!("{key} = {value}"),
        Value::One(text) => format!("{key} = {}", quoted(text)),
        Value::Many(texts) => format!("{key} = [{}]", texts.iter().map(|t| quoted(t)).collect::<Vec<_>>().join(", ")),
    }
}

/// An option with what stands for its value in the help.
pub fn sample(option: &Arg) -> Value {
    let names = option.get_value_names().unwrap_or_default();
    let value = names.first().map(ToString::to_string).unwrap_or_default();
    match option.get_action() {
        ArgAction::SetTrue => Value::Flag(true),
        ArgAction::Append => Value::Many(vec![value]),
        _ => Value::One(value),
    }
}

/// A text in which nothing comes from the environment.
pub fn plain(text: &str) -> String {
    text.replace("${", "$${")
}

/// As it stands where TOML lets it, else with escapes.
fn quoted(text: &str) -> String {
    let is_literal = text.contains(['"', '\\']) && !text.contains('\'') && !text.chars().any(char::is_control);
    if is_literal {
        return format!("'{text}'");
    }
    let escaped = text.chars().map(|c| match c {
        '"' | '\\' => format!("\\{c}"),
        '\n' => "\\n".to_owned(),
        c if c.is_control() => format!("\\u{:04X}", u32::from(c)),
        c => c.to_string(),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use toml::de::{DeTable, DeValue};

    use super::*;
    use crate::config::environment::filled;

    #[test]
    fn a_text_stands_as_plainly_as_it_can() {
        let one = |text: &str| line("k", &Value::One(text.to_owned()));
        assert_eq!(one("a b"), r#"k = "a b""#);
        assert_eq!(one(r#"{"a":"\n"}"#), r#"k = '{"a":"\n"}'"#);
        assert_eq!(one("it's \"so\"\n"), r#"k = "it's \"so\"\n""#);
        assert_eq!(line("k", &Value::Many(vec!["a".into(), "b".into()])), r#"k = ["a", "b"]"#);
        assert_eq!(line("k", &Value::Flag(true)), "k = true");
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(text in "[\\PC\\x00-\\x7f\u{80}-\u{9f}$\\{\"'\\\\]{0,12}") {
            let written = line("k", &Value::One(plain(&text)));
            let table = DeTable::parse(&written).unwrap();
            let DeValue::String(read) = table.get_ref().get("k").unwrap().get_ref() else { panic!("{written}") };
            prop_assert_eq!(filled(read, |_| None).unwrap(), text);
        }
    }
}
