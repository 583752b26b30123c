//! Schedules one after another until the time is over; what breaks an invariant is confirmed and shrunk. Invariant: a
//! finding was broken by the schedule that is shown, and what was seen once and never again is a finding only where the
//! ledger or the replies prove it by themselves.

use std::time::Duration;

use tokio::time::Instant;

use super::coverage::Coverage;
use super::draw::draw;
use super::finding::{Finding, MOST};
use super::habits::Habits;
use super::means::Means;
use super::schedule::Schedule;
use super::shrink::candidates;
use super::trial::{Ground, Trial};
use crate::target::drive::session::Session;
use crate::target::facts::answer::Class;
use crate::target::facts::case::{Case, Rule};
use crate::target::judge::invariants::judge;
use crate::target::judge::verdict::Verdict;
use crate::target::request::template::Call;
use crate::target::run::row::figures;
use crate::terms::figures::Figures;

/// Plays that confirm what was found, and those that a rare fault gets.
const CONFIRM: usize = 3;
const CONFIRM_RARE: usize = 8;
/// Shrinking may go on so long when the time is over.
const GRACE: Duration = Duration::from_secs(20);
/// While shrinking a key may stay in flight so long; the smallest schedule is confirmed with the promised lease.
const SHORT_LEASE: Duration = Duration::from_millis(1200);
/// After so many schedules in a row that hold a known finding one of them is played all the same.
const KNOWN_IN_A_ROW: usize = 60;
/// Schedules in a row that could not be carried out.
const FAILURES: usize = 3;

/// One exploration.
pub struct Explorer<'a> {
    pub session: &'a Session,
    habits: Habits,
    seed: u64,
    end: Instant,
    since: Instant,
    pub findings: Vec<Finding>,
    pub coverage: Coverage,
    /// Over all schedules played.
    pub figures: Figures,
    /// Schedules played, those of confirming and shrinking not counted.
    pub played: u64,
    /// Schedules that were not played since they hold a known finding.
    pub passed_over: u64,
    /// Verdicts that did not come again and prove nothing by themselves.
    pub unconfirmed: u64,
    /// Why it ended before its time; None where it did not.
    pub failure: Option<String>,
    /// Whether some schedule could be judged at all.
    pub is_proven: bool,
}

impl<'a> Explorer<'a> {
    pub fn new(session: &'a Session, seed: u64, time: Duration) -> Explorer<'a> {
        let since = Instant::now();
        Explorer {
            session,
            habits: Habits::default(),
            seed,
            end: since + time,
            since,
            findings: Vec::new(),
            coverage: Coverage::default(),
            figures: Figures::default(),
            played: 0,
            passed_over: 0,
            unconfirmed: 0,
            failure: None,
            is_proven: false,
        }
    }

    /// Explores until the time is over, or all rows are taken.
    pub async fn run(&mut self, means: &Means) {
        let (mut known_in_a_row, mut failures) = (0, 0);
        for n in 0.. {
            if Instant::now() >= self.end || self.findings.len() >= MOST {
                break;
            }
            let schedule = draw(self.seed, n, means);
            let is_known = self.findings.iter().any(|finding| schedule.holds(&finding.schedule));
            if is_known && known_in_a_row < KNOWN_IN_A_ROW {
                (known_in_a_row, self.passed_over) = (known_in_a_row + 1, self.passed_over + 1);
                continue;
            }
            known_in_a_row = 0;
            match self.one(n, schedule).await {
                Ok(()) => failures = 0,
                Err(why) if failures + 1 >= FAILURES => {
                    self.failure = Some(why);
                    break;
                }
                Err(_) => failures += 1,
            }
        }
    }

    fn ground(&self, lease: Duration) -> Ground<'_> {
        Ground { session: self.session, habits: &self.habits, lease }
    }

    async fn one(&mut self, n: u64, schedule: Schedule) -> Result<(), String> {
        let lease = self.session.options.lease;
        let trial = self.ground(lease).try_one(&schedule).await?;
        self.played += 1;
        self.coverage.add(&schedule, &trial.missed);
        self.figures += figures(&trial.cases);
        self.is_proven |= trial.verdict != Verdict::Unproven;
        if !trial.verdict.is_finding() {
            return Ok(());
        }
        if let Some(known) = self.findings.iter_mut().find(|known| known.explains(&schedule, trial.verdict)) {
            known.seen_again += 1;
            return Ok(());
        }
        self.found(n, schedule, trial).await
    }

    async fn found(&mut self, n: u64, schedule: Schedule, trial: Trial) -> Result<(), String> {
        let verdict = trial.verdict;
        let steps = schedule.steps.len();
        let mut again = self.confirm(&schedule, verdict).await?;
        if again.broke == 0 && !proves_itself(verdict) && !self.blames_key(&trial).await {
            self.unconfirmed += 1;
            return Ok(());
        }
        let (mut smallest, mut shown) = (schedule.clone(), again.last.take().unwrap_or(trial));
        if again.broke > 0 {
            let smaller = self.shrink(schedule, verdict, again.rate()).await?;
            let mut confirmed = self.confirm(&smaller, verdict).await?;
            if let Some(last) = confirmed.last.take() {
                (smallest, shown, again) = (smaller, last, confirmed);
            }
        }
        self.add(Finding {
            verdict,
            schedule: smallest,
            trial: shown,
            broke: again.broke,
            of: again.of,
            drawn: Some((n, steps)),
            seen_again: 0,
            elapsed: self.since.elapsed(),
        });
        Ok(())
    }

    /// Takes it up, unless its fault is known: then the smaller schedule stays.
    fn add(&mut self, found: Finding) {
        match self.findings.iter_mut().find(|known| known.is_like(&found)) {
            Some(known) => {
                let seen_again = known.seen_again + 1;
                if found.is_smaller(known) {
                    *known = found;
                }
                known.seen_again = seen_again;
            }
            None => self.findings.push(found),
        }
    }

    /// Plays it again with fresh keys; more often where it never came again at first.
    async fn confirm(&self, schedule: &Schedule, verdict: Verdict) -> Result<Again, String> {
        let mut again = Again { broke: 0, of: 0, last: None };
        for times in [CONFIRM, CONFIRM_RARE - CONFIRM] {
            if again.broke > 0 {
                break;
            }
            for trial in self.ground(self.session.options.lease).try_all(&vec![schedule; times]).await? {
                again.add(trial, verdict);
            }
        }
        Ok(again)
    }

    /// Whether an order is refused for good whose request is taken under another key: that is due to its key, though keys
    /// like it may be rare.
    async fn blames_key(&self, trial: &Trial) -> bool {
        let sticky = trial.cases.iter().filter(|case| judge(case).verdict == Verdict::Sticky);
        for case in sticky.filter(|case| case.total() == Some(0)) {
            let own = case.calls[case.retried()].clone();
            let other = Call { keys: self.session.call("control").keys, ..own.clone() };
            let mut control = Case::new("control", Rule::Report, vec![own, other]);
            self.session.send(&mut control, 0, "its own key").await;
            self.session.send(&mut control, 1, "another key").await;
            if control.attempts[0].answer.class == Class::Refusal && control.succeeded(1) {
                return true;
            }
        }
        false
    }

    /// The smallest schedule that still breaks it, within the time.
    async fn shrink(&self, schedule: Schedule, verdict: Verdict, rate: f64) -> Result<Schedule, String> {
        let end = self.end + GRACE;
        let mut smallest = schedule;
        'smaller: loop {
            for candidate in candidates(&smallest) {
                if Instant::now() > end {
                    break 'smaller;
                }
                if self.breaks(&candidate, verdict, rate).await? {
                    smallest = candidate;
                    continue 'smaller;
                }
            }
            break;
        }
        Ok(smallest)
    }

    /// Whether it breaks the invariant twice. How many misses are borne follows from how often the schedule breaks it
    /// that was found.
    async fn breaks(&self, schedule: &Schedule, verdict: Verdict, rate: f64) -> Result<bool, String> {
        let ground = self.ground(SHORT_LEASE.min(self.session.options.lease));
        let (mut broke, mut misses) = (0, 0);
        let borne = if rate > 0.9 { 0 } else { (2.0 / rate) as usize };
        while broke < 2 && misses <= borne && Instant::now() < self.end + GRACE {
            let trial = ground.try_one(schedule).await?;
            match trial.verdict == verdict {
                true => broke += 1,
                false => misses += 1,
            }
        }
        Ok(broke == 2)
    }
}

/// How often a schedule broke an invariant again.
struct Again {
    broke: usize,
    of: usize,
    last: Option<Trial>,
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
        Verdict::Sticky | Verdict::Wedged => false,
        Verdict::Ok | Verdict::Skipped | Verdict::Unproven | Verdict::Error => false,
    }
}
