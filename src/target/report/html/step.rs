//! What a drawing shows of each step: a request as a bar, what is done beside it as a mark. Invariant: a bar of the target
//! stands only for what is known to have come from it, or was waited for in vain.

use std::fmt::Write;
use std::time::Duration;

use super::axis::Span;
use super::lanes::{hint, short, width};
use crate::target::facts::answer::Class;
use crate::target::report::timeline::{Answered, Step};

/// One request.
pub struct Request<'a> {
    pub number: usize,
    pub step: &'a Step,
    pub from: Duration,
    /// When the target had answered, or it was given up.
    pub to: Duration,
    /// When the client had its end of it.
    pub left: Duration,
    /// What the target answered; None where nothing is known of it.
    pub answered: Option<String>,
    /// Whether that is a reply.
    pub has_reply: bool,
    /// Whether that is what the client saw.
    pub has_reached: bool,
    /// Whether the client may stop asking.
    pub is_settled: bool,
    pub client_row: usize,
    pub target_row: usize,
}

/// Something done beside the requests.
pub struct Mark<'a> {
    pub number: usize,
    pub step: &'a Step,
    pub at: Duration,
    pub is_fault: bool,
}

impl<'a> Request<'a> {
    pub fn of(number: usize, step: &'a Step, came: &Answered, (from, to): (Duration, Duration)) -> Request<'a> {
        let Answered { class, status, receipt, left } = came;
        let named = |status: u16| match receipt {
            Some(receipt) => format!("{status} {receipt}"),
            None => status.to_string(),
        };
        let answered = match class {
            Class::Success | Class::Named | Class::InFlight | Class::Failure | Class::Refusal => status.map(named),
            Class::Asks => Some("asks for input".into()),
            Class::Silence => Some("no reply".into()),
            Class::Unsent | Class::Withheld => None,
        };
        let has_reached = step.has_reached();
        // A bar has a length, however short it was.
        let least = from + Duration::from_nanos(1);
        Request {
            number,
            step,
            from,
            to: to.max(least),
            left: left.unwrap_or(to).max(least),
            answered,
            has_reply: status.is_some() && *class != Class::Silence,
            has_reached,
            is_settled: has_reached && matches!(class, Class::Success | Class::Named),
            client_row: 0,
            target_row: 0,
        }
    }

    /// What the client saw.
    pub fn label(&self) -> String {
        let saw = self.step.client_saw.clone().or(self.answered.clone()).unwrap_or_else(|| "not seen".into());
        let times = if self.step.times > 1 { format!(" ×{}", self.step.times) } else { String::new() };
        format!("{}  {}{times}", self.number, short(&saw))
    }

    pub fn spans(&self) -> [Span; 2] {
        let room = |label: &str| 16.0 + width(label);
        let target = self.answered.as_deref().map_or(0.0, room);
        [
            Span { from: self.from, to: self.left, room: room(&self.label()) },
            Span { from: self.from, to: self.to, room: target },
        ]
    }
}

impl Mark<'_> {
    pub fn write(&self, out: &mut String, x: f64, y: f64) -> std::fmt::Result {
        let class = if self.is_fault { "mark fault" } else { "mark" };
        write!(out, r#"<g class="{class}" data-step="{}">{}"#, self.number, hint(self.step))?;
        let size = if self.is_fault { 6.0 } else { 4.0 };
        write!(out, r#"<path d="M{x:.1} {:.1}l{size} {size}l-{size} {size}l-{size} -{size}z"/>"#, y - size)?;
        write!(out, r#"<text class="number" x="{x:.1}" y="{:.1}">{}</text></g>"#, y - 9.0, self.number)
    }
}
