//! Attempts and ledger lines as text, grouped by intent. Invariant: a reading is printed as it was measured, with `None`
//! where there is none.

use std::io::{self, Write};

use super::Judged;
use crate::probe::attempt::ReadAttempt;
use crate::server::ledger::Charge;

/// Digits of a key that a ledger line shows.
const KEY_DIGITS: usize = 10;

pub fn write(out: &mut dyn Write, scenarios: &[Judged]) -> io::Result<()> {
    for judged in scenarios {
        let scenario = judged.setup.scenario;
        writeln!(out, "{} policy={} key={}", scenario.name, judged.setup.policy.name(), scenario.key)?;
        // Attempts and charges are both sorted by intent, so one pass over each goes through all of them.
        let (mut attempts, mut charges) = (judged.run.attempts.as_slice(), judged.run.charges.as_slice());
        while let Some(first) = attempts.first() {
            let intent = &first.intent;
            attempts = each_of(attempts, |attempt| &attempt.intent == intent, |line| attempt(out, line))?;
            let own = charges.iter().take_while(|charge| &charge.intent == intent).count();
            writeln!(out, "ledger lines: {own}")?;
            charges = each_of(charges, |charge| &charge.intent == intent, |line| charge(out, line))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Does `each` for the items at the front that are `own`, and gives the rest.
fn each_of<T>(items: &[T], own: impl Fn(&T) -> bool, mut each: impl FnMut(&T) -> io::Result<()>) -> io::Result<&[T]> {
    let end = items.iter().position(|item| !own(item)).unwrap_or(items.len());
    items[..end].iter().try_for_each(&mut each)?;
    Ok(&items[end..])
}

fn attempt(out: &mut dyn Write, attempt: &ReadAttempt) -> io::Result<()> {
    writeln!(
        out,
        "attempt={} status={} kind={:<9} replay={} retry={} intent={}",
        attempt.attempt,
        attempt.status.map_or("None".to_owned(), |status| status.to_string()),
        attempt.kind,
        attempt.replay.map_or("None", truth),
        truth(attempt.retry),
        attempt.intent,
    )
}

fn truth(value: bool) -> &'static str {
    if value { "True" } else { "False" }
}

fn charge(out: &mut dyn Write, charge: &Charge) -> io::Result<()> {
    let key = charge.key.as_deref().map_or("-", |key| key.get(..KEY_DIGITS).unwrap_or(key));
    writeln!(out, "intent={} amount={} receipt={} key={key}", charge.intent, charge.amount, charge.receipt)
}
