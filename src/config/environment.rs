//! `${NAME}` in a value. Invariant: what comes from the environment is kept out of every report, and a name that is not set
//! is an error, never an empty value.

use crate::text::withheld;

/// The text with each `${NAME}` replaced by what the environment says; `$${` stands for `${`, which a shell is meant to
/// read.
///
/// # Errors
/// A name is not set, or its brace is not closed.
pub fn filled(text: &str, look_up: impl Fn(&str) -> Option<String>) -> Result<String, String> {
    let (mut filled, mut rest) = (String::new(), text);
    while let Some((before, behind)) = rest.split_once("${") {
        if let Some(before) = before.strip_suffix('$') {
            filled.push_str(before);
            filled.push_str("${");
            rest = behind;
            continue;
        }
        let (name, behind) = behind.split_once('}').ok_or("a ${ without its }: write $${ for a plain one")?;
        let value = look_up(name).ok_or_else(|| format!("${{{name}}} is not set in the environment"))?;
        withheld::note(&value);
        filled.push_str(before);
        filled.push_str(&value);
        rest = behind;
    }
    filled.push_str(rest);
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<String, String> {
        filled(text, |name| (name == "TOKEN").then(|| "environment-token".to_owned()))
    }

    #[test]
    fn a_name_is_replaced_and_withheld() {
        assert_eq!(of("Bearer ${TOKEN}; ${TOKEN}"), Ok("Bearer environment-token; environment-token".to_owned()));
        assert!(withheld::all().contains(&"environment-token".to_owned()));
        assert_eq!(of("kill $$ $(cat pid) $HOME"), Ok("kill $$ $(cat pid) $HOME".to_owned()));
        assert_eq!(of("echo $${x}"), Ok("echo ${x}".to_owned()));
    }

    #[test]
    fn a_name_that_is_not_set_is_an_error() {
        assert_eq!(of("${OTHER}"), Err("${OTHER} is not set in the environment".to_owned()));
        assert_eq!(of("${}"), Err("${} is not set in the environment".to_owned()));
        assert!(of("${TOKEN").is_err_and(|why| why.contains("without its }")));
    }
}
