//! The report as one HTML page. Invariant: it holds all that it needs and no script; what others wrote is escaped where it
//! is written, and each part is readable at the width of a telephone.

mod axis;
mod drawing;
mod finding;
mod lanes;
mod step;
mod tables;

use std::fmt::Write;

use super::view::View;
use crate::target::judge::verdict::Verdict;
use crate::target::run::row::Row;
use crate::text::page;
use crate::text::xml::escaped;

/// What to read beside it.
const EXPLAINED: &str = "A name of this page is explained by <code>idem explain NAME</code>, what a probe does not show by \
                         <code>idem explain limits</code>.";

pub fn page(view: &View) -> String {
    let (mut out, headline) = (String::new(), view.headline());
    // Writing to a String cannot fail.
    let _ = page::write(&mut out, &headline, EXPLAINED, |out| body(out, view, &headline));
    out
}

fn body(out: &mut String, view: &View, headline: &str) -> std::fmt::Result {
    head(out, view, headline)?;
    out.write_str("<main>\n")?;
    tables::verdicts(out, view)?;
    findings(out, view)?;
    tables::points(out, view)?;
    tables::profile(out, view)?;
    tables::explored(out, view)?;
    out.write_str("</main>\n")
}

fn head(out: &mut String, view: &View, headline: &str) -> std::fmt::Result {
    writeln!(out, "<header class=\"page\">\n<p class=\"tool\">idem · does a charge happen exactly once?</p>")?;
    writeln!(out, "<h1>{headline}</h1>")?;
    out.write_str("<ol class=\"strip\" aria-label=\"the checks\">")?;
    for line in &view.rows {
        let (name, verdict) = (line.row.check.name, line.verdict());
        write!(out, r##"<li><a class="{}" href="#{name}" title="{name}: {verdict}">"##, tone(line.row))?;
        write!(out, "<span>{name}: {verdict}</span></a></li>")?;
    }
    out.write_str("</ol>\n<dl class=\"facts\">")?;
    for (name, fact) in &view.facts {
        write!(out, "<div><dt>{name}</dt><dd>{}</dd></div>", escaped(fact))?;
    }
    out.write_str("</dl>\n</header>\n")
}

fn findings(out: &mut String, view: &View) -> std::fmt::Result {
    let told = view.told();
    if told.is_empty() {
        return Ok(());
    }
    out.write_str("<section class=\"findings\">\n<h2>What went wrong, and what could not be shown</h2>\n")?;
    finding::legend(out)?;
    told.into_iter().try_for_each(|line| finding::write(out, line))?;
    out.write_str("</section>\n")
}

/// The class that colours a verdict.
fn tone(row: &Row) -> &'static str {
    match row.verdict {
        Verdict::Ok => "ok",
        Verdict::Skipped => "skipped",
        Verdict::Unproven | Verdict::Error => "unshown",
        _finding if row.accepted => "accepted",
        _finding => "finding",
    }
}
