//! From options to the reports of tools. Invariant: the exit code is the worst of the tools', and a tool that could not be
//! probed is never left out in silence.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use anyhow::{Context, bail, ensure};

use super::args::McpArgs;
use super::tools;
use crate::console::interrupt;
use crate::console::output::say;
use crate::console::printable::printable;
use crate::console::progress::beside;
use crate::console::report_files::ReportFiles;
use crate::mcp::bridge::Bridge;
use crate::mcp::call::ToolCall;
use crate::mcp::client::Endpoint;
use crate::probe::args::{Format, ProbeArgs};
use crate::probe::baseline::Baseline;
use crate::target::args::TargetArgs;
use crate::target::command::chosen;
use crate::target::drive::session::Session;
use crate::target::options::{Options, Restart};
use crate::target::report;
use crate::target::report::Report;
use crate::target::run::plan;
use crate::target::run::progress::CheckProgress;
use crate::target::run::schedule::Schedule;
use crate::terms::exit::Exit;

/// For a reply of the handshake, and for the list of tools.
const PATIENCE: Duration = Duration::from_secs(20);

/// One tool's probe, also where it was interrupted.
struct Probe {
    session: Session,
    schedule: Schedule,
    files: ReportFiles<Report>,
}

/// The command. Errors: a precondition failed.
pub fn command(probe: &ProbeArgs, args: &TargetArgs, mcp: &McpArgs) -> anyhow::Result<Exit> {
    check(args, mcp)?;
    let baseline = match Baseline::asked_for(probe.baseline.as_deref())? {
        Ok(baseline) => baseline,
        Err(nothing) => return Ok(nothing),
    };
    let mut probes = Vec::new();
    let ended = interrupt::until_signal(probed(probe, args, mcp, &mut probes))?;
    if probes.is_empty() {
        return Ok(ended);
    }
    let done = probes.into_iter().map(|Probe { session, schedule, files }| {
        let rows = schedule.into_rows(&session.options.accept);
        (Report::new(&session, rows), files)
    });
    let (reports, files): (Vec<_>, Vec<_>) = done.unzip();
    let judged = if reports.iter().any(Report::has_judged) { Exit::Ok } else { Exit::ZeroInput };
    let all: Vec<_> = reports.iter().collect();
    let exit = match (probe.format, all.as_slice()) {
        (Format::Json, [_, _, ..]) => Report::print_documents(&all)?,
        _ => publish(probe.format, all.iter().copied().zip(files))?,
    };
    let exit = exit.and(judged).and(ended);
    Ok(match baseline {
        Some(baseline) => exit.and(baseline.compare(&Report::documents(&all)?)),
        None => exit,
    })
}

fn publish<'a>(
    format: Format,
    reports: impl Iterator<Item = (&'a Report, ReportFiles<Report>)>,
) -> anyhow::Result<Exit> {
    let mut exit = Exit::Ok;
    for (report, files) in reports {
        exit = exit.and(report.publish(format, files)?);
    }
    Ok(exit)
}

/// # Errors
/// Options of requests that are no calls, or no server.
fn check(args: &TargetArgs, mcp: &McpArgs) -> anyhow::Result<()> {
    let given = [
        (args.body.is_some(), "--body: a tool's arguments are given by --args"),
        (args.method.is_some(), "--method: a tool is called by POST"),
        (args.key_in.is_some() || args.key_header.is_some(), "the key of a call is an argument; give --key-arg"),
        (args.content_type.is_some(), "--content-type: a call is JSON"),
    ];
    if let Some((_, why)) = given.into_iter().find(|(given, _)| *given) {
        bail!("{why}");
    }
    match (&mcp.mcp, mcp.command.is_empty()) {
        (Some(Some(url)), false) => bail!("--mcp {url}: give a URL or a command, not both"),
        (Some(None) | None, true) => bail!("--mcp: give the server's URL, or its command after --"),
        (Some(None), false) if args.restart_cmd.is_some() => {
            bail!("--restart-cmd: the server is started by us, and started again by us")
        }
        (Some(Some(_)), true) | (Some(None) | None, false) => Ok(()),
    }
}

/// Probes each chosen tool. What was there before an interruption is in `probes`.
async fn probed(probe: &ProbeArgs, args: &TargetArgs, mcp: &McpArgs, probes: &mut Vec<Probe>) -> anyhow::Result<Exit> {
    let bridge = match mcp.mcp.as_ref().and_then(Option::as_ref) {
        Some(_) => None,
        None => Some(Arc::new(Bridge::start(mcp.command.clone()).await.map_err(|why| anyhow::anyhow!(why))?)),
    };
    let url = match (&bridge, &mcp.mcp) {
        (Some(bridge), _) => format!("http://{}/", bridge.address),
        (None, url) => url.clone().flatten().unwrap_or_default(),
    };
    let args = TargetArgs { target: vec![url], ..args.clone() };
    let calls = connected(&args, mcp, bridge.as_deref()).await?;
    let all = calls.len();
    ensure!(all == 1 || probe.format != Format::Junit, "--format junit: there are {all} tools; name one by --tool");
    ensure!(all == 1 || probe.report.is_empty(), "--report: there are {all} tools; name one by --tool");
    let mut called = 0;
    for call in calls {
        let options = match tools::options(&args, mcp, &call) {
            Ok(options) if bridge.is_some() => Options { restart: bridge.clone().map(Restart::Process), ..options },
            Ok(options) => options,
            // What is wrong with the only tool is wrong with the command.
            Err(why) if all == 1 => return Err(why),
            Err(why) => {
                say!("idem: SKIPPED: {}", printable(&format!("{why:#}")));
                continue;
            }
        };
        called += 1;
        one(probe, options, args.plan, probes).await?;
    }
    ensure!(called > 0, "none of the {all} tools could be probed; name one by --tool NAME --args JSON");
    Ok(Exit::Ok)
}

async fn one(probe: &ProbeArgs, options: Options, is_plan: bool, probes: &mut Vec<Probe>) -> anyhow::Result<()> {
    let checks = chosen(&options)?;
    if is_plan {
        return plan::print(&options, &checks).map(drop);
    }
    let files = report::files(&probe.report, &options)?;
    plan::announce(&options, &checks);
    probes.push(Probe { session: Session::new(options), schedule: Schedule::new(checks), files });
    let Some(Probe { session, schedule, .. }) = probes.last() else { return Ok(()) };
    let progress = CheckProgress::new(session, &schedule.checks);
    session.begin().await?;
    beside(schedule.run(session, &|row| progress.add(row)), || progress.line()).await;
    Ok(())
}

/// The calls of the chosen tools, by the revision that the server speaks.
async fn connected(args: &TargetArgs, mcp: &McpArgs, bridge: Option<&Bridge>) -> anyhow::Result<Vec<ToolCall>> {
    let options = Options::new(args)?;
    let endpoint = Endpoint {
        address: options.targets[0].clone(),
        path: options.template.path.clone(),
        headers: options.template.headers.clone(),
        patience: PATIENCE,
        ids: Arc::new(AtomicU64::new(0)),
    };
    let found = async {
        let speech = endpoint.connect().await?;
        let tools = endpoint.tools(&speech).await?;
        anyhow::Ok((speech, tools::chosen(tools, mcp.tool.as_deref())?))
    };
    let (speech, tools) = match (found.await, bridge) {
        (Err(why), Some(bridge)) => {
            let complaint = bridge.complaint().await;
            let said = if complaint.is_empty() { String::new() } else { format!("; it said: {complaint}") };
            return Err(why).with_context(|| format!("the server {}{said}", mcp.command.join(" ")));
        }
        (found, _) => found.context("--mcp")?,
    };
    Ok(tools.into_iter().map(|tool| ToolCall::new(tool, endpoint.clone(), bridge.is_some(), speech.clone())).collect())
}
