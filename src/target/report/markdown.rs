//! The report as Markdown (CommonMark with GitHub's tables). Invariant: what others wrote is text: it ends no cell, no code
//! block, and makes no link, image or formula.

use std::fmt::Write;

use super::standing::standing;
use super::timeline::Step;
use super::view::{Line, Shown, View};
use crate::terms::points::POINTS;

pub fn page(view: &View) -> String {
    let mut out = String::new();
    // Writing to a String cannot fail.
    let _ = write(&mut out, view);
    out
}

fn write(out: &mut String, view: &View) -> std::fmt::Result {
    writeln!(out, "# idem: {}\n", view.headline())?;
    for (name, fact) in &view.facts {
        writeln!(out, "- {name}: {}", plain(fact))?;
    }
    writeln!(out, "\n| check | verdict | req | charg | uniq | dup | lost | evidence |")?;
    writeln!(out, "| :-- | :-- | --: | --: | --: | --: | --: | :-- |")?;
    for line in &view.rows {
        write!(out, "| `{}` | {} |", line.row.check.name, line.verdict())?;
        for (_, figure) in line.row.figures().named() {
            write!(out, " {figure} |")?;
        }
        writeln!(out, " {} |", plain(&line.said))?;
    }
    view.told().into_iter().try_for_each(|line| finding(out, line))?;
    points(out, view)?;
    if !view.profile.is_empty() {
        writeln!(out, "\n## What the standard leaves open\n")?;
        view.profile.iter().try_for_each(|(name, said)| writeln!(out, "- {name}: {}", plain(said)))?;
    }
    if !view.explored.is_empty() {
        writeln!(out, "\n## The exploration\n\n{}", fenced("text", &view.explored))?;
    }
    Ok(())
}

fn finding(out: &mut String, line: &Line) -> std::fmt::Result {
    let check = line.row.check;
    writeln!(out, "\n## `{}`: {}\n\n{}\n", check.name, line.verdict(), plain(&line.said))?;
    writeln!(out, "- provoked: {}", plain(check.provokes))?;
    if line.row.verdict.is_finding() {
        writeln!(out, "- means: {}", plain(check.means))?;
        writeln!(out, "- **usual cure: {}**", plain(check.cure))?;
    }
    line.shown.as_ref().map_or(Ok(()), |shown| case(out, shown))
}

fn case(out: &mut String, shown: &Shown) -> std::fmt::Result {
    if !shown.schedule.is_empty() {
        writeln!(out, "\nSteps:\n\n{}", fenced("text", &shown.schedule))?;
    }
    let steps = shown.steps.iter().map(Step::line);
    let receipts = shown.receipts.iter().enumerate().map(|(n, receipt)| format!("r{} = {receipt}", n + 1));
    let lines: Vec<_> = steps.chain(receipts).collect();
    writeln!(out, "\nTime line ({}):\n\n{}", plain(&shown.label), fenced("text", &lines))?;
    writeln!(out, "\nBy hand{}:\n\n{}", shown.lacking, fenced("sh", &shown.curl))
}

fn points(out: &mut String, view: &View) -> std::fmt::Result {
    writeln!(out, "\n## The twelve points\n\n| | point | | by |\n| --: | :-- | :-- | :-- |")?;
    for (n, point) in POINTS.iter().enumerate() {
        let (standing, by) = standing(point, &view.report.rows);
        writeln!(out, "| {} | {} | {standing} | {} |", n + 1, plain(point.asks), plain(&by))?;
    }
    Ok(())
}

/// Text that is nothing but text. It never stands at the begin of a line, so what only means something there may stay.
fn plain(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '~' | '&' | '$') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    // Neither an address nor a mention is made of it.
    escaped.replace("://", ":\\//").replace('@', "@\u{200b}")
}

/// A block of code whose fence is longer than any in it.
fn fenced(language: &str, lines: &[String]) -> String {
    let longest = lines.iter().flat_map(|line| line.split(|c| c != '`')).map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_ends_no_cell_and_makes_no_markup() {
        assert_eq!(plain("a|b `c` <img> [x](y) $z$"), r"a\|b \`c\` \<img\> \[x\](y) \$z\$");
        assert_eq!(plain("http://a @b"), "http:\\//a @\u{200b}b");
    }

    #[test]
    fn a_fence_is_longer_than_any_in_the_block() {
        assert_eq!(fenced("sh", &["a".into()]), "```sh\na\n```");
        assert_eq!(fenced("sh", &["````".into()]), "`````sh\n````\n`````");
    }
}
