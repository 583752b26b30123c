//! Saved schedules, played again. Invariant: a row is OK only where the schedule landed whole and broke nothing.

use tokio::time::Instant;

use super::file::Saved;
use super::finding::{CHAOS, Finding};
use super::habits::Habits;
use super::trial::Ground;
use crate::target::drive::session::Session;
use crate::target::judge::verdict::Verdict;
use crate::target::run::row::Row;

/// Plays each until it breaks something, as often as it takes to believe that it does not.
pub async fn replay(session: &Session, saved: &[Saved], rows: &mut Vec<Row>) {
    let habits = Habits::default();
    let ground = Ground::new(session, &habits, session.options.lease);
    for one in saved {
        let row = match once(&ground, one).await {
            Ok(Some(finding)) => finding.into_row(rows.len(), &session.options.accept),
            Ok(None) => Row::undriven(&CHAOS, Verdict::Ok, format!("{} plays broke nothing", one.plays())),
            Err(why) => Row::undriven(&CHAOS, Verdict::Error, why),
        };
        rows.push(Row { schedule: Some(one.schedule.clone()), ..row });
    }
}

/// None where no play breaks anything.
///
/// # Errors
/// Says that it could not be carried out, what no play showed, or that a step never landed.
async fn once(ground: &Ground<'_>, saved: &Saved) -> Result<Option<Finding>, String> {
    let since = Instant::now();
    let (mut whole, mut unproven) = (false, None);
    for play in 1..=saved.plays() {
        let trial = ground.try_one(&saved.schedule).await?;
        if trial.verdict.is_finding() {
            return Ok(Some(Finding {
                verdict: trial.verdict,
                schedule: saved.schedule.clone(),
                trial,
                broke: 1,
                of: play,
                drawn: None,
                stopped: None,
                seen_again: 0,
                elapsed: since.elapsed(),
            }));
        }
        match trial.shows_nothing() {
            Some(why) => unproven = Some(why),
            None => whole |= trial.landed(),
        }
    }
    let nothing = || "no play landed with all its steps: what did not land proves nothing".to_string();
    if whole { Ok(None) } else { Err(unproven.unwrap_or_else(nothing)) }
}
