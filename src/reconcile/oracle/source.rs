//! Where a ledger's text comes from: a file, a URL, a command. Invariant: each reading asks the source anew.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use crate::console::shell;
use crate::http::address::Address;
use crate::http::client::{Request, attempt_connecting};
use crate::http::header::Header;
use crate::http::transport::CONNECT;
use crate::http::url::Url;

/// How long a URL or a command may take for one reading.
const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Debug, Clone)]
pub enum Source {
    File(PathBuf),
    Url {
        address: Address,
        url: Url,
        headers: Vec<Header>,
    },
    Command(String),
    /// Nothing can be counted.
    None,
}

impl Source {
    /// What it is, without its place.
    pub fn kind(&self) -> &'static str {
        match self {
            Source::File(_) => "file",
            Source::Url { .. } => "url",
            Source::Command(_) => "command",
            Source::None => "none",
        }
    }

    /// What it is called beside others: no path, no query, and of a command the program alone, for the rest may be secret.
    pub fn name(&self) -> String {
        let last = |path: &std::path::Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
        match self {
            Source::File(path) => last(path).unwrap_or_else(|| path.display().to_string()),
            Source::Command(command) => {
                let program = command.split_whitespace().find(|word| !word.contains('='));
                program.and_then(|word| last(word.as_ref())).unwrap_or_else(|| self.to_string())
            }
            Source::Url { .. } | Source::None => self.to_string(),
        }
    }

    pub async fn text(&self) -> Result<String, String> {
        match self {
            Source::File(path) => match std::fs::read(path) {
                Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
                // A server may make it with the first charge.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
                Err(error) => Err(format!("cannot read {}: {error}", path.display())),
            },
            Source::Url { address, url, headers } => {
                let body = get(address, url, headers, PATIENCE).await?;
                Ok(String::from_utf8_lossy(&body).into_owned())
            }
            Source::Command(command) => shell::output(command, PATIENCE).await,
            Source::None => Err("there is no ledger".into()),
        }
    }
}

/// The body that a GET is answered with, within `patience`; that a connection comes about is waited for no longer than for any.
///
/// # Errors
/// Says what came instead of a whole 200.
pub async fn get(address: &Address, url: &Url, headers: &[Header], patience: Duration) -> Result<Vec<u8>, String> {
    let headers = headers.iter().map(|h| (h.name.clone(), h.value.clone().into_bytes())).collect();
    let request =
        Request { method: "GET".into(), host: url.authority(), target: url.path.clone(), headers, body: Vec::new() };
    let outcome = attempt_connecting(&address.route, &request, CONNECT, patience).await;
    match outcome.reply {
        Some(reply) if reply.status == 200 && outcome.symptom == crate::terms::outcome::Symptom::Ok => Ok(reply.body),
        Some(reply) => Err(format!("GET {}: {} {}", url.without_query(), reply.status, outcome.symptom)),
        None => {
            Err(format!("GET {}: {}: {}", url.without_query(), outcome.symptom, outcome.detail.unwrap_or_default()))
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::File(path) => write!(f, "{}", path.display()),
            Source::Url { url, .. } => write!(f, "{}", url.without_query()),
            // It may hold a password.
            Source::Command(_) => f.write_str("the ledger command"),
            Source::None => f.write_str("no ledger"),
        }
    }
}
