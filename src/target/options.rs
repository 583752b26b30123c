//! What the user gave, validated. Invariant: an `Options` can be acted on: every address is resolved and allowed, every
//! value is in its range, and every template yields a request; what cannot is refused before anything is sent.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, anyhow, bail, ensure};
use serde_json::Value;

use super::addresses::Addresses;
use super::args::TargetArgs;
use super::facts::case::Rule;
use super::request::body::Body;
use super::request::given::Given;
use super::request::secrets::Secrets;
use super::request::template::Template;
use crate::http::address::Address;
use crate::http::header::Header;
use crate::http::url::Url;
use crate::mcp::bridge::Bridge;
use crate::reconcile::oracle::{self, Oracles};
use crate::terms::named::named_enum;
use crate::text::withheld;

named_enum! {
    /// A design that some services choose on purpose; told unless it is declared.
    pub enum Design {
        /// A 5xx is kept under its key for ever (Stripe v1).
        StoredErrors = "stored-errors",
        /// The old success answers another payload.
        SilentReuse = "silent-reuse",
        /// The same content in other bytes is refused as another payload; a remark unless it is declared.
        StrictBody = "strict-body",
        /// A tool that claims nothing of repeats charges again; so it is taken without --strict.
        UnsafeRetries = "unsafe-retries",
    }
}

/// What makes a repeat of a request the same request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identity {
    /// Its key.
    Key,
    /// A tool's word: with the same arguments it does nothing more.
    Claim,
    /// A tool's word that it does nothing at all.
    ReadOnly,
    /// Nothing, and the protocol repeats it all the same.
    Nothing,
}

impl Identity {
    /// What one request and its repeats are judged by.
    pub fn rule(self) -> Rule {
        match self {
            Identity::Key => Rule::Once,
            Identity::Claim => Rule::Claimed,
            Identity::ReadOnly => Rule::ReadOnly,
            Identity::Nothing => Rule::Unpromised,
        }
    }
}

/// How the server is killed and started again.
#[derive(Debug, Clone)]
pub enum Restart {
    /// By a command for the shell.
    Command(String),
    /// It is a process of ours.
    Process(Arc<Bridge>),
}

/// Something that goes wrong around the server, and its end. Both are commands for the shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disruption {
    pub name: String,
    pub disrupt: String,
    pub heal: String,
}

/// A validated probe of a user's server.
#[derive(Debug, Clone)]
pub struct Options {
    /// Replicas of one service, at least one; the first is the one that most checks use.
    pub targets: Vec<Address>,
    pub oracle: Oracles,
    pub template: Template,
    /// A second principal's credential; None skips `principals`.
    pub other_credential: Option<Header>,
    /// Prints headers for each request; None where the template has all.
    pub sign_cmd: Option<String>,
    /// Prints headers for all requests; None where the template has all.
    pub before_cmd: Option<String>,
    /// Whether cookies that the target sets are kept and sent.
    pub cookies: bool,
    /// None skips `restart`.
    pub restart: Option<Restart>,
    pub identity: Identity,
    /// Whether a tool's client cancels a call before it makes it again.
    pub cancels: bool,
    /// Answers to what a tool asks its client; None leaves it without.
    pub answers: Option<Value>,
    /// A body that makes the handler fail once for an intent.
    pub fail_body: Option<Body>,
    /// A header that makes the handler fail once for an intent.
    pub fail_header: Option<Header>,
    /// A body that makes the handler fail once for an intent, after its side effect.
    pub fail_after_body: Option<Body>,
    /// A header that makes the handler fail once for an intent, after its side effect.
    pub fail_after_header: Option<Header>,
    /// A new token of the same principal; None skips `refreshed_credential`.
    pub refreshed_credential: Option<Header>,
    /// Keys that come between a first request and its retry in `capacity`.
    pub keys: u64,
    /// In the order in which they were given; empty skips `disruption`.
    pub disruptions: Vec<Disruption>,
    /// The dedup window that the server promises; None skips `window`.
    pub window: Option<Duration>,
    /// The client's patience for one attempt; None derives it from the baseline.
    pub timeout: Option<Duration>,
    /// How long a crashed attempt's key may stay in flight.
    pub lease: Duration,
    /// Checks chosen by name; empty for all.
    pub chosen: Vec<String>,
    pub accept: Vec<Design>,
    /// Checks that may run side by side.
    pub jobs: usize,
    pub secrets: Secrets,
}

impl Options {
    /// Whether the server is a process of ours, on its standard streams.
    pub fn is_process(&self) -> bool {
        matches!(self.restart, Some(Restart::Process(_)))
    }

    /// # Errors
    /// Names the option, what is wrong with it, and what to give instead.
    pub fn new(args: &TargetArgs) -> anyhow::Result<Options> {
        let Addresses { targets, path, ledgers } = Addresses::new(args)?;
        let other_credential = optional(&args.other_credential, Header::parse, "--other-credential")?;
        let fail_header = optional(&args.fail_header, Header::parse, "--fail-header")?;
        let fail_after_header = optional(&args.fail_after_header, Header::parse, "--fail-after-header")?;
        let refreshed_credential = optional(&args.refreshed_credential, Header::parse, "--refreshed-credential")?;
        let Given { template, fail_body, fail_after_body } = Given::of(args, path)?;
        let oracle = oracles(args, ledgers)?;
        let credentials = template.headers.iter().chain(&other_credential).chain(&refreshed_credential);
        let secrets = Secrets::new(credentials.chain(oracle.headers()));
        // What idem.toml took from the environment may stand anywhere, in a body too.
        let secrets = secrets.with(withheld::all().iter().map(String::as_str));
        let accept = args.accept.iter().map(|a| named("--accept", a, Design::parse)).collect::<Result<_, _>>()?;
        Ok(Options {
            targets,
            template,
            other_credential,
            sign_cmd: args.sign_cmd.clone(),
            before_cmd: args.before_cmd.clone(),
            cookies: args.cookies,
            restart: args.restart_cmd.clone().map(Restart::Command),
            identity: Identity::Key,
            cancels: false,
            answers: None,
            fail_body,
            fail_header,
            fail_after_body,
            fail_after_header,
            refreshed_credential,
            keys: keys(args.keys)?,
            disruptions: disruptions(&args.disrupt, &args.heal)?,
            window: ranged("--window", args.window, Duration::from_millis(100), Duration::from_secs(3600))?,
            timeout: ranged("--timeout", args.timeout, Duration::from_millis(50), Duration::from_secs(120))?,
            lease: ranged("--lease", args.lease, Duration::from_millis(100), Duration::from_secs(600))?
                .unwrap_or(Duration::from_secs(6)),
            chosen: args.check.clone(),
            accept,
            jobs: jobs(args.jobs)?,
            oracle,
            secrets,
        })
    }
}

impl Options {
    /// Whether requests carry more than the template has.
    pub fn adds_headers(&self) -> bool {
        self.sign_cmd.is_some() || self.before_cmd.is_some() || self.cookies
    }
}

fn optional<T>(text: &Option<String>, parse: fn(&str) -> anyhow::Result<T>, option: &str) -> anyhow::Result<Option<T>> {
    text.as_deref().map(|t| parse(t).with_context(|| option.to_string())).transpose()
}

/// One of an enum's printed names.
fn named<T>(option: &str, text: &str, parse: fn(&str) -> Result<T, String>) -> anyhow::Result<T> {
    parse(text).map_err(|why| anyhow!("{option} {text}: {why}"))
}

fn ranged(option: &str, given: Option<Duration>, least: Duration, most: Duration) -> anyhow::Result<Option<Duration>> {
    match given {
        Some(d) if d < least || d > most => bail!("{option} {d:?}: give {least:?} to {most:?}"),
        other => Ok(other),
    }
}

/// Each disruption with the heal of its name.
fn disruptions(disrupt: &[String], heal: &[String]) -> anyhow::Result<Vec<Disruption>> {
    let parsed = |option: &str, given: &[String]| {
        given.iter().map(|text| command(option, text)).collect::<anyhow::Result<Vec<_>>>()
    };
    let mut heals = parsed("--heal", heal)?;
    let mut disruptions = Vec::new();
    for (name, disrupt) in parsed("--disrupt", disrupt)? {
        let own = heals.iter().position(|(other, _)| *other == name);
        let own = own.with_context(|| format!("--disrupt {name}: give --heal {name}=CMD, the command that ends it"))?;
        let (_, heal) = heals.swap_remove(own);
        disruptions.push(Disruption { name, disrupt, heal });
    }
    if let Some((name, _)) = heals.first() {
        bail!("--heal {name}: there is nothing to heal; give --disrupt {name}=CMD");
    }
    Ok(disruptions)
}

fn command(option: &str, text: &str) -> anyhow::Result<(String, String)> {
    let (name, command) = text.split_once('=').unwrap_or_default();
    ensure!(!name.is_empty() && !command.is_empty(), "{option} {text}: give NAME=COMMAND, as pause='kill -STOP 1'");
    Ok((name.to_string(), command.to_string()))
}

fn keys(given: Option<u64>) -> anyhow::Result<u64> {
    let keys = given.unwrap_or(200);
    ensure!((1..=100_000).contains(&keys), "--keys {keys}: give 1 to 100000");
    Ok(keys)
}

fn jobs(given: Option<usize>) -> anyhow::Result<usize> {
    let jobs = given.unwrap_or(1);
    ensure!((1..=16).contains(&jobs), "--jobs {jobs}: give 1 to 16");
    Ok(jobs)
}

/// Where to count, in each of the ledgers.
fn oracles(args: &TargetArgs, urls: Vec<Option<(Address, Url)>>) -> anyhow::Result<Oracles> {
    let files = args.ledger.iter().zip(urls).map(|(text, url)| (Some(text.as_str()), url, None));
    let commands = args.ledger_cmd.iter().map(|command| (None, None, Some(command.as_str())));
    let given: Vec<_> = files.chain(commands).collect();
    let count = given.len();
    ensure!(count > 0, "--ledger: give the file or URL where charges can be counted, or `--ledger none` to go without");
    ensure!(count == 1 || args.ledger.iter().all(|text| text != "none"), "--ledger none: give no other beside it");
    let mut oracles = Vec::new();
    for (n, (ledger, url, command)) in given.into_iter().enumerate() {
        let given = oracle::Given {
            ledger,
            url,
            command,
            items_at: own("--ledger-items", &args.ledger_items, n, count)?,
            headers: &args.ledger_header,
            lag: args.ledger_lag,
        };
        oracles.extend(given.oracle("--intent-at", own("--intent-at", &args.intent_at, n, count)?)?);
    }
    Ok(Oracles::new(oracles))
}

/// What an option says of the nth ledger: it is given once for all, or once for each.
fn own<'a>(option: &str, given: &'a [String], n: usize, ledgers: usize) -> anyhow::Result<Option<&'a str>> {
    ensure!(
        given.len() <= 1 || given.len() == ledgers,
        "{option} is given {} times for {ledgers} ledger(s): give it once for all, or once for each, in their order",
        given.len()
    );
    Ok(given.get(n).or(given.first()).map(String::as_str))
}
