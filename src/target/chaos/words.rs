//! A schedule in words, for a person. Invariant: a step reads the same in the list, in the time line and in a file.

use super::schedule::{Body, Schedule};
use super::step::{Difference, Mishap, Moment, Release, Step, Written};

/// The name of an order.
pub fn letter(order: usize) -> char {
    char::from(b'A' + (order % 26) as u8)
}

impl Schedule {
    /// All steps, numbered.
    pub fn words(&self) -> Vec<String> {
        (0..self.steps.len()).map(|n| self.step_words(n)).collect()
    }

    /// The nth step, counted from 0; its number is counted from 1.
    pub fn step_words(&self, n: usize) -> String {
        let step = &self.steps[n];
        let is_first = !self.steps[..n].iter().any(|before| before.order() == step.order() || *before == Step::Crowd);
        let what = match step {
            Step::Send { order, written, mishap } => {
                let what = if is_first { self.first(*order, written) } else { again(written) };
                format!("order {}: {what}{}", letter(*order), mishap.as_ref().map(mishap_words).unwrap_or_default())
            }
            Step::Race { order, copies, release, varied } => {
                let what = if is_first { self.first(*order, &Written::Same) } else { again(&Written::Same) };
                let varied = varied.as_ref().map(|label| format!("; the others varied: {label}")).unwrap_or_default();
                format!("order {}: {what}, {copies} copies, {}{varied}", letter(*order), release_words(*release))
            }
            Step::Crowd => "one request of each order, all at once".into(),
            Step::Principal { order } => format!("order {}: its key and body by the second principal", letter(*order)),
            Step::NoKey => "a request of its own without a key, twice".into(),
            Step::FreshKeys { count } => format!("{count} orders with keys of their own"),
            Step::Wait { ms } => format!("wait {ms} ms"),
            Step::AwaitItem { order } => format!("order {}: wait until the ledger shows its item", letter(*order)),
            Step::Disrupt { name } => format!("disrupt: {name}"),
            Step::Heal => "heal what is disrupted".into(),
            Step::Restart => "kill the server and start it again".into(),
            Step::RestartDuring { order, after } => {
                let what = if is_first { self.first(*order, &Written::Same) } else { again(&Written::Same) };
                format!("order {}: {what}, and kill the server {}", letter(*order), moment(*after))
            }
        };
        format!("{}. {what}", n + 1)
    }

    fn first(&self, order: usize, written: &Written) -> String {
        let made = match self.orders[order].body {
            Body::Plain => "",
            Body::Large => ", a large one",
            Body::FailsFirst => ", whose handler fails once before its charge",
            Body::FailsAfter => ", whose handler fails once after its charge",
        };
        let key = self.orders[order].key_alike.map(|alike| {
            format!(", under a key that differs from order {}'s in {alike}", letter(order.saturating_sub(1)))
        });
        let varied = match written {
            Written::Same => String::new(),
            Written::Varied(_) | Written::Refreshed | Written::Other(_) => format!(" ({})", again(written)),
        };
        format!("send its request{made}{}{varied}", key.unwrap_or_default())
    }
}

fn again(written: &Written) -> String {
    match written {
        Written::Same => "retry".into(),
        Written::Varied(label) => format!("retry, varied: {label}"),
        Written::Refreshed => "retry with the refreshed credential".into(),
        Written::Other(Difference::Amount) => "another amount under the same key".into(),
        Written::Other(Difference::Intent) => "another intent under the same key".into(),
        Written::Other(Difference::Leaf(at)) => format!("another value at {at} under the same key"),
    }
}

fn mishap_words(mishap: &Mishap) -> String {
    match mishap {
        Mishap::Cut { after, by } => format!("; its connection ends by {by} {}", moment(*after)),
        Mishap::HalfRequest { ms, by } => {
            format!("; only half of it comes, and the connection ends by {by} after {ms} ms")
        }
        Mishap::DropReply => "; the reply is lost".into(),
        Mishap::HoldReply => "; the reply is held until the client gives up".into(),
        Mishap::ErrorReply => "; the client gets 502 instead of the reply".into(),
        Mishap::HalfReply => "; only half of the reply comes".into(),
        Mishap::NeverSent => "; the client gets 503, and it never reaches the target".into(),
        Mishap::Twice { together: true } => "; it is delivered twice, together".into(),
        Mishap::Twice { together: false } => "; it is delivered again after its reply".into(),
        Mishap::Late => "; it is held back, a retry goes through, then it arrives".into(),
    }
}

fn release_words(release: Release) -> String {
    match release {
        Release::Together => "all at once".into(),
        Release::LastBytes => "their last bytes at once".into(),
        Release::After(percent) => format!("the others after {percent} % of the latency"),
    }
}

fn moment(moment: Moment) -> String {
    match moment {
        Moment::Micros(0) => "right after its last byte".into(),
        Moment::Micros(micros) => format!("{micros} µs after its last byte"),
        Moment::Percent(percent) => format!("{percent} % of the latency after its last byte"),
        Moment::ItemSeen => "when the ledger shows its item".into(),
    }
}
