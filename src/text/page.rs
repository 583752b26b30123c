//! An HTML page of its own. Invariant: it holds all that it needs and no script, and is readable at any width, in light,
//! dark and on paper.

use std::fmt::{Result, Write};

const STYLE: &str = include_str!("page.css");

/// Writes a page with this title, and by `body` what stands in it; `explained` is what to read beside it.
pub fn write(out: &mut String, title: &str, explained: &str, body: impl FnOnce(&mut String) -> Result) -> Result {
    write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>idem: {title}</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n"
    )?;
    body(out)?;
    write!(out, "<footer><p>Made by idem {}. {explained}</p></footer>\n</body>\n</html>\n", env!("CARGO_PKG_VERSION"))
}

/// The head of a table of verdicts: what its rows are, the names of the figures, the verdict.
pub fn columns<'n>(out: &mut String, rows: &str, figures: impl IntoIterator<Item = &'n str>) -> Result {
    write!(out, "<table class=\"verdicts\">\n<thead><tr><th>{rows}</th>")?;
    figures.into_iter().try_for_each(|name| write!(out, "<th class=\"figure\">{name}</th>"))?;
    out.write_str("<th>verdict</th></tr></thead>\n<tbody>\n")
}

/// The figures of a row by their names. Those that tell of something wrong are told apart where the row is a finding.
pub fn figures(out: &mut String, named: &[(&str, u64)], is_finding: bool) -> Result {
    named.iter().try_for_each(|(name, count)| {
        let class = match (*name, count) {
            (_, 0) => "figure zero",
            ("duplicates" | "lost", _) if is_finding => "figure wrong",
            (_, _) => "figure",
        };
        write!(out, r#"<td class="{class}" data-name="{name}">{count}</td>"#)
    })
}
