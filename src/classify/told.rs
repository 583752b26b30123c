//! What the log itself tells of a reading, beside the verdict: when it was, how much it is about, and its own words.
//! Invariant: one line, bounded, and nothing of it reaches a terminal raw.

use std::io::{self, Write};

use super::extract::reading::Reading;
use crate::console::printable::printable;

/// Characters of the log's own words that are shown.
const SHOWN: usize = 100;

/// Writes what there is: `, at TIME, amount AMOUNT | WORDS`. Words that are the evidence and no more are not repeated.
pub fn write(out: &mut impl Write, reading: &Reading, evidence: &str) -> io::Result<()> {
    if let Some(time) = &reading.time {
        write!(out, ", at {}", printable(&bounded(time)))?;
    }
    if let Some(amount) = &reading.amount {
        write!(out, ", amount {}", printable(&bounded(amount)))?;
    }
    match words(reading).filter(|words| *words != evidence) {
        Some(words) => write!(out, " | {}", printable(&bounded(words))),
        None => Ok(()),
    }
}

/// The first line with words, of the outermost error or message.
fn words<'a>(reading: &'a Reading) -> Option<&'a str> {
    let lines = |text: &'a str| text.lines().map(str::trim).find(|line| !line.is_empty());
    reading.texts.iter().find_map(|text| lines(&text.text))
}

fn bounded(text: &str) -> String {
    let mut chars = text.chars();
    let shown: String = chars.by_ref().take(SHOWN).collect();
    if chars.next().is_some() { shown + "..." } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(reading: &Reading, evidence: &str) -> String {
        let mut out = Vec::new();
        write(&mut out, reading, evidence).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_words_are_told_once_and_never_raw() {
        assert_eq!(told(&Reading::from_text("read ECONNRESET"), "read ECONNRESET"), "");
        assert_eq!(told(&Reading::from_text("\n pay\u{1b}[2J: EOF\nmore"), "EOF"), " | pay\\u{1b}[2J: EOF");
    }

    #[test]
    fn long_words_are_cut_between_characters() {
        let text = "é".repeat(SHOWN + 1);
        assert_eq!(told(&Reading::from_text(&text), ""), format!(" | {}...", "é".repeat(SHOWN)));
        assert_eq!(told(&Reading::from_text(&"é".repeat(SHOWN)), ""), format!(" | {}", "é".repeat(SHOWN)));
    }

    #[test]
    fn time_and_amount_are_told() {
        let reading = Reading { time: Some("10:00".into()), amount: Some("42".into()), ..Reading::default() };
        assert_eq!(told(&reading, ""), ", at 10:00, amount 42");
    }
}
