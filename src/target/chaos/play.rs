//! A schedule on real sockets. Invariant: it provokes and observes; a step whose moment was not hit says so, and what the
//! schedule's end leaves open is asked once more.

use std::cell::Cell;
use std::time::Duration;

use super::habits::Habits;
use super::schedule::Schedule;
use super::send;
use super::state::{Noted, OrderState};
use super::step::{Mishap, Release, Step, Written};
use super::words::letter;
use crate::target::checks::disruption::Healer;
use crate::target::checks::race::{self, Shot, fire};
use crate::target::drive::join::join_all;
use crate::target::drive::session::Session;
use crate::target::drive::settle::SILENT;
use crate::target::facts::case::{Attempt, Case, Rule};
use crate::target::request::template::Call;

/// Requests of a `fresh keys` step under way at a time.
const LANES: usize = 8;

/// What came of a schedule, not yet settled nor counted.
pub struct Played {
    pub cases: Vec<Case>,
    /// For each step, why it did not land; None where it did.
    pub missed: Vec<Option<&'static str>>,
}

/// A step's result: why it did not land, or None.
pub type Missed = Option<&'static str>;

/// A schedule that is being played.
pub struct Stage<'a> {
    pub session: &'a Session,
    habits: &'a Habits,
    pub orders: Vec<OrderState>,
    /// Cases that belong to no order.
    beside: Vec<Case>,
    noted: Vec<Noted>,
    /// Ends the disruption that goes on; None where none does.
    pub healer: Option<Healer<'a>>,
}

/// Plays a schedule with fresh intents and keys.
///
/// # Errors
/// Says what could not be carried out.
pub async fn play(session: &Session, habits: &Habits, schedule: &Schedule) -> Result<Played, String> {
    let calls = habits.calls(session, schedule).await;
    let orders = calls.into_iter().enumerate().map(|(n, call)| OrderState::new(n, call)).collect();
    let mut stage = Stage { session, habits, orders, beside: Vec::new(), noted: Vec::new(), healer: None };
    let mut missed = Vec::new();
    for (n, step) in schedule.steps.iter().enumerate() {
        let words = schedule.step_words(n);
        let at = session.clock();
        let result = stage.take(step, &words).await?;
        stage.note(step, at, words);
        missed.push(result);
    }
    stage.heal().await?;
    stage.ask_once_more().await;
    let cases = stage.orders.into_iter().flat_map(|order| order.into_cases(&stage.noted));
    Ok(Played { cases: cases.chain(stage.beside).collect(), missed })
}

impl Stage<'_> {
    async fn take(&mut self, step: &Step, words: &str) -> Result<Missed, String> {
        if step.order().is_some_and(|order| !self.is_in_window(order)) {
            return Ok(Some("the promised window might end before the reply"));
        }
        let restarts = matches!(step, Step::Restart | Step::RestartDuring { .. });
        if restarts && self.healer.is_some() {
            return Ok(Some("it might not start while something is disrupted"));
        }
        Ok(match step {
            Step::Send { order, written, mishap } => self.send(*order, written, mishap.as_ref(), words).await?,
            Step::Race { order, copies, release, varied } => {
                self.race(*order, *copies, *release, varied.as_ref(), words).await
            }
            Step::Crowd => self.crowd(words).await,
            Step::Principal { order } => self.principal(*order, words).await,
            Step::NoKey => self.no_key(words).await,
            Step::FreshKeys { count } => self.fresh_keys(*count, words).await,
            Step::Wait { ms } => {
                tokio::time::sleep(Duration::from_millis(*ms)).await;
                None
            }
            Step::AwaitItem { order } => self.await_item(*order).await,
            Step::Disrupt { name } => self.disrupt(name).await?,
            Step::Heal => self.heal().await?,
            Step::Restart => self.restart().await?,
            Step::RestartDuring { order, after } => self.restart_during(*order, *after, words).await?,
        })
    }

    /// Whether a reply to the order may still be judged: what comes after the promised window may charge again.
    fn is_in_window(&self, order: usize) -> bool {
        let first = self.orders[order].case.attempts.iter().map(|attempt| attempt.sent).min();
        let (Some(window), Some(first)) = (self.session.options.window, first) else { return true };
        let margin = (self.session.latency() * 5 + Duration::from_millis(100)).min(window / 8);
        self.session.clock() + margin < first + window
    }

    async fn send(
        &mut self,
        order: usize,
        written: &Written,
        mishap: Option<&Mishap>,
        words: &str,
    ) -> Result<Missed, String> {
        let (call, is_other) = match send::call(self.session, &self.orders[order], written) {
            Ok(call) => (call, matches!(written, Written::Other(_))),
            Err(missed) => return Ok(Some(missed)),
        };
        let (attempts, acts, missed) = match mishap {
            None => (vec![send::plain(self.session, &call, words).await], Vec::new(), None),
            Some(Mishap::Late) => send::late(self.session, &call, words).await?,
            Some(mishap) => send::through(self.session, &call, mishap, words).await?,
        };
        let state = &mut self.orders[order];
        state.case.acts.extend(acts);
        if is_other && mishap == Some(&Mishap::NeverSent) {
            // The target has not seen another payload: there is nothing to judge.
            return Ok(Some("another payload that is never sent shows nothing"));
        }
        if is_other {
            state.other(call, attempts);
        } else {
            let at = state.varied(call);
            state.case.attempts.extend(attempts.into_iter().map(|attempt| Attempt { call: at, ..attempt }));
        }
        Ok(missed)
    }

    async fn race(
        &mut self,
        order: usize,
        copies: usize,
        release: Release,
        varied: Option<&String>,
        words: &str,
    ) -> Missed {
        let session = self.session;
        let first = self.orders[order].call().clone();
        let others = match varied {
            None => first.clone(),
            Some(label) => match self.raced(order, label).await {
                Ok(call) => call,
                Err(missed) => return Some(missed),
            },
        };
        let places = [0, self.orders[order].varied(others.clone())];
        let mut race = Case::new("", Rule::Once, vec![first.clone(), others.clone()]);
        let shots = Shot::volley(session, (0..copies).map(|n| if n == 0 { (0, &first) } else { (1, &others) })).await;
        fire(session, &mut race, shots, released(release, session.latency())).await;
        let told = race.attempts.into_iter().map(|attempt| {
            let (call, note) = (places[attempt.call], format!("{words}: {}", attempt.note));
            Attempt { call, note, ..attempt }
        });
        self.orders[order].case.attempts.extend(told);
        race.shortfall.is_some().then_some("the connections could not be opened")
    }

    /// The other copies of a race. Before the order's first success they may win, so only what is the same to the target
    /// may differ.
    async fn raced(&self, order: usize, label: &str) -> Result<Call, &'static str> {
        let written = Written::Varied(label.to_owned());
        match send::call(self.session, &self.orders[order], &written) {
            Err(_) if self.habits.takes_rewritten(self.session, label).await => {
                send::varied(self.session, self.orders[order].call(), label)
            }
            asked => asked,
        }
    }

    async fn crowd(&mut self, words: &str) -> Missed {
        let session = self.session;
        let calls: Vec<Call> = self.orders.iter().map(|order| order.call().clone()).collect();
        if calls.len() < 2 || (0..calls.len()).any(|order| !self.is_in_window(order)) {
            return Some("fewer than two orders");
        }
        let shots = Shot::volley(session, calls.iter().enumerate()).await;
        let mut crowd = Case::new("", Rule::Distinct, calls.clone());
        fire(session, &mut crowd, shots, race::Release::Whole).await;
        for attempt in crowd.attempts {
            let order = &mut self.orders[attempt.call];
            order.case.attempts.push(Attempt { call: 0, note: words.to_string(), ..attempt });
        }
        crowd.shortfall.map(|_| "the connections could not be opened")
    }

    async fn principal(&mut self, order: usize, words: &str) -> Missed {
        let Some(credential) = self.session.options.other_credential.clone() else {
            return Some("no second credential is given");
        };
        let state = &mut self.orders[order];
        let extra = state.call().extra.iter().cloned().chain([credential]).collect();
        let second = Call { extra, ..state.call().clone() };
        let attempt = send::plain(self.session, &second, words).await;
        state.shared_with(second);
        state.case.attempts.push(Attempt { call: 1, ..attempt });
        None
    }

    async fn no_key(&mut self, words: &str) -> Missed {
        let call = Call { keys: Vec::new(), ..self.session.call("chaos") };
        let mut case = Case::new("without a key", Rule::Keyless, vec![call]);
        for _ in 0..2 {
            self.session.send(&mut case, 0, words).await;
        }
        self.beside.push(case);
        None
    }

    async fn fresh_keys(&mut self, count: usize, words: &str) -> Missed {
        let session = self.session;
        let silent = Cell::new(0);
        let lanes = (0..LANES.min(count)).map(|lane| {
            let silent = &silent;
            async move {
                let mut cases = Vec::new();
                for _ in 0..count / LANES + usize::from(lane < count % LANES) {
                    let mut case = session.case("chaos", "one of many fresh keys");
                    session.send(&mut case, 0, words).await;
                    silent.set(silent.get() + usize::from(case.silent()));
                    cases.push(case);
                    if silent.get() >= SILENT {
                        break;
                    }
                }
                cases
            }
        });
        self.beside.extend(join_all(lanes).await.into_iter().flatten());
        (silent.get() >= SILENT).then_some("the target does not answer them")
    }

    /// Tells the other orders' time lines of it.
    fn note(&mut self, step: &Step, at: Duration, words: String) {
        let waits = matches!(step, Step::AwaitItem { .. });
        let said = step.order().filter(|_| !waits).and_then(|order| {
            let last = self.orders[order].case.attempts.last()?;
            Some(format!(" ({})", last.answer.line(None)))
        });
        // An order's own line has the kill that came while its request was under way, and that it was waited for.
        let order = if waits || matches!(step, Step::RestartDuring { .. }) { None } else { step.order() };
        if !matches!(step, Step::Crowd) {
            self.noted.push(Noted { order, at, what: format!("{words}{}", said.unwrap_or_default()) });
        }
    }

    /// Each order that has no answer left alone yet.
    async fn ask_once_more(&mut self) {
        let session = self.session;
        for order in &mut self.orders {
            if order.case.awaits_answer() && !order.case.silent() {
                let words = format!("order {}: at the end, retry", letter(order.order));
                session.send(&mut order.case, 0, &words).await;
            }
        }
    }
}

fn released(release: Release, latency: Duration) -> race::Release {
    match release {
        Release::Together => race::Release::Whole,
        Release::LastBytes => race::Release::LastByte,
        Release::After(percent) => race::Release::After(latency * percent as u32 / 100),
    }
}
