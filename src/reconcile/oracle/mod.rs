//! The user's own records, from which side effects are counted. Invariant: the items are read anew each time, and an
//! answer is either a whole reading or an error that says what could not be read.

mod given;
mod items;
mod several;
pub mod source;

use std::collections::HashMap;
use std::time::Duration;

use serde_json::Value;

pub use given::{Given, pointer};
pub use several::{Oracles, Readings};
pub use source::Source;

use crate::http::header::Header;

/// Where and how to count.
#[derive(Debug, Clone)]
pub struct Oracle {
    pub source: Source,
    /// JSON pointer to the array in a ledger that is one object; None: lines, or an array.
    pub items_at: Option<String>,
    /// JSON pointer to the intent in an item.
    pub intent_at: String,
    /// How late an item may show, beyond the fence.
    pub lag: Duration,
}

/// What the ledger held at one moment.
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    /// Items of all intents, old ones too.
    pub items: usize,
    /// Items by intent.
    counts: HashMap<String, u64>,
    /// The last item as it stands, shortened; None where there is none.
    last: Option<String>,
}

impl Oracle {
    pub fn is_none(&self) -> bool {
        matches!(self.source, Source::None)
    }

    /// Headers of the ledger's GET.
    pub fn headers(&self) -> impl Iterator<Item = &Header> {
        match &self.source {
            Source::Url { headers, .. } => headers.iter(),
            Source::File(_) | Source::Command(_) | Source::None => [].iter(),
        }
    }

    /// Reads the ledger as it is now.
    ///
    /// # Errors
    /// Says which source could not be read, or which line is no JSON.
    pub async fn read(&self) -> Result<Ledger, String> {
        let mut tries = 0;
        loop {
            let text = self.source.text().await?;
            match items::parse(&text, self.items_at.as_deref()) {
                Ok(items) => return Ok(Ledger::new(&items, &self.intent_at)),
                // An array that is being rewritten, or grows, has no end for a moment.
                Err(items::Bad::Unfinished(_)) if tries < 20 => tries += 1,
                Err(bad) => return Err(format!("{}: {bad}", self.source)),
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
    }

    /// Why a ledger that was read does not show an intent.
    pub fn explain(&self, ledger: &Ledger, intent: &str) -> String {
        let (at, items) = (&self.intent_at, ledger.items);
        let looked =
            format!("no ledger item names intent {intent}, looked at {at} in {items} items of {}", self.source);
        match &ledger.last {
            Some(last) => format!("{looked}; the last one is {last}"),
            None => looked,
        }
    }
}

impl Ledger {
    pub fn new(items: &[Value], intent_at: &str) -> Ledger {
        let mut counts = HashMap::new();
        for intent in items.iter().filter_map(|item| item.pointer(intent_at)).filter_map(text) {
            *counts.entry(intent).or_insert(0) += 1;
        }
        Ledger {
            items: items.len(),
            counts,
            last: items.last().map(|item| item.to_string().chars().take(200).collect()),
        }
    }

    /// Charges of an intent.
    pub fn charges(&self, intent: &str) -> u64 {
        self.counts.get(intent).copied().unwrap_or(0)
    }
}

/// A name as text; None for what is no name.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_by_intent_and_says_where_it_looked() {
        let items = [r#"{"o":{"id":"a"}}"#, r#"{"o":{"id":"a"}}"#, r#"{"o":{"id":"b"}}"#]
            .map(|t| serde_json::from_str(t).unwrap());
        let ledger = Ledger::new(&items, "/o/id");
        assert_eq!((ledger.charges("a"), ledger.charges("b"), ledger.charges("c")), (2, 1, 0));
        let oracle = Oracle {
            source: Source::File("l.jsonl".into()),
            items_at: None,
            intent_at: "/intent".into(),
            lag: Duration::ZERO,
        };
        let why = oracle.explain(&Ledger::new(&items, "/intent"), "x");
        assert!(why.contains("no ledger item names intent x, looked at /intent in 3 items"), "{why}");
        assert!(why.ends_with(r#"the last one is {"o":{"id":"b"}}"#), "{why}");
    }
}
