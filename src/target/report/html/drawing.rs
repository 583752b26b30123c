//! A case as a drawn time line: lanes for client, proxy, target and ledger, requests as bars, what the proxy did as marks,
//! charges as dots. Invariant: each step is drawn once, under the number that it has in the list of steps.

use std::fmt::Write;

use super::axis::Axis;
use super::lanes::{BAR, LEFT, Lanes, bar, hint, time};
use super::step::{Mark, Request};
use crate::target::report::timeline::{Drawn, Step};
use crate::text::xml::escaped;

/// More charges of one intent are told by a number.
const DOTS: u64 = 12;

struct Drawing<'a> {
    requests: Vec<Request<'a>>,
    marks: Vec<Mark<'a>>,
    charges: Vec<(usize, u64)>,
    axis: Axis,
    /// Rows of the client's and the target's lane.
    rows: (usize, usize),
}

/// The steps as an `svg` element.
pub fn drawing(steps: &[Step], title: &str) -> String {
    let mut out = String::new();
    // Writing to a String cannot fail.
    let _ = Drawing::of(steps).write(&mut out, title);
    out
}

impl<'a> Drawing<'a> {
    fn of(steps: &'a [Step]) -> Drawing<'a> {
        let (mut requests, mut marks, mut charges) = (Vec::new(), Vec::new(), Vec::new());
        for (step, number) in steps.iter().zip(1..) {
            let span = step.span.unwrap_or_default();
            match &step.drawn {
                Drawn::Request(came) => requests.push(Request::of(number, step, came, span)),
                Drawn::Act { is_fault } => marks.push(Mark { number, step, at: span.0, is_fault: *is_fault }),
                Drawn::Charges(n) => charges.push((number, *n)),
            }
        }
        let spans: Vec<_> = requests.iter().flat_map(Request::spans).collect();
        let axis = Axis::new(&spans, &marks.iter().map(|mark| mark.at).collect::<Vec<_>>(), LEFT + 14.0);
        let mut drawing = Drawing { requests, marks, charges, axis, rows: (1, 1) };
        drawing.pack();
        drawing
    }

    /// Gives each bar a row in which nothing else stands at its time.
    fn pack(&mut self) {
        let (mut clients, mut targets) = (Vec::new(), Vec::new());
        for request in &mut self.requests {
            let (from, left, to) = (self.axis.x(request.from), self.axis.x(request.left), self.axis.x(request.to));
            request.client_row = free_row(&mut clients, from, left);
            if request.answered.is_some() {
                request.target_row = free_row(&mut targets, from, to);
            }
        }
        self.rows = (clients.len().max(1), targets.len().max(1));
    }

    fn write(&self, out: &mut String, title: &str) -> std::fmt::Result {
        let has_meanwhile = self.marks.iter().any(|mark| mark.step.who != "proxy");
        let lanes = Lanes::new(self.rows, self.charges.len(), has_meanwhile);
        let fence = self.axis.end() + 62.0;
        let most = self.charges.iter().map(|(_, n)| *n).max().unwrap_or(0);
        let width = fence + 84.0 + most.min(DOTS + 2) as f64 * 17.0;
        let height = lanes.axis + 24.0;
        write!(
            out,
            r#"<svg class="line" role="img" aria-label="{}" viewBox="0 0 {width:.0} {height:.0}" width="{width:.0}" height="{height:.0}">"#,
            escaped(title)
        )?;
        lanes.write(out, width)?;
        self.scale(out, &lanes, fence)?;
        self.requests.iter().try_for_each(|request| self.way(out, &lanes, request))?;
        self.requests.iter().try_for_each(|request| self.request(out, &lanes, request))?;
        for (mark, x) in self.marks.iter().zip(self.axis.marks()) {
            mark.write(out, x, if mark.step.who == "proxy" { lanes.proxy } else { lanes.meanwhile })?;
        }
        self.ledger(out, &lanes, fence)?;
        out.write_str("</svg>")
    }

    fn scale(&self, out: &mut String, lanes: &Lanes, fence: f64) -> std::fmt::Result {
        for (at, x) in self.axis.labelled(64.0) {
            write!(out, r#"<path class="tick" d="M{x:.1} 6V{:.1}"/>"#, lanes.axis)?;
            write!(out, r#"<text class="time" x="{x:.1}" y="{:.1}">{}</text>"#, lanes.axis + 15.0, time(at))?;
        }
        write!(out, r#"<path class="fence" d="M{fence:.1} 6V{:.1}"/>"#, lanes.axis)?;
        write!(out, r#"<text class="time" x="{:.1}" y="{:.1}">at the end</text>"#, fence + 5.0, lanes.axis + 15.0)
    }

    /// The request's way to the target, and the reply's as far as it came.
    fn way(&self, out: &mut String, lanes: &Lanes, request: &Request) -> std::fmt::Result {
        if request.answered.is_none() {
            return Ok(());
        }
        let (from, to) = (self.axis.x(request.from) + 5.0, self.axis.x(request.to) - 5.0);
        let (client, target) = (lanes.client_row(request) + BAR, lanes.target_row(request));
        write!(out, r#"<path class="way" d="M{from:.1} {client:.1}V{:.1}l-3 -5m3 5l3 -5"/>"#, target - 1.0)?;
        if !request.has_reply {
            return Ok(());
        }
        if request.has_reached {
            return write!(out, r#"<path class="way" d="M{to:.1} {target:.1}V{:.1}l-3 5m3 -5l3 5"/>"#, client + 1.0);
        }
        let stop = lanes.proxy;
        write!(out, r#"<path class="way lost" d="M{to:.1} {target:.1}V{stop:.1}m-4 -4l8 8m0 -8l-8 8"/>"#)
    }

    fn request(&self, out: &mut String, lanes: &Lanes, request: &Request) -> std::fmt::Result {
        let (from, left, to) = (self.axis.x(request.from), self.axis.x(request.left), self.axis.x(request.to));
        let class = if request.is_settled { "settled" } else { "open" };
        write!(out, r#"<g class="request" data-step="{}">{}"#, request.number, hint(request.step))?;
        bar(out, class, (from, left), lanes.client_row(request), &request.label())?;
        if let Some(answered) = &request.answered {
            let class = if request.has_reply { "target" } else { "target open" };
            bar(out, class, (from, to), lanes.target_row(request), answered)?;
        }
        out.write_str("</g>")
    }

    fn ledger(&self, out: &mut String, lanes: &Lanes, fence: f64) -> std::fmt::Result {
        if self.charges.is_empty() {
            let (x, y) = (fence + 12.0, lanes.ledger + 4.0);
            return write!(out, r#"<text class="note" x="{x:.1}" y="{y:.1}">not read</text>"#);
        }
        let rows = self.charges.iter().zip(0u8..);
        rows.map(|(told, n)| (told, lanes.ledger + f64::from(n) * (BAR + 2.0)))
            .try_for_each(|((number, charges), y)| charged(out, *number, *charges, (fence + 14.0, y)))
    }
}

/// The charges of one intent as dots, from a place on.
fn charged(out: &mut String, number: usize, charges: u64, (x, y): (f64, f64)) -> std::fmt::Result {
    write!(out, r#"<g class="charges" data-step="{number}" data-charges="{charges}">"#)?;
    write!(out, r#"<text class="number" x="{x:.1}" y="{:.1}">{number}</text>"#, y + 4.0)?;
    let place = |dot: u64| x + 20.0 + dot as f64 * 17.0;
    for dot in 0..charges.min(DOTS) {
        let class = if dot == 0 { "charge" } else { "charge extra" };
        write!(out, r#"<circle class="{class}" cx="{:.1}" cy="{y:.1}" r="6"/>"#, place(dot))?;
    }
    if charges == 0 {
        write!(out, r#"<circle class="none" cx="{:.1}" cy="{y:.1}" r="6"/>"#, place(0))?;
    }
    if charges > DOTS {
        let (x, y) = (place(DOTS) - 4.0, y + 4.0);
        write!(out, r#"<text class="note" x="{x:.1}" y="{y:.1}">+{}</text>"#, charges - DOTS)?;
    }
    out.write_str("</g>")
}

/// The first row in which nothing stands from there on, taken up to `to`.
fn free_row(rows: &mut Vec<f64>, from: f64, to: f64) -> usize {
    let row = rows.iter().position(|end| end + 4.0 <= from).unwrap_or(rows.len());
    if row == rows.len() {
        rows.push(to);
    }
    rows[row] = to;
    row
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::facts::case::{Act, Case, Rule, Seen};
    use crate::target::facts::fixtures::{case, success};
    use crate::target::report::timeline::steps;
    use std::time::Duration;

    fn drawn(case: &Case) -> String {
        drawing(&steps(case), "a <title>")
    }

    #[test]
    fn each_step_is_drawn_once_and_the_charges_as_dots() {
        let mut case = case("", Rule::Once, &["a"], vec![(0, success("r1")), (0, success("r2"))], &[3]);
        case.attempts[1].note = "retry".into();
        case.attempts[0].client = Some(Seen { what: "re<set".into(), at: Duration::from_millis(400) });
        case.acts.push(Act { who: "proxy", at: Duration::ZERO, what: "a & b".into(), is_fault: true });
        let svg = drawn(&case);
        let count = |part: &str| svg.matches(part).count();
        assert_eq!(
            (count("class=\"request\""), count("class=\"mark fault\""), count("class=\"charge extra\"")),
            (2, 1, 2)
        );
        assert!(svg.contains("re&lt;set") && svg.contains("a &amp; b") && svg.contains("a &lt;title&gt;"), "{svg}");
        assert!((1..=4).all(|n| count(&format!("data-step=\"{n}\"")) == 1), "{svg}");
        assert_eq!(count("class=\"way lost\""), 1, "the reply that did not reach the client ends at the proxy");
        assert!(svg.contains(">400 ms<"), "the client waited longer than the target took: {svg}");
    }

    #[test]
    fn a_reply_that_was_held_back_and_then_given_has_reached_the_client() {
        let mut case = case("", Rule::Once, &["a"], vec![(0, success("r1"))], &[1]);
        let mut drawn_as = |what: &str, ms: u64| {
            case.attempts[0].client = Some(Seen { what: what.into(), at: Duration::from_millis(ms) });
            let svg = drawn(&case);
            (svg.contains("bar settled"), svg.contains("way lost"))
        };
        assert_eq!(drawn_as("200", 1), (true, false));
        assert_eq!(drawn_as("200", 0), (false, true), "it had another copy's reply before this one was there");
        assert_eq!(drawn_as("502", 1), (false, true));
    }

    #[test]
    fn what_happened_meanwhile_has_a_lane_where_something_did() {
        let mut case = case("", Rule::Once, &["a"], vec![(0, success("r1"))], &[1]);
        assert!(!drawn(&case).contains(">meanwhile<"));
        case.acts.push(Act { who: "meanwhile", at: Duration::ZERO, what: "restart".into(), is_fault: true });
        let svg = drawn(&case);
        assert!(svg.contains(">meanwhile<") && svg.contains("meanwhile: restart"), "{svg}");
    }

    #[test]
    fn requests_at_one_time_stand_in_rows_of_their_own() {
        let mut rows = Vec::new();
        assert_eq!(
            [(0.0, 50.0), (20.0, 60.0), (55.0, 70.0)].map(|(from, to)| free_row(&mut rows, from, to)),
            [0, 1, 0]
        );
    }

    #[test]
    fn many_charges_are_told_by_a_number_and_none_by_a_ring() {
        let many = drawn(&case("", Rule::Once, &["a"], vec![(0, success("r1"))], &[40]));
        assert!(many.contains(">+28<") && many.matches("<circle").count() == 12, "{many}");
        let none = drawn(&case("", Rule::Once, &["a"], vec![(0, success("r1"))], &[0]));
        assert!(none.contains("class=\"none\"") && none.matches("<circle").count() == 1, "{none}");
    }
}
