//! Colours and cursor moves in a log that was written for a terminal. Invariant: only whole escape sequences go (ECMA-48,
//! 5.4 and 8.3); a text without any is not copied.

use std::borrow::Cow;

const ESCAPE: u8 = 0x1B;

/// The text without its escape sequences.
pub fn plain(text: Cow<'_, str>) -> Cow<'_, str> {
    if memchr::memchr(ESCAPE, text.as_bytes()).is_none() {
        return text;
    }
    let mut kept = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter != char::from(ESCAPE) {
            kept.push(letter);
            continue;
        }
        match letters.next_if(|next| matches!(next, '[' | ']')) {
            // A control sequence ends with a letter or one of a few signs.
            Some('[') => _ = letters.by_ref().find(|c| matches!(c, '@'..='~')),
            // A command to the terminal (a link, a title) ends with BEL or with ESC and a backslash.
            Some(_) => {
                if letters.by_ref().find(|c| matches!(c, '\u{7}' | '\u{1B}')) == Some('\u{1B}') {
                    letters.next_if_eq(&'\\');
                }
            }
            None => _ = letters.next(),
        }
    }
    Cow::Owned(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_go_and_words_stay() {
        for (text, expected) in [
            ("plain é", "plain é"),
            ("\u{1b}[31mERROR\u{1b}[0m read timed out", "ERROR read timed out"),
            ("\u{1b}[1;38;5;196mü\u{1b}[K", "ü"),
            ("\u{1b}]8;;https://x\u{1b}\\link\u{1b}]8;;\u{7} end", "link end"),
            ("a\u{1b}cb", "ab"),
            ("cut \u{1b}[31", "cut "),
            ("cut \u{1b}", "cut "),
        ] {
            assert_eq!(plain(Cow::Borrowed(text)), expected);
        }
    }
}
