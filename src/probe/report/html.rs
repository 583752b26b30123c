//! The scenarios as one HTML page. Invariant: a row says what the table says.

use std::fmt::{Result, Write};

use super::table::difference;
use super::{Judged, ProbeReport};
use crate::probe::verdict::RowVerdict;
use crate::terms::figures::Figures;
use crate::text::page;
use crate::text::xml::escaped;

/// What to read beside it.
const EXPLAINED: &str = "A name of this page is explained by <code>idem explain NAME</code>. These are servers of its own: \
                         yours is judged by <code>idem probe --target URL</code>.";

pub fn page(report: &ProbeReport) -> String {
    let (mut out, headline) = (String::new(), report.headline());
    // Writing to a String cannot fail.
    let _ = page::write(&mut out, &headline, EXPLAINED, |out| body(out, report, &headline));
    out
}

fn body(out: &mut String, report: &ProbeReport, headline: &str) -> Result {
    writeln!(out, "<header class=\"page\">\n<p class=\"tool\">idem · does a charge happen exactly once?</p>")?;
    writeln!(out, "<h1>{headline}</h1>\n</header>\n<main>\n<section>\n<h2>The scenarios</h2>")?;
    page::columns(out, "scenario", Figures::default().named().map(|(name, _)| name))?;
    report.scenarios.iter().try_for_each(|judged| row(out, judged))?;
    writeln!(out, "</tbody>\n</table>\n</section>")?;
    for (name, why) in &report.failed {
        writeln!(out, "<p><code>{name}</code> could not be run: {}</p>", escaped(why))?;
    }
    out.write_str("</main>\n")
}

fn row(out: &mut String, judged: &Judged) -> Result {
    let (scenario, is_wrong) = (judged.setup.scenario, judged.verdict == RowVerdict::Mismatch);
    let tone = if is_wrong { "finding" } else { "ok" };
    write!(out, r#"<tr class="{tone}"><th scope="row"><code>{}</code></th>"#, scenario.name)?;
    page::figures(out, &judged.measured.named(), is_wrong)?;
    write!(out, r#"<td class="told"><span class="verdict {tone}">{}</span> "#, judged.verdict)?;
    let (policy, key) = (judged.setup.policy.name(), scenario.key);
    let told = format!("{}; policy {policy}, key {key}: {}", difference(judged).trim(), scenario.teaches);
    writeln!(out, "{}</td></tr>", escaped(told.trim_start_matches("; ")))
}
