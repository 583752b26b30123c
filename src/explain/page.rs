//! Text for a page of a terminal. Invariant: no line is longer than the page, unless a single word is.

/// Columns of a page.
const WIDTH: usize = 100;

/// Lines from words, each behind `indent` spaces but the first, of which `taken` columns stand already.
fn flow(text: &str, taken: usize, indent: usize) -> String {
    let (mut flowed, mut column, mut is_first) = (String::new(), taken, true);
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if !is_first && column + 1 + length > WIDTH {
            flowed.push('\n');
            flowed.extend(std::iter::repeat_n(' ', indent));
            column = indent;
        } else if !is_first {
            flowed.push(' ');
            column += 1;
        }
        flowed.push_str(word);
        column += length;
        is_first = false;
    }
    flowed
}

/// A paragraph, its lines after the first indented.
pub fn paragraph(text: &str, indent: usize) -> String {
    flow(text, indent, indent)
}

/// A name and what is said of it, in two columns.
pub fn item(name: &str, column: usize, text: &str) -> String {
    let taken = name.chars().count().max(column) + 2;
    format!("{name:<column$}  {}", flow(text, taken, column + 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_before_the_page_does() {
        let text = "word ".repeat(60);
        for column in [0, 4, 30] {
            let item = item("name", column, &text);
            assert!(item.lines().all(|line| line.chars().count() <= WIDTH), "{item}");
            assert_eq!(item.split_whitespace().count(), 61);
        }
    }

    #[test]
    fn names_and_texts_stand_in_two_columns() {
        let item = item("a", 3, &format!("{} next", "x".repeat(93)));
        assert_eq!(item, format!("a    {}\n     next", "x".repeat(93)));
    }
}
