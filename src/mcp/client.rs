//! A client's first words: which revision a server speaks, and which tools it has. Invariant: the newest common revision is
//! found by the rules of each, and a server that speaks none of them is named as such.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use serde_json::{Value, json};

use super::message::{Fault, code};
use super::meta::SESSION_HEADER;
use super::reply::response;
use super::speech::{Speech, Written};
use super::tools::Tool;
use super::version::Version;
use crate::http::address::Address;
use crate::http::client::{self, Outcome, Reply, Request};
use crate::http::header::Header;
use crate::terms::outcome::Symptom;

/// For `server/discover`: a server of old may never answer it.
const DISCOVER: Duration = Duration::from_secs(5);
/// Pages of `tools/list`.
const PAGES: usize = 100;

/// Where a server is, and what the user sends with each message.
#[derive(Clone, Debug)]
pub struct Endpoint {
    pub address: Address,
    pub path: String,
    pub headers: Vec<Header>,
    /// For one reply.
    pub patience: Duration,
    pub ids: Arc<AtomicU64>,
}

/// What a POST of a message carries beside the message's own headers.
pub const ACCEPT: &str = "application/json, text/event-stream";

impl Endpoint {
    /// Agrees on a revision: by `server/discover`, or where that is not understood by `initialize`.
    ///
    /// # Errors
    /// Says what the server answered.
    pub async fn connect(&self) -> anyhow::Result<Speech> {
        if let Some(speech) = self.discover(DISCOVER.min(self.patience)).await? {
            return Ok(speech);
        }
        match self.initialize().await {
            // It was only slow: once it has understood the question it takes no handshake any more.
            Err(why) if is_of_today(&why) => self.discover(self.patience).await?.ok_or(why),
            agreed => agreed,
        }
    }

    /// None where the server does not understand the question in time, or speaks what begins with a handshake.
    async fn discover(&self, patience: Duration) -> anyhow::Result<Option<Speech>> {
        let newest = Speech::new(Version::NEWEST, None, self.ids.clone());
        let outcome = self.send(&newest.request("server/discover", "", None), patience).await;
        if outcome.reply.is_none() && !is_answerless(&outcome) {
            bail!("the server cannot be reached: {}", outcome.detail.unwrap_or(outcome.symptom.to_string()));
        }
        match spoken(outcome.reply.as_ref().and_then(response)) {
            Some(Ok(versions)) => match newest_of(&versions) {
                Some(version) => Ok(version.is_stateless().then_some(newest)),
                None => bail!("no common revision: the server speaks {}", versions.join(", ")),
            },
            Some(Err(fault)) => bail!("the server refuses server/discover: {fault}"),
            None => Ok(None),
        }
    }

    /// The handshake before revision 2026-07-28.
    async fn initialize(&self) -> anyhow::Result<Speech> {
        let newest = Version::NEWEST_OF_SESSIONS;
        // Its revision is not agreed yet, so no header names it.
        let speech = Speech::new(Version::V20250326, None, self.ids.clone());
        let client = json!({"name": "idem", "version": env!("CARGO_PKG_VERSION")});
        let params = format!(r#""protocolVersion":"{newest}","capabilities":{{}},"clientInfo":{client}"#);
        let (reply, result) = self.ask(&speech.request("initialize", &params, None)).await.context("initialize")?;
        let agreed = result.get("protocolVersion").and_then(Value::as_str).unwrap_or_default();
        let version = Version::parse(agreed).ok().filter(|version| !version.is_stateless());
        let version = version.with_context(|| format!("no common revision: the server speaks {agreed:?}"))?;
        let session = reply.header(SESSION_HEADER).map(str::to_owned);
        let speech = Speech::new(version, session, self.ids.clone());
        let told = self.send(&speech.notification("notifications/initialized", ""), self.patience).await;
        match told.reply {
            Some(reply) if reply.status < 300 => Ok(speech),
            Some(reply) => bail!("the server answers {} to notifications/initialized", reply.status),
            None => bail!("notifications/initialized: {}", told.detail.unwrap_or(told.symptom.to_string())),
        }
    }

    /// All tools, over all pages.
    ///
    /// # Errors
    /// Says what the server answered.
    pub async fn tools(&self, speech: &Speech) -> anyhow::Result<Vec<Tool>> {
        let mut tools = Vec::new();
        let mut cursor = Value::Null;
        for _ in 0..PAGES {
            let params = if cursor.is_null() { String::new() } else { format!("\"cursor\":{cursor}") };
            let (_, result) = self.ask(&speech.request("tools/list", &params, None)).await.context("tools/list")?;
            let page = result.get("tools").and_then(Value::as_array).context("tools/list: no array of tools")?;
            let page = page.iter().map(|tool| Tool::of(tool).map_err(|why| anyhow!("tools/list: {why}")));
            tools.extend(page.collect::<Result<Vec<_>, _>>()?);
            cursor = result.get("nextCursor").cloned().unwrap_or(Value::Null);
            if cursor.is_null() {
                return Ok(tools);
            }
        }
        bail!("tools/list: more than {PAGES} pages")
    }

    /// The result of a request, and the reply that it came in.
    async fn ask(&self, message: &Written) -> anyhow::Result<(Reply, Value)> {
        let outcome = self.send(message, self.patience).await;
        let said = outcome.detail.clone().unwrap_or(outcome.symptom.to_string());
        let reply = outcome.reply.ok_or_else(|| anyhow!(said))?;
        match response(&reply) {
            Some(Ok(result)) => Ok((reply, result)),
            Some(Err(fault)) => Err(fault.into()),
            None => bail!("the server answers {} without a response of JSON-RPC", reply.status),
        }
    }

    /// The same server, as asked with another header of this name.
    pub fn with(&self, header: &Header) -> Endpoint {
        let others = self.headers.iter().filter(|other| !other.name.eq_ignore_ascii_case(&header.name)).cloned();
        Endpoint { headers: others.chain([header.clone()]).collect(), ..self.clone() }
    }

    /// Sends one message.
    pub async fn send(&self, message: &Written, patience: Duration) -> Outcome {
        client::attempt(&self.address.route, &self.request(message), patience).await
    }

    fn request(&self, message: &Written) -> Request {
        let plain =
            [("Content-Type", "application/json"), ("Accept", ACCEPT)].map(|(name, value)| (name.into(), value.into()));
        let own = message.headers.iter().map(|(name, value)| (name.clone(), value.clone().into_bytes()));
        let users = self.headers.iter().map(|header| (header.name.clone(), header.value.clone().into_bytes()));
        Request {
            method: "POST".into(),
            host: self.address.authority.clone(),
            target: self.path.clone(),
            headers: plain.into_iter().chain(own).chain(users).collect(),
            body: message.body.clone().into_bytes(),
        }
    }
}

fn newest_of(versions: &[String]) -> Option<Version> {
    Version::ALL.iter().rev().copied().find(|known| versions.iter().any(|version| version == known.name()))
}

/// Whether a handshake failed because the server takes none.
fn is_of_today(why: &anyhow::Error) -> bool {
    why.downcast_ref::<Fault>().is_some_and(|fault| fault.code == code::UNSUPPORTED_VERSION)
}

/// Whether the server is there, and said nothing to what it did not understand.
fn is_answerless(outcome: &Outcome) -> bool {
    let is_broken =
        matches!(outcome.symptom, Symptom::Closed | Symptom::Reset | Symptom::Truncated | Symptom::BadReply);
    is_broken || outcome.symptom == Symptom::ReadTimeout
}

/// The revisions that a server of today says it speaks; None where what it said is not of today ("Backward Compatibility").
///
/// # Errors
/// What it refuses the question for.
fn spoken(response: Option<Result<Value, Fault>>) -> Option<Result<Vec<String>, Fault>> {
    let texts = |versions: Option<&Value>| -> Option<Vec<String>> {
        versions?.as_array()?.iter().map(|version| version.as_str().map(str::to_owned)).collect()
    };
    match response? {
        Ok(result) => texts(result.get("supportedVersions")).map(Ok),
        Err(fault) if fault.code == code::UNSUPPORTED_VERSION => texts(fault.data.get("supported")).map(Ok),
        Err(fault) if matches!(fault.code, code::HEADER_MISMATCH | code::MISSING_CAPABILITY) => Some(Err(fault)),
        Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::bridge::Bridge;

    #[test]
    fn only_what_a_server_of_today_would_say_keeps_from_the_handshake() {
        let error = |code, data: Value| Some(Err(Fault { data, ..Fault::new(code, "no") }));
        assert_eq!(spoken(Some(Ok(json!({"supportedVersions": ["2026-07-28"]})))), Some(Ok(vec!["2026-07-28".into()])));
        let supported = json!({"supported": ["2025-11-25"]});
        assert_eq!(spoken(error(code::UNSUPPORTED_VERSION, supported)), Some(Ok(vec!["2025-11-25".into()])));
        assert!(matches!(spoken(error(code::HEADER_MISMATCH, Value::Null)), Some(Err(_))));
        for other in [None, Some(Ok(json!({}))), error(code::METHOD_NOT_FOUND, Value::Null), error(-32000, Value::Null)]
        {
            assert_eq!(spoken(other), None);
        }
    }

    /// Each line that is read is a request of ours; the first one, `server/discover`, is never answered.
    #[test]
    fn a_server_of_today_that_was_only_slow_is_asked_again() {
        const SCRIPT: &str = r#"
            read discover; read initialize
            echo '{"jsonrpc":"2.0","id":2,"error":{"code":-32022,"message":"no handshake","data":{}}}'
            read discover; echo '{"jsonrpc":"2.0","id":3,"result":{"supportedVersions":["2026-07-28"]}}'; read end"#;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let bridge = Bridge::start(["sh", "-c", SCRIPT].map(str::to_owned).into()).await.unwrap();
            let address = Address { route: bridge.address.into(), authority: bridge.address.to_string() };
            let patience = Duration::from_secs(1);
            let endpoint = Endpoint { address, path: "/".into(), headers: Vec::new(), patience, ids: Arc::default() };
            assert_eq!(endpoint.connect().await.unwrap().version, Version::V20260728);
        });
    }
}
