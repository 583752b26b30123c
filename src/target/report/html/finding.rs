//! A finding on the page: what was seen, why, the drawn time line with its steps, and the requests by hand. Invariant: all
//! that the drawing shows is in the list of steps too, in words.

use std::fmt::Write;

use super::drawing::drawing;
use super::tone;
use crate::target::report::timeline::Step;
use crate::target::report::view::{Line, Shown};
use crate::text::xml::escaped;

pub fn legend(out: &mut String) -> std::fmt::Result {
    let swatch = |shape: &str| format!(r#"<svg class="line" width="26" height="16" viewBox="0 0 26 16">{shape}</svg>"#);
    let signs = [
        (
            r#"<rect class="bar settled" x="1" y="2" width="24" height="12" rx="3"/>"#,
            "request that was answered with a success",
        ),
        (
            r#"<rect class="bar open" x="1" y="2" width="24" height="12" rx="3"/>"#,
            "request that the client has to ask again",
        ),
        (r#"<g class="mark fault"><path d="M13 2l6 6l-6 6l-6 -6z"/></g>"#, "fault"),
        (r#"<g class="mark"><path d="M13 4l4 4l-4 4l-4 -4z"/></g>"#, "step of the proxy"),
        (r#"<circle class="charge" cx="13" cy="8" r="6"/>"#, "charge"),
        (r#"<circle class="charge extra" cx="13" cy="8" r="6"/>"#, "charge beyond the first"),
    ];
    out.write_str("<ul class=\"legend\">")?;
    signs.iter().try_for_each(|(shape, means)| write!(out, "<li>{}{means}</li>", swatch(shape)))?;
    out.write_str("</ul>\n")
}

pub fn write(out: &mut String, line: &Line) -> std::fmt::Result {
    let (check, tone) = (line.row.check, tone(line.row));
    writeln!(out, "<article class=\"{tone}\" id=\"{}\">", check.name)?;
    writeln!(out, "<h3><code>{}</code> <span class=\"verdict {tone}\">{}</span></h3>", check.name, line.verdict())?;
    writeln!(out, "<p class=\"evidence\">{}</p>", escaped(&line.said))?;
    write!(out, "<dl class=\"why\"><div><dt>provoked</dt><dd>{}</dd></div>", escaped(check.provokes))?;
    if line.row.verdict.is_finding() {
        write!(out, "<div><dt>means</dt><dd>{}</dd></div>", escaped(check.means))?;
        write!(out, "<div class=\"cure\"><dt>usual cure</dt><dd>{}</dd></div>", escaped(check.cure))?;
    }
    out.write_str("</dl>\n")?;
    line.shown.as_ref().map_or(Ok(()), |shown| case(out, check.name, shown))?;
    out.write_str("</article>\n")
}

fn case(out: &mut String, check: &str, shown: &Shown) -> std::fmt::Result {
    if !shown.schedule.is_empty() {
        out.write_str("<h4>steps that were drawn</h4>\n<ol class=\"drawn\">")?;
        shown.schedule.iter().try_for_each(|step| write!(out, "<li>{}</li>", escaped(step)))?;
        out.write_str("</ol>\n")?;
    }
    let title = format!("time line of {check}: {}", shown.label);
    write!(out, "<figure><div class=\"scroll\" tabindex=\"0\">{}</div>", drawing(&shown.steps, &title))?;
    writeln!(out, "<figcaption>{}</figcaption></figure>", escaped(&shown.label))?;
    out.write_str("<ol class=\"steps\">\n")?;
    shown.steps.iter().try_for_each(|told| step(out, told))?;
    out.write_str("</ol>\n")?;
    if !shown.receipts.is_empty() {
        out.write_str("<p class=\"receipts\">")?;
        for (receipt, n) in shown.receipts.iter().zip(1..) {
            write!(out, "<span>r{n} = <code>{}</code></span> ", escaped(receipt))?;
        }
        out.write_str("</p>\n")?;
    }
    write!(out, "<h4>by hand{}</h4>\n<pre class=\"curl\">", shown.lacking)?;
    shown.curl.iter().try_for_each(|line| write!(out, "<code>{}\n</code>", escaped(line)))?;
    out.write_str("</pre>\n")
}

fn step(out: &mut String, step: &Step) -> std::fmt::Result {
    write!(out, "<li><span class=\"who\">{}</span> <span class=\"what\">{}", step.who, escaped(&step.what))?;
    if step.times > 1 {
        write!(out, " ({} times)", step.times)?;
    }
    if !step.saw.is_empty() {
        write!(out, " <span class=\"saw\">→ {}</span>", escaped(&step.saw))?;
    }
    if let Some(saw) = &step.client_saw {
        let class = if step.has_reached() { "reached" } else { "altered" };
        write!(out, " <span class=\"{class}\">the client saw: {}</span>", escaped(saw))?;
    }
    out.write_str("</span>")?;
    if let Some((from, to)) = step.span {
        let ms = |time: std::time::Duration| time.as_secs_f64() * 1e3;
        match from == to {
            true => write!(out, " <span class=\"when\">{:.1} ms</span>", ms(from))?,
            false => write!(out, " <span class=\"when\">{:.1}–{:.1} ms</span>", ms(from), ms(to))?,
        }
    }
    out.write_str("</li>\n")
}
