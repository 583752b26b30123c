//! The tool that was probed, as every report names it: its claims beside what was measured.

use std::fmt;

use serde::Serialize;

use super::Report;
use crate::mcp::tools::Hints;
use crate::mcp::version::Version;
use crate::target::judge::verdict::Verdict;
use crate::target::options::Identity;

/// Hints held against the ledger.
#[derive(Debug, Serialize)]
pub struct ToolVerdict<'a> {
    name: &'a str,
    #[serde(flatten)]
    hints: Hints,
    revision: Version,
    transport: &'static str,
    /// What makes a repeat of a call the same call.
    repeats: &'static str,
    /// The strongest of its checks.
    verdict: Verdict,
}

impl Report {
    /// None for a target that is not a tool.
    pub fn tool(&self) -> Option<ToolVerdict<'_>> {
        let call = self.options.template.tool.as_ref()?;
        Some(ToolVerdict {
            name: &call.tool.name,
            hints: call.tool.hints,
            revision: call.speech().version,
            transport: if self.options.is_process() { "stdio" } else { "http" },
            repeats: match self.options.identity {
                Identity::Key => "promised by a key",
                Identity::Claim => "promised by idempotentHint",
                Identity::ReadOnly => "promised by readOnlyHint",
                Identity::Nothing => "not promised",
            },
            verdict: self.worst(),
        })
    }

    /// What was not carried out takes nothing from what was.
    fn worst(&self) -> Verdict {
        let verdicts = self.rows.iter().map(|row| row.verdict);
        let carried_out = verdicts.filter(|verdict| *verdict != Verdict::Skipped);
        carried_out.reduce(Verdict::and).unwrap_or(Verdict::Skipped)
    }
}

impl fmt::Display for ToolVerdict<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Hints { read_only, destructive, idempotent } = self.hints;
        let (revision, transport, repeats) = (self.revision, self.transport, self.repeats);
        write!(f, "tool {} ({revision}, {transport}): {}; repeats are {repeats}; ", self.name, self.verdict)?;
        write!(f, "readOnlyHint={read_only} destructiveHint={destructive} idempotentHint={idempotent}")
    }
}
