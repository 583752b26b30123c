//! The topics, one row each. Invariant: a page is made of the registries' own words; prose stands in `texts`.

use super::config;
use super::entries::{check, symptom};
use super::libraries::LIBRARIES;
use super::page::{item, paragraph};
use crate::classify::findings::finder::Kind;
use crate::probe;
use crate::probe::scenario::SCENARIOS;
use crate::proxy::fault_name::FaultName;
use crate::target::checks::CHECKS;
use crate::target::judge::verdict::Verdict;
use crate::target::report;
use crate::target::report::standing::Standing;
use crate::target::request::fill::Hole;
use crate::terms::outcome::{Action, Effect, Symptom};
use crate::terms::points::POINTS;

/// One page of the reference.
pub struct Topic {
    pub name: &'static str,
    /// In a line.
    pub about: &'static str,
    pub page: fn() -> String,
}

const fn topic(name: &'static str, about: &'static str, page: fn() -> String) -> Topic {
    Topic { name, about, page }
}

/// All topics, in the order of the list.
pub const TOPICS: &[Topic] = &[
    topic("scenarios", "what `idem probe` measures, and what each row teaches", scenarios),
    topic("canonical-form", "how an intent becomes a key", || text(include_str!("texts/canonical-form.txt"))),
    topic("dedup-window", "how long a key must be remembered", || text(include_str!("texts/dedup-window.txt"))),
    topic("classify", "what `idem classify` reads and prints", || text(include_str!("texts/classify.txt"))),
    topic("symptoms", "what a client saw, and what it proves", symptoms),
    topic("findings", "what `idem classify` finds in the readings of one intent", findings),
    topic("target", "how `idem probe --target` judges your server", || text(include_str!("texts/target.txt"))),
    topic("requests", "what a request is made of: placeholders, body types, places of the key", requests),
    topic(
        "recipes",
        "databases, form APIs, GraphQL, webhooks, signed requests, logins, 202 and a worker, replicas",
        || text(include_str!("texts/recipes.txt")),
    ),
    topic("checks", "each check of a target: how, what a finding means, the usual cure", checks),
    topic("chaos", "how `idem probe --chaos` explores and shrinks", || text(include_str!("texts/chaos.txt"))),
    topic("mcp", "how `idem probe --mcp` judges the tools of a server", || text(include_str!("texts/mcp.txt"))),
    topic("survey", "what was found in published MCP servers", || text(include_str!("texts/survey.txt"))),
    topic("mcp-sdks", "what was found in servers by the official MCP SDKs", || {
        text(include_str!("texts/mcp-sdks.txt"))
    }),
    topic("mcp-clients", "what was found in public clients of tools", || text(include_str!("texts/mcp-clients.txt"))),
    topic("https", "how targets behind https or a Unix socket are reached", || text(include_str!("texts/https.txt"))),
    topic("reports", "the formats of `--report`, and what GitHub is told", reports),
    topic("ci", "a workflow that probes your server", || text(include_str!("texts/ci.txt"))),
    topic("verdicts", "the verdict of a check", verdicts),
    topic("points", "the article's twelve points, and what proves each", points),
    topic("libraries", "what was found in public idempotency libraries", libraries),
    topic("faults", "the faults of `idem proxy`", faults),
    topic("proxy", "how `idem proxy` stands between a client and its server", || text(include_str!("texts/proxy.txt"))),
    topic("clients", "what was found in public clients and SDKs", || text(include_str!("texts/clients.txt"))),
    topic("reconcile", "what `idem reconcile` reads and counts", || text(include_str!("texts/reconcile.txt"))),
    topic("init", "how `idem init` writes a first idem.toml", || text(include_str!("texts/init.txt"))),
    topic("config", "what may stand in idem.toml", config::page),
    topic("ledgers", "how to count charges in your own store", || text(include_str!("texts/ledgers.txt"))),
    topic("exit-codes", "the exit code of every command", exit_codes),
    topic("limits", "what idem does not show", || text(include_str!("texts/limits.txt"))),
];

/// The codes as the shell shows them.
pub const EXIT_CODES: [(&str, &str); 6] = [
    ("0", "all as declared"),
    ("2", "a finding: a reading differs from what is declared, a duplicate, a loss"),
    ("3", "a precondition failed: usage, a port, a folder, unreadable or malformed input; or a check was UNPROVEN"),
    ("4", "there was nothing to judge"),
    ("5", "a check of the selftest failed"),
    ("130", "interrupted"),
];

fn text(prose: &str) -> String {
    prose.trim_end().to_owned()
}

fn list<'a>(column: usize, items: impl Iterator<Item = (&'a str, String)>) -> String {
    items.map(|(name, text)| item(name, column, &text)).collect::<Vec<_>>().join("\n")
}

fn scenarios() -> String {
    let row = |scenario: &crate::probe::scenario::Scenario| {
        let beyond = if scenario.of_the_ten { "" } else { " (with --all or by name)" };
        (scenario.name, format!("{}{beyond}", scenario.teaches))
    };
    format!("{}\n\n{}", list(26, SCENARIOS.iter().map(row)), text(include_str!("texts/scenarios.txt")))
}

fn symptoms() -> String {
    let symptoms = list(16, Symptom::ALL.iter().map(|s| (s.name(), symptom(*s))));
    let effects = list(16, Effect::ALL.iter().map(|e| (e.name(), e.meaning().to_owned())));
    let actions = list(22, Action::ALL.iter().map(|a| (a.name(), a.meaning().to_owned())));
    format!("{symptoms}\n\nEffects: may the request have taken effect?\n{effects}\n\nActions\n{actions}")
}

fn findings() -> String {
    list(24, Kind::ALL.iter().map(|kind| (kind.name(), kind.meaning().to_owned())))
}

fn requests() -> String {
    let holes = Hole::ALL.iter().map(|hole| (format!("{{{{{hole}}}}}"), hole.meaning()));
    let holes = holes.map(|(name, meaning)| item(&name, 14, meaning)).collect::<Vec<_>>().join("\n");
    format!("{holes}\n\n{}", text(include_str!("texts/requests.txt")))
}

fn checks() -> String {
    let pages = CHECKS.iter().map(|known| format!("{}\n{}", known.name, check(known)));
    pages.collect::<Vec<_>>().join("\n\n")
}

fn reports() -> String {
    let of_target = list(8, report::FORMATS.iter().map(|format| (format.ending, format.about.to_owned())));
    let of_scenarios = list(8, probe::report::FORMATS.iter().map(|format| (format.ending, format.about.to_owned())));
    let prose = text(include_str!("texts/reports.txt"));
    format!("Of a target\n{of_target}\n\nOf the ten scenarios\n{of_scenarios}\n\n{prose}")
}

fn verdicts() -> String {
    list(10, Verdict::ALL.iter().rev().map(|verdict| (verdict.name(), verdict.meaning().to_owned())))
}

fn points() -> String {
    let head = paragraph(include_str!("texts/points.txt"), 0);
    let rows = POINTS.iter().enumerate().map(|(n, point)| {
        let title = item(&format!("{}.", n + 1), 3, point.asks);
        format!("{title}\n     {}", paragraph(point.proven_by, 5))
    });
    let standings = list(10, Standing::ALL.iter().map(|standing| (standing.name(), standing.meaning().to_owned())));
    format!("{head}\n\n{}\n\nA report says of each\n{standings}", rows.collect::<Vec<_>>().join("\n"))
}

fn libraries() -> String {
    let head = include_str!("texts/libraries.txt").split("\n\n").map(|text| paragraph(text, 0)).collect::<Vec<_>>();
    let rows = LIBRARIES.iter().map(|library| {
        let lines = [
            ("  findings", library.findings),
            ("  explored", library.explored),
            ("  besides", library.besides),
            ("  in-flight duplicate", library.in_flight),
            ("  reused key", library.reused_key),
            ("  without a key", library.without_a_key),
        ];
        let lines = lines.iter().filter(|(_, text)| !text.is_empty()).map(|(name, text)| item(name, 21, text));
        let title = paragraph(&format!("{} ({})", library.server, library.time), 0);
        format!("{title}\n{}", lines.collect::<Vec<_>>().join("\n"))
    });
    format!("{}\n\n{}", head.join("\n\n"), rows.collect::<Vec<_>>().join("\n"))
}

fn faults() -> String {
    list(16, FaultName::ALL.iter().map(|fault| (fault.name(), fault.meaning().to_owned())))
}

fn exit_codes() -> String {
    let codes = list(5, EXIT_CODES.iter().map(|(code, meaning)| (*code, (*meaning).to_owned())));
    let both =
        "Where 2 and 3 both apply it is 2: a proven finding stands, and the bad input is named on standard error.";
    let own = "`idem proxy -- COMMAND` ends with the command's own code where there was no finding, and says so.";
    format!("{codes}\n{both}\n{own}")
}
