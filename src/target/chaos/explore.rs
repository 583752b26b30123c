//! Schedules one after another until the time is over; what breaks an invariant is followed up. Invariant: a finding was
//! broken by the schedule that is shown, what was seen once and never again is a finding only where the ledger or the
//! replies prove it by themselves, and a target that hangs keeps nobody much longer than was asked for.

use std::time::Duration;

use tokio::time::{Instant, timeout, timeout_at};

use super::coverage::Coverage;
use super::draw::draw;
use super::finding::{Finding, MOST, take_up};
use super::habits::Habits;
use super::means::Means;
use super::pursue::{Pursued, Pursuit};
use super::schedule::Schedule;
use super::trial::{Ground, Trial};
use crate::console::progress::Line;
use crate::target::drive::session::Session;
use crate::target::facts::answer::{Answer, Class};
use crate::target::run::row::figures;
use crate::terms::figures::Figures;

/// When the time is over, what was begun may go on twice as long as the exploration was to take, but not less nor more.
const GRACE: [Duration; 2] = [Duration::from_secs(3), Duration::from_secs(20)];
/// After so many schedules in a row that hold a known finding one of them is played all the same.
const KNOWN_IN_A_ROW: usize = 60;
/// Schedules in a row that could not be carried out.
const FAILURES: usize = 3;

/// For the fresh request that shows whether a target hangs.
const HEALTH: Duration = Duration::from_secs(3);

/// One exploration.
pub struct Explorer<'a> {
    pub session: &'a Session,
    habits: Habits,
    seed: u64,
    since: Instant,
    end: Instant,
    /// Nothing goes on after it.
    limit: Instant,
    /// For following up one broken invariant.
    budget: Duration,
    line: Line,
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
    /// Schedules whose verdict is open: they did not settle, or could not be played again, before the limit.
    pub undecided: u64,
    /// Why it ended before its time; None where it did not.
    pub failure: Option<String>,
    pub has_begun: bool,
    /// Whether some schedule could be judged at all.
    pub is_proven: bool,
}

impl<'a> Explorer<'a> {
    pub fn new(session: &'a Session, seed: u64, time: Duration) -> Explorer<'a> {
        let (since, grace) = (Instant::now(), (time * 2).clamp(GRACE[0], GRACE[1]));
        Explorer {
            session,
            habits: Habits::default(),
            seed,
            since,
            end: since + time,
            limit: since + time + grace,
            budget: grace.max(time / 3),
            line: Line::new(),
            findings: Vec::new(),
            coverage: Coverage::default(),
            figures: Figures::default(),
            played: 0,
            passed_over: 0,
            unconfirmed: 0,
            undecided: 0,
            failure: None,
            has_begun: false,
            is_proven: false,
        }
    }

    /// Explores until the time is over, or all rows are taken.
    pub async fn run(&mut self, means: &Means) {
        self.has_begun = true;
        let (mut known_in_a_row, mut failures) = (0, 0);
        for n in 0.. {
            if Instant::now() >= self.end || self.findings.len() >= MOST || self.failure.is_some() {
                break;
            }
            let schedule = draw(self.seed, n, means);
            let is_known = self.findings.iter().any(|finding| schedule.holds(&finding.schedule));
            if is_known && known_in_a_row < KNOWN_IN_A_ROW {
                (known_in_a_row, self.passed_over) = (known_in_a_row + 1, self.passed_over + 1);
                continue;
            }
            known_in_a_row = 0;
            self.tell("exploring");
            match self.one(n, schedule).await {
                Ok(()) => failures = 0,
                Err(why) if failures + 1 >= FAILURES => {
                    self.failure = Some(why);
                    break;
                }
                Err(_) => failures += 1,
            }
        }
        self.line.clear();
    }

    /// Says on a terminal how far it is.
    fn tell(&self, doing: &str) {
        self.line.show(|| {
            let left = self.end.saturating_duration_since(Instant::now()).as_secs();
            let (played, found) = (self.played, self.findings.len());
            format!("{doing}: {played} schedules played, {found} findings, {left} s left")
        });
    }

    async fn one(&mut self, n: u64, schedule: Schedule) -> Result<(), String> {
        let ground = Ground::new(self.session, &self.habits, self.session.options.lease);
        let Ok(tried) = timeout_at(self.limit, ground.try_one(&schedule)).await else {
            let is_settling = ground.is_settling();
            self.undecided += u64::from(is_settling);
            self.failure = if is_settling { None } else { self.hanging().await };
            return Ok(());
        };
        let trial = tried?;
        self.played += 1;
        self.coverage.add(&schedule, &trial.missed);
        self.figures += figures(&trial.cases);
        self.is_proven |= trial.shows_nothing().is_none();
        if !trial.verdict.is_finding() {
            return Ok(());
        }
        if let Some(known) = self.findings.iter_mut().find(|known| known.explains(&schedule, trial.verdict)) {
            known.seen_again += 1;
            return Ok(());
        }
        self.found(n, schedule, trial).await;
        Ok(())
    }

    /// Why the target cannot be explored any further; None where it answers a fresh request.
    async fn hanging(&self) -> Option<String> {
        let mut fresh = self.session.case("health", "fresh");
        let asked = timeout(HEALTH, self.session.send(&mut fresh, 0, "is it well?")).await;
        let silence = Answer::withheld("no reply in time");
        let answer = asked.map_or(&silence, |()| &fresh.attempts[0].answer);
        let is_gone = matches!(answer.class, Class::Silence | Class::Unsent | Class::Withheld);
        is_gone.then(|| {
            format!(
                "the last schedule was not played to its end, and no fresh request is answered: {}",
                answer.line(None)
            )
        })
    }

    async fn found(&mut self, n: u64, schedule: Schedule, trial: Trial) {
        let limit = self.limit.min(Instant::now() + self.budget);
        let told = |doing: &str| self.tell(doing);
        let pursuit =
            Pursuit { session: self.session, habits: &self.habits, limit, findings: &self.findings, told: &told };
        match pursuit.follow(n, schedule, trial, self.since.elapsed()).await {
            Pursued::Found(finding) => take_up(&mut self.findings, finding),
            Pursued::Known(nth) => self.findings[nth].seen_again += 1,
            Pursued::NeverAgain => self.unconfirmed += 1,
            Pursued::Undecided => self.undecided += 1,
        }
    }
}
