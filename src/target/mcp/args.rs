//! The options of `idem probe --mcp`. Invariant: text in, text out.

use clap::Args;

/// Probing the tools of an MCP server.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "Probing the tools of an MCP server")]
pub struct McpArgs {
    /// Endpoint of the server; without a URL, the command after `--` is the server, on its standard streams
    #[arg(long, value_name = "URL", num_args = 0..=1, group = "probed", conflicts_with_all = ["scenario", "all", "policy", "intents", "rounds", "repeat", "ledger_dir", "chaos", "replay"])]
    pub mcp: Option<Option<String>>,
    /// Probe this tool alone [default: each that does not claim to be read-only]
    #[arg(long, value_name = "NAME", requires = "mcp")]
    pub tool: Option<String>,
    /// Its arguments, with {{intent}}, {{amount}} and {{key}} [default: from its schema]
    #[arg(long, value_name = "JSON|@FILE", requires = "tool")]
    pub args: Option<String>,
    /// Argument that is the key of a call: then a repeat is promised to do nothing more
    #[arg(long, value_name = "POINTER", requires = "mcp")]
    pub key_arg: Option<String>,
    /// Answers to what a tool asks its client, by the names it asks under
    #[arg(long, value_name = "JSON", requires = "mcp")]
    pub input: Option<String>,
    /// Cancel calls at swept moments, and make them again
    #[arg(long, requires = "mcp")]
    pub cancel: bool,
    /// UNSAFE TO RETRY is a finding: exit 2
    #[arg(long, requires = "mcp")]
    pub strict: bool,
    /// The server's command and its arguments
    #[arg(last = true, value_name = "COMMAND", requires = "mcp")]
    pub command: Vec<String>,
}

impl McpArgs {
    pub fn is_given(&self) -> bool {
        self.mcp.is_some()
    }
}
