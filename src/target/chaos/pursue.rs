//! A broken invariant followed up: played again with fresh keys, then shrunk, and the smallest schedule played again.
//! Invariant: it ends at its limit; what was not seen again is not called confirmed, and what was cut short says so.

use tokio::time::{Duration, Instant, timeout_at};

use super::finding::Finding;
use super::habits::Habits;
use super::schedule::Schedule;
use super::shrink::candidates;
use super::trial::{Ground, Trial};
use crate::target::drive::session::Session;
use crate::target::facts::answer::Class;
use crate::target::facts::case::{Case, Rule};
use crate::target::judge::invariants::judge;
use crate::target::judge::verdict::Verdict;
use crate::target::request::template::Call;

/// Plays that confirm what was found, and those that a rare fault gets.
const CONFIRM: usize = 3;
const CONFIRM_RARE: usize = 8;
/// While shrinking a key may stay in flight so long; the smallest schedule is confirmed with the promised lease.
const SHORT_LEASE: Duration = Duration::from_millis(1200);
/// A smaller schedule has to break the invariant so often.
const TWICE: usize = 2;
/// Why something was cut short.
const OVER: &str = "its time was over";

/// Where a broken invariant is followed up, and until when.
pub struct Pursuit<'a> {
    pub session: &'a Session,
    pub habits: &'a Habits,
    pub limit: Instant,
    /// What is known already.
    pub findings: &'a [Finding],
    /// Hears of each play.
    pub told: &'a dyn Fn(&str),
}

/// What came of it.
pub enum Pursued {
    Found(Finding),
    /// What is left of it when it shrinks is explained by the nth finding.
    Known(usize),
    /// It never came again, and proves nothing by itself.
    NeverAgain,
    /// It proves nothing by itself, and could not be played again.
    Undecided,
}

impl Pursuit<'_> {
    /// `nth` is the number of the schedule, `elapsed` how long the whole run took to come to it.
    pub async fn follow(&self, nth: u64, schedule: Schedule, trial: Trial, elapsed: Duration) -> Pursued {
        let verdict = trial.verdict;
        if let Some(known) = self.known_at_heart(&schedule, verdict).await {
            return Pursued::Known(known);
        }
        let since = Instant::now();
        let mut again = self.confirm(&schedule, verdict).await;
        if again.broke == 0 && !proves_itself(verdict) && !self.blames_key(&trial).await {
            return if again.stopped.is_none() { Pursued::NeverAgain } else { Pursued::Undecided };
        }
        let drawn = Some((nth, schedule.steps.len()));
        let (mut smallest, mut trial) = (schedule, again.last.take().unwrap_or(trial));
        let mut stopped = again.stopped.take().map(|why| format!("confirming was cut short: {why}"));
        if again.broke > 0 {
            let shrunk = self.shrink(&smallest, verdict, again.rate(), self.shrink_until(since.elapsed())).await;
            if let Some(known) = self.known(&shrunk.schedule, verdict) {
                return Pursued::Known(known);
            }
            stopped = shrunk.stopped.clone().map(|why| format!("shrinking was cut short: {why}"));
            if let Some((smaller, mut plays)) = self.shown(shrunk, verdict).await
                && let Some(last) = plays.last.take()
            {
                stopped = stopped.or(plays.stopped.take().map(|why| format!("confirming was cut short: {why}")));
                (smallest, trial, again) = (smaller, last, plays);
            }
        }
        let (schedule, Again { broke, of, .. }, seen_again) = (smallest, again, 0);
        Pursued::Found(Finding { verdict, schedule, trial, broke, of, drawn, stopped, seen_again, elapsed })
    }

    /// The smallest one is to be confirmed as well, which takes about as long as confirming took.
    fn shrink_until(&self, confirming: Duration) -> Instant {
        let left = self.limit.saturating_duration_since(Instant::now());
        self.limit - confirming.min(left / 3)
    }

    /// The smaller schedule with its plays: with the promised lease, or those of shrinking where there was no time for
    /// that. None where nothing smaller was found, or where it did not come again.
    async fn shown(&self, shrunk: Shrunk, verdict: Verdict) -> Option<(Schedule, Again)> {
        let mut plays = shrunk.plays?;
        let confirmed = self.confirm(&shrunk.schedule, verdict).await;
        match (confirmed.broke, &confirmed.stopped) {
            (0, None) => return None,
            (0, Some(_)) => plays.stopped = confirmed.stopped,
            (_, _) => plays = confirmed,
        }
        Some((shrunk.schedule, plays))
    }

    /// Which finding explains it. One that could not be shrunk to the end explains nothing: a smaller one may take its place.
    fn known(&self, schedule: &Schedule, verdict: Verdict) -> Option<usize> {
        self.findings.iter().position(|known| known.stopped.is_none() && known.explains(schedule, verdict))
    }

    /// Which finding explains a smaller schedule that breaks the same each time.
    async fn known_at_heart(&self, schedule: &Schedule, verdict: Verdict) -> Option<usize> {
        for candidate in candidates(schedule) {
            if let Some(known) = self.known(&candidate, verdict)
                && self.breaks(&candidate, verdict, 1.0, self.limit).await.is_ok_and(|plays| plays.broke == TWICE)
            {
                return Some(known);
            }
        }
        None
    }

    /// Plays it again with fresh keys; more often where it never came again at first.
    async fn confirm(&self, schedule: &Schedule, verdict: Verdict) -> Again {
        let mut again = Again::default();
        for times in [CONFIRM, CONFIRM_RARE - CONFIRM] {
            if again.broke > 0 || again.stopped.is_some() {
                break;
            }
            (self.told)("confirming");
            match self.played(&vec![schedule; times], self.session.options.lease, self.limit).await {
                Ok(trials) => trials.into_iter().for_each(|trial| again.add(trial, verdict)),
                Err(why) => again.stopped = Some(why),
            }
        }
        again
    }

    async fn played(&self, schedules: &[&Schedule], lease: Duration, until: Instant) -> Result<Vec<Trial>, String> {
        let ground = Ground::new(self.session, self.habits, lease);
        timeout_at(until, ground.try_all(schedules)).await.unwrap_or_else(|_| Err(OVER.into()))
    }

    /// Whether an order is refused for good whose request is taken under another key: that is due to its key, though keys
    /// like it may be rare.
    async fn blames_key(&self, trial: &Trial) -> bool {
        let sticky = trial.cases.iter().filter(|case| judge(case).verdict == Verdict::Sticky);
        for case in sticky.filter(|case| case.total() == Some(0)) {
            let own = case.calls[case.retried()].clone();
            let other = Call { keys: self.session.call("control").keys, ..own.clone() };
            let mut control = Case::new("control", Rule::Report, vec![own, other]);
            let asked = async {
                self.session.send(&mut control, 0, "its own key").await;
                self.session.send(&mut control, 1, "another key").await;
            };
            if timeout_at(self.limit, asked).await.is_err() {
                return false;
            }
            if control.attempts[0].answer.class == Class::Refusal && control.succeeded(1) {
                return true;
            }
        }
        false
    }

    /// The smallest schedule that still breaks it, or the first that a finding explains.
    async fn shrink(&self, schedule: &Schedule, verdict: Verdict, rate: f64, until: Instant) -> Shrunk {
        let mut shrunk = Shrunk { schedule: schedule.clone(), plays: None, stopped: None };
        'smaller: while self.known(&shrunk.schedule, verdict).is_none() {
            for candidate in candidates(&shrunk.schedule) {
                match self.breaks(&candidate, verdict, rate, until).await {
                    Ok(plays) if plays.broke == TWICE => {
                        (shrunk.schedule, shrunk.plays) = (candidate, Some(plays));
                        continue 'smaller;
                    }
                    Ok(_) => {}
                    Err(why) => return Shrunk { stopped: Some(why), ..shrunk },
                }
            }
            break;
        }
        shrunk
    }

    /// Plays it until it has broken the invariant twice. How many misses are borne follows from how often the schedule
    /// breaks it that was found.
    async fn breaks(&self, schedule: &Schedule, verdict: Verdict, rate: f64, until: Instant) -> Result<Again, String> {
        let lease = SHORT_LEASE.min(self.session.options.lease);
        let borne = if rate > 0.9 { 0 } else { (2.0 / rate) as usize };
        let mut again = Again::default();
        while again.broke < TWICE && again.of - again.broke <= borne {
            (self.told)("shrinking");
            let trials = self.played(&[schedule], lease, until).await?;
            trials.into_iter().for_each(|trial| again.add(trial, verdict));
        }
        Ok(again)
    }
}

/// The smallest schedule so far.
struct Shrunk {
    schedule: Schedule,
    /// Those that showed it; None where nothing smaller broke the invariant.
    plays: Option<Again>,
    /// Why it may not be the smallest of all; None where every smaller one was tried.
    stopped: Option<String>,
}

/// How often a schedule broke an invariant again.
#[derive(Default)]
struct Again {
    broke: usize,
    of: usize,
    last: Option<Trial>,
    /// Why it was not played as often as it should; None where it was.
    stopped: Option<String>,
}

impl Again {
    fn add(&mut self, trial: Trial, verdict: Verdict) {
        self.of += 1;
        if trial.verdict == verdict {
            self.broke += 1;
            self.last = Some(trial);
        }
    }

    fn rate(&self) -> f64 {
        self.broke as f64 / self.of as f64
    }
}

/// Whether one play proves it: a ledger and replies cannot contradict each other by chance, but a target may be slow.
fn proves_itself(verdict: Verdict) -> bool {
    match verdict {
        Verdict::Duplicate | Verdict::Lost | Verdict::Leaked | Verdict::Swallowed | Verdict::Changed => true,
        Verdict::Unsafe | Verdict::NotReadOnly => true,
        Verdict::Sticky | Verdict::Wedged => false,
        Verdict::Ok | Verdict::Skipped | Verdict::Unproven | Verdict::Error => false,
    }
}
