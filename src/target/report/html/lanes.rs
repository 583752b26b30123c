//! The lanes of a drawing, and what stands in them. Invariant: what others wrote is escaped here before it is drawn.

use std::fmt::Write;
use std::time::Duration;

use super::step::Request;
use crate::target::report::timeline::Step;
use crate::text::xml::escaped;

/// Where time begins, right of the lanes' names.
pub const LEFT: f64 = 88.0;
/// A bar's height.
pub const BAR: f64 = 20.0;
const BETWEEN: f64 = 5.0;
/// Characters of a bar's label.
const LABEL: usize = 22;

/// Where each lane stands: the top of bars, the middle of marks and dots.
pub struct Lanes {
    pub client: f64,
    pub proxy: f64,
    /// What happens beside one order's requests; below the picture where nothing does.
    pub meanwhile: f64,
    pub target: f64,
    pub ledger: f64,
    /// The bottom.
    pub axis: f64,
    has_meanwhile: bool,
    rows: (usize, usize),
}

impl Lanes {
    /// For so many rows of bars in the client's and the target's lane, and of dots in the ledger's.
    pub fn new(rows: (usize, usize), ledger_rows: usize, has_meanwhile: bool) -> Lanes {
        let bars = |rows: usize| rows as f64 * (BAR + BETWEEN) - BETWEEN;
        let client = 12.0;
        let proxy = client + bars(rows.0) + 32.0;
        let meanwhile = proxy + if has_meanwhile { 34.0 } else { 0.0 };
        let target = meanwhile + 22.0;
        let ledger = target + bars(rows.1) + 26.0;
        let axis = ledger + (ledger_rows.max(1) - 1) as f64 * (BAR + 2.0) + 16.0;
        Lanes { client, proxy, meanwhile, target, ledger, axis, has_meanwhile, rows }
    }

    pub fn client_row(&self, request: &Request) -> f64 {
        self.client + request.client_row as f64 * (BAR + BETWEEN)
    }

    pub fn target_row(&self, request: &Request) -> f64 {
        self.target + request.target_row as f64 * (BAR + BETWEEN)
    }

    /// Their names, each on its ground.
    pub fn write(&self, out: &mut String, width: f64) -> std::fmt::Result {
        let bars = |rows: usize| rows as f64 * (BAR + BETWEEN) - BETWEEN;
        let band = |out: &mut String, name: &str, from: f64, to: f64| {
            write!(
                out,
                r#"<rect class="lane" x="0" y="{from:.1}" width="{width:.0}" height="{:.1}" rx="3"/>"#,
                to - from
            )?;
            write!(out, r#"<text class="name" x="10" y="{:.1}">{name}</text>"#, (from + to) / 2.0 + 4.0)
        };
        band(out, "client", self.client - 5.0, self.client + bars(self.rows.0) + 5.0)?;
        band(out, "proxy", self.proxy - 22.0, self.proxy + 12.0)?;
        if self.has_meanwhile {
            band(out, "meanwhile", self.meanwhile - 20.0, self.meanwhile + 12.0)?;
        }
        band(out, "target", self.target - 5.0, self.target + bars(self.rows.1) + 5.0)?;
        band(out, "ledger", self.ledger - 14.0, self.axis - 2.0)
    }
}

/// A bar from one place to another, with its top and its label.
pub fn bar(out: &mut String, class: &str, (from, to): (f64, f64), top: f64, label: &str) -> std::fmt::Result {
    let width = to - from;
    write!(out, r#"<rect class="bar {class}" x="{from:.1}" y="{top:.1}" width="{width:.1}" height="{BAR}" rx="3"/>"#)?;
    write!(out, r#"<text class="label" x="{:.1}" y="{:.1}">{}</text>"#, from + 7.0, top + 14.0, escaped(label))
}

/// What a pointer shows over a step.
pub fn hint(step: &Step) -> String {
    format!("<title>{}</title>", escaped(step.line().trim()))
}

/// Enough of it for a bar.
pub fn short(text: &str) -> String {
    match text.char_indices().nth(LABEL) {
        None => text.to_string(),
        Some(_) => text.chars().take(LABEL - 1).chain(['…']).collect(),
    }
}

/// What a label takes at most, in pixels.
pub fn width(label: &str) -> f64 {
    label.chars().map(|c| if c.is_ascii() { 6.6 } else { 12.0 }).sum()
}

/// Since the first request.
pub fn time(at: Duration) -> String {
    let ms = at.as_secs_f64() * 1e3;
    match ms {
        0.0 => "0".to_string(),
        ..9.95 => format!("{ms:.1} ms"),
        ..999.5 => format!("{ms:.0} ms"),
        _ => format!("{:.2} s", ms / 1e3),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_two_or_three_digits() {
        let times = [0, 40, 1200, 99_900, 250_400, 1_234_000].map(|us| time(Duration::from_micros(us)));
        assert_eq!(times, ["0", "0.0 ms", "1.2 ms", "100 ms", "250 ms", "1.23 s"]);
    }

    #[test]
    fn a_long_label_is_cut_between_characters() {
        assert_eq!(short("200 r1"), "200 r1");
        assert_eq!(short(&"é".repeat(30)), format!("{}…", "é".repeat(21)));
    }
}
