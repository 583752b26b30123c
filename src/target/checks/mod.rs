//! The checks. Invariant: a check provokes and observes; the verdict is the invariants' word. To add one: a file with a
//! `plan` and a `drive` function, and a row in the registry.

mod after_reply;
mod baseline;
mod capacity;
mod credentials;
mod crowd;
mod cut;
mod deliver;
pub mod disruption;
mod double_restart;
mod handler;
mod keys;
mod leave;
pub mod odd_keys;
pub mod race;
mod registry;
mod replay;
mod restart;
mod tool;
mod upload;
mod varied;
mod window;

pub use registry::CHECKS;

use super::drive::join::Local;
use super::drive::session::Session;
use super::drive::settle::SILENT;
use super::facts::case::{Case, Rule, Shortfall};
use super::options::{Identity, Options};

/// When a check runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Before all others, which rest on it.
    First,
    /// One after another, as many side by side as --jobs says.
    Staged,
    /// Beside the others: it waits most of its time.
    Beside,
    /// When all others are done: it takes the server away.
    Last,
}

/// What a check sends at least, to a target that answers everything at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Plan {
    pub requests: u64,
    /// Charges that a correct target makes.
    pub charges: u64,
}

impl Plan {
    pub const fn new(requests: u64, charges: u64) -> Plan {
        Plan { requests, charges }
    }
}

/// What the standard leaves open, and a check's answers show of this target beside its verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Habit {
    /// How a duplicate is answered while the first is under way.
    InFlight,
    /// How another payload under a used key is answered.
    KeyReuse,
    /// How the same content in other bytes is answered.
    EquivalentBody,
    /// Whether a failure is kept under its key.
    Errors,
    /// What becomes of a request without a key.
    NoKey,
    /// Which keys are not taken.
    OddKeys,
    /// How the second principal is answered.
    OtherPrincipal,
    /// Whether a key is still known just after the promised window.
    AfterWindow,
}

/// For which requests a check means something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Where a key makes a repeat the same request.
    Keyed,
    /// Where a repeat is promised to do nothing more, be it by a key or by a tool's claim.
    Promised,
    /// Everywhere: it is what a client, or what stands between, does by itself.
    Any,
    /// As that, for the calls of tools.
    Tool,
    /// For tools that claim to be read-only.
    ReadOnly,
}

impl Check {
    /// Why the check means nothing for what is probed; None where it means something.
    pub fn unfit(&self, options: &Options) -> Option<&'static str> {
        let is_tool = options.template.tool.is_some();
        match (self.scope, options.identity) {
            (Scope::Tool | Scope::ReadOnly, _) if !is_tool => Some("it is for the calls of tools; give --mcp"),
            (Scope::ReadOnly, Identity::ReadOnly) => None,
            (Scope::ReadOnly, _) => Some("the tool does not claim to be read-only"),
            (_, Identity::ReadOnly) => Some("the tool claims to be read-only"),
            (_, _) if self.by_http && options.is_process() => Some("there is no HTTP between a client and a process"),
            (Scope::Keyed, Identity::Claim | Identity::Nothing) => Some("the call has no key; give --key-arg"),
            (Scope::Promised, Identity::Nothing) => Some("the tool promises nothing of repeats; give --key-arg"),
            (Scope::Keyed | Scope::Promised | Scope::Any | Scope::Tool, _) => None,
        }
    }
}

/// One check.
pub struct Check {
    pub name: &'static str,
    /// What its answers show for the profile; None for most.
    pub shows: Option<Habit>,
    /// How it is provoked, in a line.
    pub provokes: &'static str,
    /// What a finding means.
    pub means: &'static str,
    /// The usual cure.
    pub cure: &'static str,
    pub turn: Turn,
    pub scope: Scope,
    /// Whether it needs HTTP between client and server.
    pub by_http: bool,
    /// What has to be given, where it is not.
    pub needs: fn(&Options) -> Option<&'static str>,
    pub plan: fn(&Options) -> Plan,
    pub drive: for<'a> fn(&'a Session) -> Local<'a, Vec<Case>>,
}

/// Whether a sweep should break off: what was seen is a finding already.
fn enough(cases: &[Case]) -> bool {
    cases.iter().filter(|case| case.silent()).count() >= SILENT
}

/// A key that was asked again only after the promised window may be forgotten: such a case proves nothing.
fn past_window(session: &Session, cases: &mut [Case]) {
    let Some(window) = session.options.window else { return };
    for case in cases {
        let span = case.attempts.first().zip(case.attempts.last()).map(|(first, last)| last.ended - first.sent);
        if span.is_some_and(|span| span >= window) && case.shortfall.is_none() {
            (case.rule, case.to_settle) = (Rule::Report, None);
            case.shortfall = Some(Shortfall::NotHit("it took longer than the promised window".into()));
        }
    }
}

fn nothing(_: &Options) -> Option<&'static str> {
    None
}
