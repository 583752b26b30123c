//! Where the ledger's records come from, as a stream: a file, standard input, a URL, a command. Invariant: what fails is
//! an error before anything is said of the ledger; part of it is never taken for the whole.

use std::fs::File;
use std::io::{BufRead, BufReader, Cursor};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, anyhow, bail, ensure};
use tokio::runtime::Builder;

use super::args::Args;
use super::oracle::source::{Source, get};
use crate::console::input::{is_stdin, name, open};
use crate::console::output::say;
use crate::console::shell;
use crate::http::address::Address;
use crate::http::header::Header;
use crate::http::trust::Trust;
use crate::http::url::{Place, Url};

/// How long a URL may take: at most 16 MiB are read of it.
const ANSWERED: Duration = Duration::from_secs(120);
/// How long a command may take: a day's records are not a probe's.
const PRINTED: Duration = Duration::from_secs(3600);

/// The source that the options name.
///
/// # Errors
/// Names the option, what is wrong with it, and what to give instead.
pub fn source(args: &Args) -> anyhow::Result<Source> {
    let given = args.ledger.as_deref();
    let url = given.filter(|text| Url::is_meant(text)).map(|text| Url::parse(text).context("--ledger")).transpose()?;
    let trust = Trust::of_options(args.cacert.as_deref(), args.insecure, url.as_ref().is_some_and(Url::is_tls))?;
    ensure!(url.is_some() || args.ledger_header.is_empty(), "--ledger-header changes nothing: --ledger is not a URL");
    match (url, given, &args.ledger_cmd) {
        (_, _, Some(command)) => Ok(Source::Command(command.clone())),
        (Some(url), _, None) => {
            // Reading makes no charge, so the host that was named is allowed.
            let allowed = match &url.place {
                Place::Host { host, .. } => vec![host.clone()],
                Place::Socket(_) => Vec::new(),
            };
            let address = Address::resolve(&url, &allowed, &Arc::new(trust)).context("--ledger")?;
            address.warning().iter().for_each(|warning| say!("idem: warning: {warning}"));
            let headers = args.ledger_header.iter().map(|h| Header::parse(h).context("--ledger-header"));
            Ok(Source::Url { address, url, headers: headers.collect::<Result<_, _>>()? })
        }
        (None, Some(file), None) => Ok(Source::File(PathBuf::from(file))),
        (None, None, None) => bail!("--ledger: give the file or URL where charges can be counted, or --ledger-cmd"),
    }
}

/// How messages call it.
pub fn title(source: &Source) -> String {
    match source {
        Source::File(path) => name(path),
        Source::Url { .. } | Source::Command(_) | Source::None => source.to_string(),
    }
}

/// Whether it is standard input.
pub fn reads_stdin(source: &Source) -> bool {
    matches!(source, Source::File(path) if is_stdin(path))
}

/// Its text from the beginning.
///
/// # Errors
/// It cannot be opened, is not answered with 200, or the command fails.
pub fn records(source: &Source) -> anyhow::Result<Box<dyn BufRead>> {
    match source {
        Source::File(path) => open(path),
        Source::Url { address, url, headers } => {
            let body = block_on(get(address, url, headers, ANSWERED))?;
            Ok(Box::new(Cursor::new(body)))
        }
        Source::Command(command) => {
            let printed: File = block_on(shell::spooled(command, PRINTED)).context("--ledger-cmd")?;
            Ok(Box::new(BufReader::with_capacity(256 * 1024, printed)))
        }
        Source::None => bail!("--ledger: give the file or URL where charges can be counted, or --ledger-cmd"),
    }
}

fn block_on<T>(work: impl Future<Output = Result<T, String>>) -> anyhow::Result<T> {
    let runtime = Builder::new_current_thread().enable_all().build().context("cannot start the runtime")?;
    runtime.block_on(work).map_err(|why| anyhow!(why))
}
