//! The calls of a tool in words: which were made again, by which id, whether their arguments changed, and how many the
//! server was given. Invariant: it tells what the readings have; whether it was right is said elsewhere.

use super::intents::Intent;
use crate::console::printable::printable;

/// A line for each intent that was called more than once, and one for all. Empty where nothing was a tool's call.
pub fn calls(intents: &[Intent]) -> Vec<String> {
    let attempts = || intents.iter().flat_map(|intent| &intent.attempts).filter(|attempt| attempt.call().is_some());
    let made = attempts().count();
    if made == 0 {
        return Vec::new();
    }
    let (delivered, answered) =
        (attempts().map(|call| call.delivered()).sum::<u32>(), attempts().filter(|call| call.is_answered()).count());
    let again = intents.iter().filter(|intent| intent.attempts.len() > 1).map(again);
    let all = format!("calls: {made} of {} intents; to the server {delivered}, answered {answered}", intents.len());
    again.chain([all]).collect()
}

/// The calls of one intent after its first.
fn again(intent: &Intent) -> String {
    let ids: Vec<_> = intent.attempts.iter().map(|attempt| attempt.call().unwrap_or("no id")).collect();
    let retries = intent.attempts.iter().zip(&ids).enumerate().skip(1).map(|(n, (attempt, id))| {
        let same = if ids[..n].contains(id) { " once more" } else { "" };
        let arguments = match attempt.changed() {
            None | Some([]) => "the same arguments".to_owned(),
            Some(changed) => format!("other arguments ({})", changed.join(" ")),
        };
        format!("as {id}{same} with {arguments}")
    });
    let retries = retries.collect::<Vec<_>>().join(", ");
    let first = ids.first().copied().unwrap_or_default();
    format!("calls: intent {}: {}", printable(intent.name), printable(&format!("{first}, again {retries}")))
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;
    use crate::proxy::attempt_line::AttemptLine;
    use crate::proxy::fault_name::FaultName;
    use crate::proxy::run::intents::intents;

    #[test]
    fn what_was_made_again_is_told_with_its_ids_and_changes() {
        let line = |attempt: u32, call: &str, changed: Option<&[&str]>| {
            let changed = changed.map(|names| names.iter().map(|name| (*name).to_owned()).collect());
            AttemptLine::new(SystemTime::UNIX_EPOCH, Some(("a".to_owned(), attempt)), None, FaultName::None)
                .of_call(call.to_owned(), changed)
        };
        let lines = [line(1, "1", None), line(2, "2", Some(&[])), line(3, "1", Some(&["/key"]))];
        let told = "calls: intent a: 1, again as 2 with the same arguments, as 1 once more with other arguments (/key)";
        assert_eq!(calls(&intents(&lines)), [told, "calls: 3 of 1 intents; to the server 0, answered 0"]);
        let plain = AttemptLine::new(SystemTime::UNIX_EPOCH, Some(("a".to_owned(), 1)), None, FaultName::None);
        assert!(calls(&intents(&[plain])).is_empty());
    }
}
