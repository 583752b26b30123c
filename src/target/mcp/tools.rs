//! Which tools of a server are probed, and by which options. Invariant: each tool's options are those of a target whose
//! body is the tool's arguments; a tool that cannot be called is named, and why.

use anyhow::{Context, anyhow, ensure};
use serde_json::Value;

use super::args::McpArgs;
use super::arguments;
use crate::mcp::call::ToolCall;
use crate::mcp::tools::Tool;
use crate::target::args::TargetArgs;
use crate::target::options::{Design, Identity, Options};
use crate::target::request::fill::Hole;
use crate::target::request::key::KeyPlace;
use crate::terms::named::one_of;

/// The tools that were asked for.
///
/// # Errors
/// There is none, or none of that name.
pub fn chosen(tools: Vec<Tool>, name: Option<&str>) -> anyhow::Result<Vec<Tool>> {
    let Some(name) = name else {
        let writing: Vec<_> = tools.into_iter().filter(|tool| !tool.hints.read_only).collect();
        ensure!(!writing.is_empty(), "the server has no tool but such as claim to be read-only; name one by --tool");
        return Ok(writing);
    };
    let found = tools.iter().find(|tool| tool.name == name).cloned();
    Ok(vec![found.ok_or_else(|| anyhow!("--tool {name}: {}", one_of(tools.iter().map(|tool| &tool.name))))?])
}

/// The options of one tool's probe.
///
/// # Errors
/// As [`Options::new`], and where its arguments cannot be made up.
pub fn options(args: &TargetArgs, mcp: &McpArgs, tool: &ToolCall) -> anyhow::Result<Options> {
    let name = &tool.tool.name;
    let made_up = || arguments::template(&tool.tool.schema);
    let body = mcp.args.clone().or_else(made_up);
    let body = body.with_context(|| {
        format!(
            "{name}: no argument in its schema can name an intent; give --tool {name} --args JSON with {{{{intent}}}}"
        )
    })?;
    let args = TargetArgs { body: Some(body), key_in: mcp.key_arg.clone(), ..args.clone() };
    let mut options = Options::new(&args).with_context(|| format!("--args of {name}"))?;
    let has_key = mcp.key_arg.is_some() || options.template.has(Hole::Key);
    if !has_key {
        options.template.key_place = KeyPlace::Arguments;
    }
    options.identity = match (has_key, tool.tool.hints.read_only) {
        (_, true) => Identity::ReadOnly,
        (true, false) => Identity::Key,
        (false, false) if tool.tool.claims_idempotent() => Identity::Claim,
        (false, false) => Identity::Nothing,
    };
    if !mcp.strict {
        options.accept.push(Design::UnsafeRetries);
    }
    options.cancels = mcp.cancel;
    options.answers = mcp.input.as_deref().map(answers).transpose()?;
    options.template.tool = Some(tool.clone());
    Ok(options)
}

fn answers(text: &str) -> anyhow::Result<Value> {
    let answers: Value = serde_json::from_str(text).with_context(|| format!("--input {text}: not JSON"))?;
    ensure!(answers.is_object(), "--input {text}: give an object, a field for each name that the tool asks under");
    Ok(answers)
}
