//! The checklist's points that a client can be held to: 3, 9, 10 and 11. Invariant: `held` needs a run that would have
//! shown the opposite; what no run showed is called not shown.

use super::intents::{Intent, Keys};
use super::outcome::Outcome;
use super::trial::{Bound, Ending};
use crate::classify::findings::finder::{Finding, Kind};
use crate::classify::in_process::Logged;
use crate::console::printable::printable;
use crate::proxy::fault_name::FaultName;
use crate::terms::named::named_enum;

named_enum! {
    /// How a client stands to a point.
    pub enum Standing {
        Held = "held",
        Broken = "broken",
        NotShown = "not shown",
    }
}

/// One point of the checklist, by its number from 1.
pub struct Point {
    pub number: usize,
    pub standing: Standing,
    /// What showed it, or why nothing did.
    pub why: String,
}

/// All runs of an audit.
pub struct Audit {
    /// One under each fault, the one without first.
    pub faults: Vec<Outcome>,
    /// Killed when the server had replied, and run again.
    pub killed: Outcome,
    /// Every attempt answered 503.
    pub endless: Outcome,
    pub bound: Bound,
    /// What the client's own log shows. None where it was not named.
    pub logged: Option<Logged>,
    /// Whether the user gave the longest span.
    pub span_was_given: bool,
}

impl Audit {
    pub fn points(&self) -> [Point; 4] {
        let point = |number, (standing, why)| Point { number, standing, why };
        [point(3, self.key()), point(9, self.kinds()), point(10, self.budget()), point(11, self.log())]
    }

    pub fn runs(&self) -> impl Iterator<Item = &Outcome> {
        self.faults.iter().chain([&self.killed, &self.endless])
    }

    /// The key comes from the intent, once, stored before the call.
    fn key(&self) -> (Standing, String) {
        const KINDS: [Kind; 3] = [Kind::KeyRotated, Kind::NoKey, Kind::OneKeyTwoIntents];
        if let Some(why) = self.first(&KINDS) {
            return (Standing::Broken, why);
        }
        let intents = self.killed.intents();
        let hit = intents.iter().find(|intent| intent.attempts.iter().any(|attempt| attempt.is_faulted()));
        match hit.filter(|_| self.killed.trial.was_killed) {
            None => (Standing::NotShown, "the command could not be killed while it waited for a reply".to_owned()),
            Some(intent) => match intent.keys() {
                Keys::Same => (
                    Standing::Held,
                    "killed before it was told, and run again, the command sent the same key".to_owned(),
                ),
                Keys::Missing | Keys::Changed => {
                    (Standing::Broken, format!("killed and run again: intent {}: another key, or none", named(intent)))
                }
                Keys::OneAttempt => (
                    Standing::NotShown,
                    format!("killed and run again, the command did not send intent {} again", named(intent)),
                ),
            },
        }
    }

    /// 4xx is not retried; 408, 425, 429 and 5xx by kind.
    fn kinds(&self) -> (Standing, String) {
        if let Some(why) = self.first(&[Kind::RetriedRefusal, Kind::TooEarly]) {
            return (Standing::Broken, why);
        }
        let of = |fault| self.faults.iter().find(|outcome| outcome.fault == fault);
        if !of(FaultName::Refusal).is_some_and(Outcome::is_hit) {
            return (Standing::NotShown, "no attempt was refused".to_owned());
        }
        let retried = |fault| {
            let intents = of(fault).map(Outcome::intents).unwrap_or_default();
            let mut hit = intents.iter().filter(|intent| intent.attempts.iter().any(|attempt| attempt.is_faulted()));
            hit.any(|intent| intent.attempts.len() > 1)
        };
        match (retried(FaultName::Throttle), retried(FaultName::PreFail)) {
            (true, true) => {
                (Standing::Held, "a 400 was not sent again; a 429, after its Retry-After, and a 503 were".to_owned())
            }
            (false, true) => (Standing::NotShown, "a 400 was not sent again, but neither was a 429".to_owned()),
            (true, false) => (Standing::NotShown, "a 400 was not sent again, but neither was a 503".to_owned()),
            (false, false) => (Standing::NotShown, "nothing was sent again, whatever the answer".to_owned()),
        }
    }

    /// A retry budget with an upper bound.
    fn budget(&self) -> (Standing, String) {
        if let Some(why) = self.first(&[Kind::Budget]) {
            return (Standing::Broken, why);
        }
        let attempts = self.endless.intents().iter().map(|intent| intent.attempts.len()).max().unwrap_or(0);
        let Bound { attempts: most, span } = self.bound;
        match self.endless.trial.ending {
            _ if attempts == 0 => (Standing::NotShown, "no attempt was made".to_owned()),
            Ending::Ended(_) => {
                let took = self.endless.trial.took.as_secs_f64();
                (Standing::Held, format!("answered 503 for ever, it gave up: attempts {attempts}, after {took:.1} s"))
            }
            Ending::TooManyAttempts => {
                (Standing::Broken, format!("answered 503 for ever, it sent one intent more than {most} times"))
            }
            Ending::TooLong if self.span_was_given => {
                (Standing::Broken, format!("answered 503 for ever, it had not given up after {span:?}"))
            }
            Ending::TooLong => (
                Standing::NotShown,
                format!("still trying after {span:?}, attempts {attempts}; say with --max-span how long it may"),
            ),
        }
    }

    /// Each retry logs its number, same key: the wire shows the key, the client's log the number.
    fn log(&self) -> (Standing, String) {
        const KINDS: [Kind; 3] = [Kind::AttemptGap, Kind::KeyRotated, Kind::NoKey];
        if let Some(why) = self.first(&KINDS) {
            return (Standing::Broken, why);
        }
        let in_log =
            |logged: &Logged| logged.findings.iter().find(|(kind, _)| KINDS.iter().any(|k| k.name() == kind)).cloned();
        if let Some((kind, intent)) = self.logged.as_ref().and_then(in_log) {
            return (Standing::Broken, format!("the client's log: {kind}: intent {}", printable(&intent)));
        }
        let sent: usize = self.runs().flat_map(Outcome::intents).map(|intent| intent.attempts.len() - 1).sum();
        if sent == 0 {
            return (Standing::NotShown, "nothing was sent again".to_owned());
        }
        let keys = format!("all {sent} retries had their first attempt's key");
        match &self.logged {
            None => (Standing::NotShown, format!("{keys}; name the client's log with --client-log, for their numbers")),
            Some(Logged { retries: 0, .. }) => (Standing::NotShown, format!("{keys}; the log numbers none of them")),
            Some(Logged { retries, .. }) => (Standing::Held, format!("{keys}; the log numbers {retries} of them")),
        }
    }

    /// The first finding of these kinds, with its run.
    fn first(&self, kinds: &[Kind]) -> Option<String> {
        let mut found = self.runs().flat_map(|outcome| outcome.judged.findings.iter().map(move |f| (outcome, f)));
        let (outcome, finding) = found.find(|(_, finding)| kinds.contains(&finding.kind))?;
        let Finding { kind, about, .. } = finding;
        Some(format!("{}: {kind}: intent {}", outcome.label, printable(about)))
    }
}

fn named(intent: &Intent) -> String {
    printable(intent.name).into_owned()
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::*;
    use crate::classify::in_process::Judged;
    use crate::proxy::attempt_line::AttemptLine;
    use crate::proxy::run::trial::Trial;

    /// A run of one intent, whose first attempt was hit; the keys of its attempts, empty for none.
    fn run(fault: FaultName, keys: &[&str]) -> Outcome {
        let attempt = |(number, key): (u32, &&str)| {
            let key = (!key.is_empty()).then(|| (*key).to_owned());
            let hit = if number == 1 { fault } else { FaultName::None };
            AttemptLine::new(SystemTime::UNIX_EPOCH, Some(("a".to_owned(), number)), key, hit)
        };
        let attempts = (1..).zip(keys).map(attempt).collect();
        let trial =
            Trial { ending: Ending::Ended(0), was_killed: true, attempts, counted: None, took: Duration::from_secs(2) };
        Outcome { label: fault.name(), fault, trial, judged: Judged::default(), charges: None }
    }

    /// An audit of a client that retries once, always under its key.
    fn audit() -> Audit {
        let faults = [FaultName::PreFail, FaultName::Throttle].map(|fault| run(fault, &["k", "k"]));
        let faults = faults.into_iter().chain([run(FaultName::Refusal, &["k"])]).collect();
        Audit {
            faults,
            killed: run(FaultName::PostDrop, &["k", "k"]),
            endless: run(FaultName::PreFail, &["k", "k"]),
            bound: Bound { attempts: 9, span: Duration::from_secs(60) },
            logged: Some(Logged { retries: 1, findings: Vec::new() }),
            span_was_given: false,
        }
    }

    fn standings(audit: &Audit) -> [Standing; 4] {
        audit.points().map(|point| point.standing)
    }

    #[test]
    fn each_point_is_held_by_the_run_that_could_have_broken_it() {
        use Standing::{Broken, Held, NotShown};
        assert_eq!(standings(&audit()), [Held; 4]);
        let with = |change: &dyn Fn(&mut Audit)| {
            let mut audit = audit();
            change(&mut audit);
            standings(&audit)
        };
        let alone = |audit: &mut Audit, fault| {
            let row = audit.faults.iter_mut().find(|row| row.fault == fault).unwrap();
            *row = run(fault, &["k"]);
        };
        assert_eq!(with(&|audit| audit.killed.trial.was_killed = false)[0], NotShown);
        assert_eq!(with(&|audit| audit.killed = run(FaultName::PostDrop, &["k"]))[0], NotShown);
        assert_eq!(with(&|audit| audit.killed = run(FaultName::PostDrop, &["k", "l"]))[0], Broken);
        assert_eq!(with(&|audit| audit.killed = run(FaultName::PostDrop, &["k", ""]))[0], Broken);
        assert_eq!(with(&|audit| alone(audit, FaultName::Throttle))[1], NotShown);
        assert_eq!(with(&|audit| alone(audit, FaultName::PreFail))[1], NotShown);
        assert_eq!(with(&|audit| audit.faults.retain(|row| row.fault != FaultName::Refusal))[1], NotShown);
        assert_eq!(with(&|audit| audit.endless.trial.ending = Ending::TooManyAttempts)[2], Broken);
        assert_eq!(with(&|audit| audit.endless.trial.ending = Ending::TooLong)[2], NotShown);
        let given = |audit: &mut Audit| {
            (audit.endless.trial.ending, audit.span_was_given) = (Ending::TooLong, true);
        };
        assert_eq!(with(&given)[2], Broken);
        assert_eq!(with(&|audit| audit.endless = run(FaultName::PreFail, &[]))[2], NotShown);
        assert_eq!(with(&|audit| audit.logged = None)[3], NotShown);
        assert_eq!(with(&|audit| audit.logged = Some(Logged::default()))[3], NotShown);
        let gap = Logged { retries: 1, findings: vec![("attempt-gap".to_owned(), "a".to_owned())] };
        assert_eq!(
            with(&|audit| audit.logged = Some(Logged { findings: gap.findings.clone(), ..Logged::default() }))[3],
            Broken
        );
        let other = Logged { retries: 1, findings: vec![("unresolved".to_owned(), "a".to_owned())] };
        assert_eq!(
            with(&|audit| audit.logged = Some(Logged { retries: 1, findings: other.findings.clone() }))[3],
            Held
        );
    }

    #[test]
    fn a_finding_in_any_run_breaks_its_points() {
        for (kind, broken) in [
            (Kind::KeyRotated, &[3, 11][..]),
            (Kind::NoKey, &[3, 11]),
            (Kind::OneKeyTwoIntents, &[3]),
            (Kind::RetriedRefusal, &[9]),
            (Kind::TooEarly, &[9]),
            (Kind::Budget, &[10]),
            (Kind::AttemptGap, &[11]),
            (Kind::Unresolved, &[]),
        ] {
            let mut audit = audit();
            audit.faults[1].judged.findings.push(Finding { kind, about: "a".into(), lines: vec![1], detail: None });
            let points = audit.points();
            let told: Vec<_> = points.iter().filter(|point| point.standing == Standing::Broken).collect();
            assert_eq!(told.iter().map(|point| point.number).collect::<Vec<_>>(), broken, "{kind}");
            assert!(told.iter().all(|point| point.why == format!("throttle: {kind}: intent a")), "{kind}");
        }
    }
}
