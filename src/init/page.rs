//! The file as it is written. Invariant: every option of a target stands in it once, set or as a comment, in the words of
//! its help.

use clap::Arg;

use crate::config::{self, Value, line, sample};
use crate::console::printable::printable;

/// An option that the file sets, or would set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// An option's name.
    pub key: &'static str,
    pub value: Value,
    /// Why, in sentences.
    pub notes: Vec<String>,
    /// A comment where it is not: the user has to complete it.
    pub is_active: bool,
}

/// The text of the file. `head` is what was asked and answered, one comment a line.
pub fn page(table: &str, head: &[String], settings: &[Setting]) -> String {
    let command = config::target();
    let options: Vec<&Arg> = config::options(&command).collect();
    let key = |option: &&&Arg| option.get_long().unwrap_or_default().to_owned();
    let set = |option: &&&Arg| settings.iter().find(|setting| setting.key == key(option));
    let head: String = head.iter().map(|line| comment(line)).collect();
    let active: Vec<String> = options.iter().filter_map(|option| set(&option).map(written)).collect();
    let rest: Vec<String> =
        options.iter().filter(|option| set(option).is_none()).map(|option| offered(option)).collect();
    format!("{head}\n[{table}]\n{}\n# The other options, with their help:\n\n{}", active.concat(), rest.join("\n"))
}

fn written(setting: &Setting) -> String {
    let notes: String = setting.notes.iter().map(|note| comment(note)).collect();
    let line = line(setting.key, &setting.value);
    let mark = if setting.is_active { "" } else { "# " };
    format!("{notes}{mark}{line}\n")
}

fn offered(option: &Arg) -> String {
    let help = option.get_help().map(ToString::to_string).unwrap_or_default();
    let line = line(option.get_long().unwrap_or_default(), &sample(option));
    format!("{}# {line}\n", comment(&help))
}

fn comment(text: &str) -> String {
    format!("# {}\n", printable(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_stands_in_it_once() {
        let setting =
            |key, is_active| Setting { key, value: Value::One("x".into()), notes: vec!["Because.".into()], is_active };
        let page = page("target.a", &["Said.".to_owned()], &[setting("poll", false), setting("target", true)]);
        let begin =
            "# Said.\n\n[target.a]\n# Because.\ntarget = \"x\"\n# Because.\n# poll = \"x\"\n\n# The other options";
        assert!(page.starts_with(begin), "{page}");
        for option in config::options(&config::target()) {
            let line = format!("{} = ", option.get_long().unwrap());
            assert_eq!(page.lines().filter(|l| l.trim_start_matches("# ").starts_with(&line)).count(), 1, "{line}");
        }
    }
}
