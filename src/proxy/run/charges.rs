//! What the records say of the intents of one run. Invariant: the verdict comes from the records alone; what the client
//! sent only says whose doing it is. An intent that was charged before the run gets no verdict.

use super::intents::{Intent, Keys};
use crate::reconcile::oracle::{Ledger, Oracle};
use crate::reconcile::tally::{Finding, IntentTally, Totals};

/// One intent that was not charged once.
#[derive(Debug, PartialEq, Eq)]
pub struct Verdict {
    pub finding: Finding,
    pub intent: String,
    pub charges: u64,
    pub attempts: usize,
    /// Whose doing it is.
    pub why: &'static str,
}

/// The count of one run.
#[derive(Default)]
pub struct Charges {
    pub totals: Totals,
    pub verdicts: Vec<Verdict>,
    /// Why some of it could not be judged, and what to do.
    pub doubts: Vec<String>,
}

impl Charges {
    pub fn count(intents: &[Intent], before: &Ledger, after: &Ledger, oracle: &Oracle) -> Charges {
        let mut tally = IntentTally::default();
        let (old, new): (Vec<_>, Vec<_>) = intents.iter().partition(|intent| before.charges(intent.name) > 0);
        let charged = |intent: &Intent| after.charges(intent.name);
        for intent in &new {
            if !intent.is_refused() {
                tally.expect(intent.name);
            }
            (0..charged(intent)).for_each(|_| tally.charge(intent.name));
        }
        let mut charges = Charges { totals: tally.totals(), ..Charges::default() };
        // Records of other names may be these charges, or other records: then nothing is proven by their absence.
        let is_empty = after.items == 0 && new.iter().any(|intent| intent.is_answered());
        let is_blind = charges.totals.committed == 0 && (after.items > before.items || is_empty);
        if let Some(first) = new.first().filter(|_| is_blind) {
            charges.doubts.push(format!("{}; say with --ledger-intent-at where", oracle.explain(after, first.name)));
        }
        if let Some(first) = old.first() {
            charges.doubts.push(format!(
                "{} of {} intents were charged before the run, as {}, and are not judged: name them anew in each run, by \
                 IDEM_RUN",
                old.len(),
                intents.len(),
                first.name
            ));
        }
        for offender in tally.offenders() {
            let intent = new.iter().find(|intent| intent.name == offender.intent);
            let Some(intent) = intent else { continue };
            for finding in offender.findings().filter(|finding| !(is_blind && *finding == Finding::Lost)) {
                let Some(why) = why(finding, intent) else { continue };
                let (charges_of, attempts) = (offender.charges, intent.attempts.len());
                let name = intent.name.to_owned();
                charges.verdicts.push(Verdict { finding, intent: name, charges: charges_of, attempts, why });
            }
        }
        if is_blind {
            charges.totals.lost = 0;
        }
        charges
    }
}

/// None for a charge of what was refused in the end: whether that is wrong, the refusal does not say.
fn why(finding: Finding, intent: &Intent) -> Option<&'static str> {
    match finding {
        Finding::Duplicate => Some(match intent.keys() {
            Keys::OneAttempt => "the client sent one attempt: the server's doing",
            Keys::Same => "every attempt had the same key: the server's doing",
            Keys::Missing => "a retry without a key: the client's doing",
            Keys::Changed => "a retry under another key: the client's doing",
        }),
        Finding::Lost if intent.is_answered() => Some("the client was told of a success: the server's doing"),
        Finding::Lost => Some("the client gave up: nobody has charged, and nobody tries again"),
        // No amounts are read here.
        Finding::Unexpected | Finding::AmountDiffers => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::proxy::said::ReplyRules;
    use std::time::{Duration, SystemTime};

    use serde_json::json;

    use super::*;
    use crate::proxy::attempt_line::AttemptLine;
    use crate::proxy::event::EventKind;
    use crate::proxy::fault_name::FaultName;
    use crate::proxy::run::intents::intents;
    use crate::reconcile::oracle::Source;

    fn ledger(names: &[&str]) -> Ledger {
        Ledger::new(&names.iter().map(|name| json!({ "intent": name })).collect::<Vec<_>>(), "/intent")
    }

    /// Attempts of one intent that were answered so, each with its key.
    fn count(attempts: &[(u16, &str)], before: &[&str], after: &[&str]) -> Charges {
        let line = |(number, (status, key)): (u32, &(u16, &str))| {
            let key = (!key.is_empty()).then(|| (*key).to_owned());
            let intent = Some(("a".to_owned(), number));
            let mut line = AttemptLine::new(SystemTime::UNIX_EPOCH, intent, key, FaultName::None);
            line.observe(
                &EventKind::ReplySent { status: *status, reply: None, retry_after: None },
                &ReplyRules { receipt_at: "/receipt".parse().unwrap(), of_tools: false },
            );
            line
        };
        let lines: Vec<_> = (1..).zip(attempts).map(line).collect();
        let oracle = Oracle {
            source: Source::File("l".into()),
            items_at: None,
            intent_at: "/intent".into(),
            lag: Duration::ZERO,
        };
        Charges::count(&intents(&lines), &ledger(before), &ledger(after), &oracle)
    }

    #[test]
    fn the_verdict_is_the_records_and_the_blame_follows_the_keys() {
        for (attempts, charges, verdict) in [
            (&[(200, "k")][..], 1, None),
            (&[(200, "k")], 2, Some((Finding::Duplicate, "one attempt: the server's"))),
            (&[(500, "k"), (200, "k")], 2, Some((Finding::Duplicate, "the same key: the server's"))),
            (&[(500, "k"), (200, "l")], 2, Some((Finding::Duplicate, "under another key: the client's"))),
            (&[(500, "k"), (200, "")], 2, Some((Finding::Duplicate, "without a key: the client's"))),
            (&[(500, ""), (200, "k")], 2, Some((Finding::Duplicate, "under another key: the client's"))),
            (&[(503, "k")], 0, Some((Finding::Lost, "the client gave up"))),
            (&[(200, "k"), (503, "k")], 0, Some((Finding::Lost, "told of a success: the server's"))),
            (&[(503, "k"), (402, "k")], 0, None),
            (&[(402, "k"), (503, "k")], 0, Some((Finding::Lost, "the client gave up"))),
            (&[(400, "k")], 1, None),
            (&[(400, "k")], 2, Some((Finding::Duplicate, "one attempt: the server's"))),
        ] {
            let after = [&["z"][..], &vec!["a"; charges]].concat();
            let counted = count(attempts, &["z"], &after);
            let told: Vec<_> = counted.verdicts.iter().map(|verdict| (verdict.finding, verdict.why)).collect();
            assert_eq!(told.len(), usize::from(verdict.is_some()), "{attempts:?} {charges}: {told:?}");
            if let Some((finding, why)) = verdict {
                assert!(told[0].0 == finding && told[0].1.contains(why), "{attempts:?} {charges}: {told:?}");
            }
            assert!(counted.doubts.is_empty() && counted.totals.committed == charges as u64);
        }
    }

    #[test]
    fn what_the_records_cannot_tell_is_doubted_and_not_judged() {
        for (attempts, before, after, doubts, lost) in [
            (&[(200, "k")][..], &["z"][..], &["z", "y"][..], 1, 0),
            (&[(200, "k")], &[], &[], 1, 0),
            (&[(503, "k")], &[], &[], 0, 1),
            (&[(200, "k")], &["z"], &["z"], 0, 1),
            (&[(200, "k")], &["a"], &["a", "a", "a"], 1, 0),
            (&[(200, "k")], &[], &["a", "y"], 0, 0),
        ] {
            let counted = count(attempts, before, after);
            let told = (counted.doubts.len(), counted.totals.lost, counted.verdicts.len());
            assert_eq!(told, (doubts, lost, lost as usize), "{attempts:?} {before:?} {after:?}");
        }
    }
}
