//! Options of `idem proxy`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::fault_name::FaultName;
use super::place::Place;
use super::run::args::RunArgs;
use super::trigger::Trigger;
use crate::config::args::ConfigArgs;
use crate::http::url::Url;
use crate::text::duration::duration;
use crate::text::pointer::Pointer;

/// Put a fault proxy between your own client and its server, and log what the client does
///
/// Each attempt that the client makes becomes one line of the readings, and `idem classify --input FILE` then says how
/// the client behaved: a key that changes between attempts, a retry without a key, a refusal retried, a Retry-After
/// ignored. Runs until Ctrl-C; what was still open is then written too.
///
/// With `-- COMMAND ARGS` it takes a free port, runs the command with the proxy's URL in IDEM_PROXY, ends with it, and
/// judges at once: exit 2 on a finding, else the command's own code.
///
/// With --mcp and without --upstream it stands between standard streams: a client of the Model Context Protocol starts
/// `idem proxy --mcp --fault post_drop --readings FILE -- SERVER ARGS` where it would start SERVER ARGS.
#[derive(Args, Debug)]
#[command(verbatim_doc_comment, after_help = EXAMPLES)]
pub struct ProxyArgs {
    /// The server, as http://HOST:PORT, https://HOST:PORT or unix:/FILE; paths are the client's. With --mcp and without it
    /// COMMAND is the server
    #[arg(long, value_name = "URL", value_parser = Url::parse, required_unless_present = "mcp")]
    pub upstream: Option<Url>,

    /// Certificate authorities (PEM) to trust for https, beside the built-in ones
    #[arg(long, value_name = "FILE", conflicts_with = "insecure")]
    pub cacert: Option<PathBuf>,

    /// Do not verify the certificate; on loopback only
    #[arg(long)]
    pub insecure: bool,

    /// Address and port to listen on; port 0 takes a free one, which is printed [default: 127.0.0.1:8081, and a free port
    /// for a command]
    #[arg(long, value_name = "ADDR")]
    pub listen: Option<SocketAddr>,

    /// What goes wrong: none, pre_fail, post_drop, post_slow, post_error, half_reply, half_request, cut, double_delivery,
    /// late_arrival, refusal or throttle; all runs a command once for each
    #[arg(long, value_name = "PHASE", value_parser = FaultChoice::parse, required_unless_present = "audit")]
    pub fault: Option<FaultChoice>,

    /// Which attempts it happens to: first (of each intent), every=N (each Nth), or p=P (by chance)
    #[arg(long, value_name = "WHICH", default_value = "first", value_parser = Trigger::parse)]
    pub on: Trigger,

    /// Makes the chances of p=P another sequence; the same seed gives the same one (default 0)
    #[arg(long, value_name = "S")]
    pub seed: Option<u64>,

    /// Where the readings go, as JSON lines behind what is there; a command may do without
    #[arg(long, value_name = "FILE", required_unless_present = "command")]
    pub readings: Option<PathBuf>,

    /// Where a request names the intent: a JSON pointer into its body, path:N (the Nth segment), query:NAME, form:NAME
    /// (form-encoded or multipart) or header:NAME; requests without one are passed on
    #[arg(long, value_name = "PLACE", default_value = "/intent", value_parser = Place::parse)]
    pub intent_at: Place,

    /// Where a JSON reply body names the receipt
    #[arg(long, value_name = "/POINTER", default_value = "/receipt")]
    pub receipt_at: Pointer,

    /// Where a request carries the idempotency key, as --intent-at has it [default: header:Idempotency-Key]
    #[arg(long, value_name = "PLACE", value_parser = Place::parse, conflicts_with = "key_header")]
    pub key_at: Option<Place>,

    /// The same as --key-at header:NAME
    #[arg(long, value_name = "NAME")]
    pub key_header: Option<String>,

    /// Requests are calls of MCP tools: --intent-at and --key-at are pointers into the arguments [key:
    /// /idempotency_key], --receipt-at into what the tool says
    #[arg(long, conflicts_with = "key_header")]
    pub mcp: bool,

    /// Retry-After, in seconds, of the 503 of pre_fail, the 502 of post_error, and the 429 of throttle (where it is 1)
    #[arg(long, value_name = "SECONDS")]
    pub retry_after: Option<u64>,

    /// When cut ends the upstream connection, from the last request byte written on (default 0s; between standard streams
    /// the server is killed, by default when it has replied)
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub cut_after: Option<Duration>,

    /// How long the server may take to reply before the client is answered 504 [default: 30s]
    #[arg(long, value_name = "DURATION", value_parser = positive)]
    pub timeout: Option<Duration>,

    /// How long post_slow and late_arrival hold on at most, where the client does not give up or try again
    #[arg(long, value_name = "DURATION", default_value = "30s", value_parser = positive)]
    pub hold: Duration,

    #[command(flatten)]
    pub config: ConfigArgs,
    /// Allow this server although it is not loopback (repeatable)
    #[arg(long, value_name = "HOST")]
    pub allow_host: Vec<String>,

    #[command(flatten)]
    pub run: RunArgs,
}

const EXAMPLES: &str = "\
Examples:
  idem proxy --upstream http://127.0.0.1:8080 --fault post_drop --ledger charges.jsonl -- pytest tests/pay
  idem proxy --upstream http://127.0.0.1:8080 --fault all --intent-at form:metadata[order] -- node pay.mjs
  idem proxy --upstream http://127.0.0.1:8080 --audit --ledger charges.jsonl -- ./client.sh";

/// One fault, or each in turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultChoice {
    One(FaultName),
    All,
}

impl FaultChoice {
    /// # Errors
    /// Lists the names.
    pub fn parse(text: &str) -> Result<FaultChoice, String> {
        match text {
            "all" => Ok(FaultChoice::All),
            name => FaultName::parse(name).map(FaultChoice::One).map_err(|why| format!("{why}, or all")),
        }
    }
}

impl ProxyArgs {
    /// Where the intent is.
    ///
    /// # Errors
    /// A tool's call names it elsewhere than in its arguments.
    pub fn intent_place(&self) -> anyhow::Result<Place> {
        if self.mcp { argument("--intent-at", &self.intent_at) } else { Ok(self.intent_at.clone()) }
    }

    /// Where the key is.
    ///
    /// # Errors
    /// As [`ProxyArgs::intent_place`].
    pub fn key_place(&self) -> anyhow::Result<Place> {
        let named = || match (&self.key_header, self.mcp) {
            (Some(name), _) => Place::Header(name.clone()),
            (None, true) => Place::Json("/idempotency_key".parse().expect("it is a pointer")),
            (None, false) => Place::Header("Idempotency-Key".to_owned()),
        };
        let place = self.key_at.clone().unwrap_or_else(named);
        if self.mcp { argument("--key-at", &place) } else { Ok(place) }
    }
}

/// A place among the arguments of a tool's call.
fn argument(option: &str, place: &Place) -> anyhow::Result<Place> {
    match place {
        Place::Json(pointer) => {
            format!("/params/arguments{pointer}").parse().map(Place::Json).map_err(anyhow::Error::msg)
        }
        Place::Path(_) | Place::Query(_) | Place::Form(_) | Place::Header(_) => {
            anyhow::bail!("{option} {place}: with --mcp give a JSON pointer into the arguments")
        }
    }
}

fn positive(text: &str) -> Result<Duration, String> {
    duration(text).and_then(|d| if d.is_zero() { Err("must be more than zero".into()) } else { Ok(d) })
}
