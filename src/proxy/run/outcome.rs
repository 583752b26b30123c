//! One run, judged. Invariant: the readings are judged by classify and the charges by the records; nothing is judged here a
//! second time.

use super::charges::Charges;
use super::intents::{Intent, intents};
use super::trial::{Ending, Trial};
use crate::classify::findings::history::Budget;
use crate::classify::in_process::{Judged, judge};
use crate::proxy::fault_name::FaultName;
use crate::reconcile::oracle::Oracle;
use crate::terms::exit::Exit;

pub struct Outcome {
    /// What the run is called in reports.
    pub label: &'static str,
    pub fault: FaultName,
    pub trial: Trial,
    pub judged: Judged,
    /// None without a ledger.
    pub charges: Option<Charges>,
}

impl Outcome {
    /// # Errors
    /// A reading that is not one.
    pub fn new(
        trial: Trial,
        run: (&'static str, FaultName),
        budget: Budget,
        oracle: Option<&Oracle>,
    ) -> anyhow::Result<Outcome> {
        let lines: Vec<Vec<u8>> = trial.attempts.iter().map(|attempt| attempt.json()).collect();
        let judged = judge(&lines, budget)?;
        let charges = match (&trial.counted, oracle) {
            (Some((before, after)), Some(oracle)) => {
                Some(Charges::count(&intents(&trial.attempts), before, after, oracle))
            }
            (Some(_) | None, _) => None,
        };
        let (label, fault) = run;
        Ok(Outcome { label, fault, trial, judged, charges })
    }

    pub fn intents(&self) -> Vec<Intent<'_>> {
        intents(&self.trial.attempts)
    }

    /// Attempts that name an intent.
    pub fn attempts(&self) -> usize {
        self.trial.attempts.iter().filter(|attempt| attempt.intent().is_some()).count()
    }

    /// Whether the fault came about; true where there was to be none.
    pub fn is_hit(&self) -> bool {
        self.fault == FaultName::None || self.trial.attempts.iter().any(|attempt| attempt.is_faulted())
    }

    /// What was found, or could not be judged; without the command's own code.
    pub fn exit(&self) -> Exit {
        let found =
            self.judged.tally.fails(false) || self.charges.as_ref().is_some_and(|charges| !charges.verdicts.is_empty());
        let doubtful = self.charges.as_ref().is_some_and(|charges| !charges.doubts.is_empty());
        let nothing = if self.attempts() == 0 || !self.is_hit() { Exit::ZeroInput } else { Exit::Ok };
        let found = if found { Exit::Finding } else { Exit::Ok };
        found.and(if doubtful { Exit::Precondition } else { Exit::Ok }).and(nothing)
    }

    /// The command's own code; of a command that had to be ended, as timeout(1) has it.
    pub fn code(&self) -> u8 {
        match self.trial.ending {
            Ending::Ended(code) => code,
            Ending::TooManyAttempts | Ending::TooLong => 124,
        }
    }
}
