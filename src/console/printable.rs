//! What others wrote, made fit for a terminal: a target's replies, a client's log, a ledger's names. Invariant: everything
//! foreign passes here before it is written for people; no byte of it can move the cursor, change colours or reorder the
//! line. JSON and JUnit escape by their own rules.

use std::borrow::Cow;
use std::fmt::Write;

/// The text on one line: a character that a terminal acts on is written as its escape (`\n`, `\u{1b}`).
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.chars().any(acts) {
        return text.into();
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        // Writing to a String cannot fail.
        let _ = if acts(c) { write!(safe, "{}", c.escape_default()) } else { safe.write_char(c) };
    }
    safe.into()
}

/// Control characters, and those that turn the direction of what follows (Unicode Standard Annex 9), break the line or
/// show nothing at all.
fn acts(c: char) -> bool {
    let turns = matches!(c, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    c.is_control() || turns || matches!(c, '\u{2028}' | '\u{2029}' | '\u{200B}' | '\u{FEFF}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn nothing_foreign_can_act_on_the_terminal() {
        assert_eq!(printable("a\u{1b}[31m\nb"), "a\\u{1b}[31m\\nb");
        assert_eq!(printable("\u{9b}2J\u{202e}x\u{7f}"), "\\u{9b}2J\\u{202e}x\\u{7f}");
    }

    #[test]
    fn plain_text_of_any_language_stays_as_it_is() {
        for text in ["", "plain é", "übermäßig", "注文 42", "👍🏽"] {
            assert!(matches!(printable(text), Cow::Borrowed(same) if same == text), "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_control_character_is_left(text in "(.|[\\x00-\\x1f]|\u{9b})*") {
            prop_assert!(!printable(&text).chars().any(acts));
        }
    }
}
