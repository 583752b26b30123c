//! The server is killed and started again: after success, in the middle of a request, and when its ledger item appears.
//! Invariant: a kill counts for a moment only if it was observed there: no reply came, and the ledger tells on which side of
//! the charge it fell.

use std::time::{Duration, Instant};

use super::Plan;
use crate::client::{self, Connection, Request};
use crate::outcome::Symptom;
use crate::proxy::reach;
use crate::target::answer::Class;
use crate::target::case::{Case, Shortfall};
use crate::target::options::Options;
use crate::target::session::Session;
use crate::target::shell;

/// For the command, and again for the server to be ready.
const PATIENCE: Duration = Duration::from_secs(60);
/// Kills in the middle that are wanted, and how many are tried for them.
const MIDDLE: [usize; 2] = [2, 5];
/// How often the moment between charge and reply is tried for; it is often shorter than a kill is precise.
const ITEM_TRIES: usize = 4;
/// No further try is begun after it.
const BUDGET: Duration = Duration::from_secs(25);

pub fn needs(options: &Options) -> Option<&'static str> {
    options.restart_cmd.is_none().then_some("give --restart-cmd, which kills the server and starts it again")
}

pub fn plan(_: &Options) -> Plan {
    let kills = (1 + MIDDLE[1] + ITEM_TRIES) as u64;
    Plan::new(kills * 2, kills)
}

/// What the kills told so far.
struct Kills<'a> {
    session: &'a Session,
    command: &'a str,
    /// From the command's start until connections are refused; the kill falls about there.
    delay: Duration,
    since: Instant,
}

pub async fn drive(session: &Session) -> Vec<Case> {
    let Some(command) = session.options.restart_cmd.as_deref() else { return Vec::new() };
    let mut kills = Kills { session, command, delay: Duration::ZERO, since: Instant::now() };
    let mut cases = vec![kills.after_success().await];
    if cases[0].shortfall.is_none() {
        kills.in_the_middle(&mut cases).await;
    }
    if cases.iter().all(|case| case.shortfall.is_none()) {
        kills.at_the_item(&mut cases).await;
    }
    cases
}

impl Kills<'_> {
    /// Success, restart, replay. Measures how long the kill takes.
    async fn after_success(&mut self) -> Case {
        let mut case = self.session.case("restart", "killed after success");
        self.session.send(&mut case, 0, "first").await;
        let started = Instant::now();
        let (ended, gone) = tokio::join!(restarted(self.session, self.command), self.until_gone());
        self.delay = gone.map_or(Duration::ZERO, |at| at - started);
        match ended {
            Ok(()) => self.session.send(&mut case, 0, "after the restart").await,
            Err(why) => case.shortfall = Some(Shortfall::NotCarriedOut(why)),
        }
        case
    }

    async fn in_the_middle(&mut self, cases: &mut Vec<Case>) {
        let [wanted, tries] = MIDDLE;
        let (mut hits, mut aim) = (0, self.session.latency() / 2);
        for _ in 0..tries {
            let (case, fell) = self.kill_during("killed in the middle", aim).await;
            hits += usize::from(fell == Fell::Between || fell == Fell::BeforeItem);
            aim = self.corrected(aim, fell, self.session.latency() / 4);
            cases.push(case);
            if hits == wanted {
                return;
            }
        }
        if let (0, Some(last)) = (hits, cases.last_mut()) {
            let why = format!("killed in the middle: the kill missed the request {tries} times");
            last.shortfall.get_or_insert(Shortfall::NotHit(why));
        }
    }

    /// Between the ledger item and the reply. The moment may be too short to be hit: then that part is left unproven.
    async fn at_the_item(&mut self, cases: &mut Vec<Case>) {
        let mut aim = self.session.latency();
        let mut tried = 0;
        while tried < ITEM_TRIES && self.since.elapsed() < BUDGET {
            tried += 1;
            let (case, fell) = self.kill_during("killed when its ledger item appears", aim).await;
            aim = self.corrected(aim, fell, self.session.latency() / 12);
            cases.push(case);
            if fell == Fell::Between {
                return;
            }
        }
        if let Some(last) = cases.last_mut() {
            let part =
                format!("between its ledger item and its reply: unproven, the kill missed that moment {tried} times");
            last.remark = Some(part);
        }
    }

    fn corrected(&self, aim: Duration, fell: Fell, step: Duration) -> Duration {
        match fell {
            Fell::Between => aim,
            Fell::BeforeSending | Fell::BeforeItem => aim + step,
            Fell::AfterReply => aim.saturating_sub(step),
        }
    }

    /// Sends a request so that the kill falls `aim` after it, restarts, and retries.
    async fn kill_during(&self, label: &str, aim: Duration) -> (Case, Fell) {
        let session = self.session;
        let mut case = session.case("restart", label);
        let intent = case.calls[0].intent.clone();
        let start = Instant::now();
        let (send_at, kill_at) =
            if aim >= self.delay { (start, start + (aim - self.delay)) } else { (start + (self.delay - aim), start) };
        let request = async {
            reach(send_at).await;
            session.send(&mut case, 0, "first, the server is killed").await;
            session.options.oracle.read().await.map(|ledger| ledger.charges(&intent) > 0).unwrap_or(false)
        };
        let kill = async {
            reach(kill_at).await;
            restarted(self.session, self.command).await
        };
        let (charged, ended) = tokio::join!(request, kill);
        let fell = match case.attempts[0].answer.class {
            Class::Unsent => Fell::BeforeSending,
            Class::Silence if charged => Fell::Between,
            Class::Silence => Fell::BeforeItem,
            _ => Fell::AfterReply,
        };
        match ended {
            Ok(()) => session.send(&mut case, 0, "retry after the restart").await,
            Err(why) => case.shortfall = Some(Shortfall::NotCarriedOut(why)),
        }
        (case, fell)
    }

    /// When connections are refused; None where they never are while the command runs.
    async fn until_gone(&self) -> Option<Instant> {
        let to = self.session.target().socket;
        let end = Instant::now() + Duration::from_secs(2);
        while Instant::now() < end {
            let deadline = tokio::time::Instant::now() + Duration::from_millis(200);
            if Connection::open(to, None, deadline).await.is_err() {
                return Some(Instant::now());
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        None
    }
}

/// Where a kill fell, as far as it was observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fell {
    /// The request did not reach the server.
    BeforeSending,
    BeforeItem,
    /// The item was there, the reply was not.
    Between,
    AfterReply,
}

/// Runs the restart command, and waits until the server answers again.
///
/// # Errors
/// Says how the command failed, or what the server last said.
pub async fn restarted(session: &Session, command: &str) -> Result<(), String> {
    shell::effect(command, PATIENCE).await.map_err(|why| format!("--restart-cmd: {why}"))?;
    ready(session).await
}

/// Waits until a request is neither refused nor answered 502 or 503. It asks for options, which changes nothing (RFC 9110,
/// 9.2.1).
///
/// # Errors
/// Says what the last answer was, after a minute.
async fn ready(session: &Session) -> Result<(), String> {
    let target = session.target();
    let request = Request {
        method: "OPTIONS".into(),
        host: target.authority.clone(),
        target: session.options.template.path.clone(),
        headers: Vec::new(),
        body: Vec::new(),
    };
    let end = Instant::now() + PATIENCE;
    loop {
        let outcome = client::attempt(target.socket, &request, session.patience()).await;
        let up = match (&outcome.reply, outcome.symptom) {
            (Some(reply), _) => !matches!(reply.status, 502 | 503),
            (None, Symptom::Closed | Symptom::BadReply) => true,
            (None, _) => false,
        };
        if up {
            return Ok(());
        }
        if Instant::now() > end {
            return Err(format!("the server is not ready after {PATIENCE:?}: {}", outcome.symptom));
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
