//! Options of `idem probe`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::scenario::{SCENARIOS, Scenario};
use crate::server::policy::Policy;
use crate::terms::named::by_name;

/// What scenarios are run, and how a probe of either kind reports.
#[derive(Args, Debug)]
pub struct ProbeArgs {
    /// Run this scenario alone (repeatable)
    #[arg(long, value_name = "NAME", value_parser = parse_scenario)]
    pub scenario: Vec<&'static Scenario>,

    /// Run every scenario, those beyond the ten too
    #[arg(long, conflicts_with = "scenario")]
    pub all: bool,

    /// List the scenarios and what each teaches, or with --target the checks, and run nothing
    #[arg(long, conflicts_with_all = ["scenario", "all", "format", "policy", "intents", "rounds", "repeat", "baseline", "ledger_dir", "report"])]
    pub list: bool,

    /// What to print; text is attempts, table and JSON detail (to a terminal without the latter)
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,

    /// Write a report in the format of its ending too: .json, .xml (JUnit), .md, .html, of a target also .sarif; repeatable
    #[arg(long, value_name = "FILE", conflicts_with = "plan")]
    pub report: Vec<PathBuf>,

    /// Run under another dedup policy than declared, to see a declaration fail
    #[arg(long, value_name = "POLICY", value_parser = Policy::parse)]
    pub policy: Option<Policy>,

    /// Intents of each scenario that is not a race, up to 100000; declared figures scale with them
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=100_000))]
    pub intents: Option<u32>,

    /// Rounds of each race, up to 100000; declared figures scale with them
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=100_000))]
    pub rounds: Option<u32>,

    /// Run everything N times, up to 10000; a run that reads differently is a finding
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub repeat: u32,

    /// Compare with the JSON detail of an earlier run; a difference is a finding
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,

    /// Keep the ledgers in this folder, one file a scenario
    #[arg(long, value_name = "DIR")]
    pub ledger_dir: Option<PathBuf>,
}

pub const EXAMPLES: &str = "\
Examples:
  idem probe
  idem probe --scenario race_racy --policy key_atomic
  idem probe --format json > baseline.json; idem probe --baseline baseline.json
  idem probe --target http://127.0.0.1:8080/charges --ledger charges.jsonl --plan
  idem probe --target http://127.0.0.1:8080/charges --ledger charges.jsonl --report idem.html --report idem.xml
  idem probe --mcp --ledger charges.jsonl -- idem serve --mcp --stdio --policy naive --ledger charges.jsonl
  idem probe --chaos 1 --for 20s --policy key_racy --save found.json; idem probe --replay found.json

Exit codes: 0 all as declared, 2 a finding, 3 bad usage or a failed precondition, 4 nothing to probe, 130 interrupted";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Text,
    Table,
    Json,
    /// One test case a check, or a scenario
    Junit,
}

fn parse_scenario(name: &str) -> Result<&'static Scenario, String> {
    by_name(name, SCENARIOS.iter(), |scenario| scenario.name)
}
