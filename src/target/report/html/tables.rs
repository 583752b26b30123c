//! The tables of the page: verdicts, the twelve points, what the standard leaves open, an exploration. Invariant: a table
//! is readable at any width, its cells named where its head is out of sight.

use std::fmt::Write;

use super::tone;
use crate::target::report::standing::{Standing, standing};
use crate::target::report::view::{Line, View};
use crate::terms::figures::Figures;
use crate::terms::points::POINTS;
use crate::text::page;
use crate::text::xml::escaped;

pub fn verdicts(out: &mut String, view: &View) -> std::fmt::Result {
    out.write_str("<section>\n<h2>The verdicts</h2>\n")?;
    page::columns(out, "check", Figures::default().named().map(|(name, _)| name))?;
    view.rows.iter().try_for_each(|line| verdict(out, line, view))?;
    out.write_str("</tbody>\n</table>\n</section>\n")
}

fn verdict(out: &mut String, line: &Line, view: &View) -> std::fmt::Result {
    let (name, tone) = (line.row.check.name, tone(line.row));
    // The article of that check has the name as its place.
    let is_told = view.told().iter().any(|told| told.row.check.name == name);
    match is_told {
        true => write!(out, r##"<tr class="{tone}"><th scope="row"><a href="#{name}"><code>{name}</code></a></th>"##)?,
        false => write!(out, r#"<tr class="{tone}" id="{name}"><th scope="row"><code>{name}</code></th>"#)?,
    }
    page::figures(out, &line.row.figures().named(), tone == "finding")?;
    write!(out, r#"<td class="told"><span class="verdict {tone}">{}</span> "#, line.verdict())?;
    writeln!(out, "{}</td></tr>", escaped(&line.said))
}

pub fn points(out: &mut String, view: &View) -> std::fmt::Result {
    out.write_str(
        "<section>\n<h2>The twelve points</h2>\n<p class=\"lead\">What keeps a side effect to once, and what this probe \
         shows of it. Held is only what all checks of a point have shown.</p>\n<ol class=\"points\">\n",
    )?;
    for point in &POINTS {
        let (standing, by) = standing(point, &view.report.rows);
        let tone = match standing {
            Standing::Broken => "finding",
            Standing::Held => "ok",
            Standing::NotShown => "skipped",
        };
        write!(
            out,
            "<li><span class=\"verdict {tone}\">{standing}</span> <span class=\"asks\">{}</span> ",
            escaped(point.asks)
        )?;
        writeln!(out, "<span class=\"by\">{}</span></li>", escaped(&by))?;
    }
    out.write_str("</ol>\n</section>\n")
}

pub fn profile(out: &mut String, view: &View) -> std::fmt::Result {
    if view.profile.is_empty() {
        return Ok(());
    }
    out.write_str("<section>\n<h2>What the standard leaves open</h2>\n<dl class=\"facts\">")?;
    for (name, said) in &view.profile {
        write!(out, "<div><dt>{name}</dt><dd>{}</dd></div>", escaped(said))?;
    }
    out.write_str("</dl>\n</section>\n")
}

pub fn explored(out: &mut String, view: &View) -> std::fmt::Result {
    if view.explored.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "<section>\n<h2>The exploration</h2>\n<pre tabindex=\"0\"><code>{}</code></pre>\n</section>",
        escaped(&view.explored.join("\n"))
    )
}
