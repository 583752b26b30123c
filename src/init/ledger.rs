//! Where a ledger holds the intent that was just sent. Invariant: a place is told only where that very intent stands.

use crate::target::request::json;
use crate::text::ordered_json::OrderedJson;

/// JSON pointers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// To the array of items; None where they are lines, or the whole.
    pub items_at: Option<String>,
    /// Within an item.
    pub intent_at: String,
}

/// The place in the text of a ledger; None where the intent is not in it.
pub fn place(text: &str, intent: &str) -> Option<Place> {
    let documents = if json::leaves(text).is_some() { vec![text] } else { text.lines().rev().collect() };
    documents.into_iter().find_map(|document| {
        let leaves = json::leaves(document)?;
        let holds = |leaf: &OrderedJson| matches!(leaf, OrderedJson::Text(text) if text == intent);
        leaves.into_iter().find(|(_, leaf)| holds(leaf)).map(|(at, _)| split(&at))
    })
}

/// At the first array on the way.
fn split(at: &str) -> Place {
    let steps: Vec<&str> = at.split('/').skip(1).collect();
    let pointer = |steps: &[&str]| steps.iter().map(|step| format!("/{step}")).collect::<String>();
    let is_number = |step: &&str| step.bytes().all(|b| b.is_ascii_digit());
    match steps.iter().position(is_number) {
        None => Place { items_at: None, intent_at: at.to_owned() },
        Some(array) => {
            Place { items_at: (array > 0).then(|| pointer(&steps[..array])), intent_at: pointer(&steps[array + 1..]) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_intent_is_found_in_lines_arrays_and_objects() {
        for (text, items_at, intent_at) in [
            ("{\"order\":\"a\"}\n{\"meta\":{\"order\":\"i\"}}\n", None, "/meta/order"),
            ("{\"order\":\"i\"}", None, "/order"),
            ("[{\"o\":\"a\"},{\"o\":\"i\"}]", None, "/o"),
            (
                "{\"has_more\":false,\"data\":[{\"id\":1,\"metadata\":{\"order\":\"i\"}}]}",
                Some("/data"),
                "/metadata/order",
            ),
        ] {
            let found = Place { items_at: items_at.map(str::to_owned), intent_at: intent_at.to_owned() };
            assert_eq!(place(text, "i"), Some(found), "{text}");
        }
        assert_eq!(place("{\"order\":\"in\"}", "i"), None);
        assert_eq!(place("", "i"), None);
    }
}
