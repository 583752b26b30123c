//! Where the target, its replicas and its ledger are. Invariant: every address is resolved and allowed, and no option of
//! TLS is given that would change nothing.

use std::sync::Arc;

use anyhow::{Context, bail, ensure};

use super::args::TargetArgs;
use crate::console::output::say;
use crate::http::address::Address;
use crate::http::trust::Trust;
use crate::http::url::{Place, Url};

/// The endpoint, and what is needed to resolve the ledger's address.
pub struct Addresses {
    /// Replicas of one service, at least one.
    pub targets: Vec<Address>,
    /// Of the request, the same for all.
    pub path: String,
    /// Of each `--ledger`; None where it is not a URL.
    pub ledgers: Vec<Option<(Address, Url)>>,
}

impl Addresses {
    /// # Errors
    /// Names the option, what is wrong with it, and what to give instead.
    pub fn new(args: &TargetArgs) -> anyhow::Result<Addresses> {
        let urls =
            args.target.iter().map(|text| Url::parse(text).context("--target")).collect::<Result<Vec<_>, _>>()?;
        let url = |text: &String| Url::is_meant(text).then(|| Url::parse(text).context("--ledger")).transpose();
        let ledgers = args.ledger.iter().map(url).collect::<Result<Vec<_>, _>>()?;
        let path = path(&urls, args.path.as_deref())?;
        let is_asked = urls.iter().chain(ledgers.iter().flatten()).any(Url::is_tls);
        let trust = Arc::new(Trust::of_options(args.cacert.as_deref(), args.insecure, is_asked)?);
        let resolve = |url: &Url, option: &'static str| Address::resolve(url, &args.allow_host, &trust).context(option);
        let targets = urls.iter().map(|url| resolve(url, "--target")).collect::<Result<Vec<_>, _>>()?;
        let place = |url: Option<Url>| url.map(|url| anyhow::Ok((resolve(&url, "--ledger")?, url))).transpose();
        let ledgers = ledgers.into_iter().map(place).collect::<Result<Vec<_>, _>>()?;
        let all = targets.iter().chain(ledgers.iter().flatten().map(|(address, _)| address));
        all.filter_map(Address::warning).for_each(|warning| say!("idem: warning: {warning}"));
        Ok(Addresses { targets, path, ledgers })
    }
}

/// The path of all URLs, or the one given for a Unix socket, whose URL may have none.
fn path(urls: &[Url], given: Option<&str>) -> anyhow::Result<String> {
    let first = &urls[0];
    if let Some(other) = urls.iter().find(|url| url.path != first.path) {
        bail!("--target: replicas of one service have the same path; {} has another", other.path);
    }
    let Some(path) = given else { return Ok(first.path.clone()) };
    let has_own = |url: &Url| matches!(url.place, Place::Host { .. }) || url.path != "/";
    if let Some(url) = urls.iter().find(|url| has_own(url)) {
        bail!("--path is for a Unix socket alone: {url} has its path");
    }
    ensure!(path.starts_with('/'), "--path {path}: a path begins with /, as in /{path}");
    let is_plain = path.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'#');
    ensure!(is_plain, "--path {path}: percent-encode what is not plain ASCII");
    Ok(path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_is_the_urls_or_the_one_given_for_a_socket() {
        let of = |urls: &[&str], given| {
            path(&urls.iter().map(|url| Url::parse(url).unwrap()).collect::<Vec<_>>(), given)
                .map_err(|why| why.to_string())
        };
        assert_eq!(of(&["http://127.0.0.1/a", "https://127.0.0.1:1/a"], None).as_deref(), Ok("/a"));
        assert_eq!(of(&["unix:/x", "unix:/y"], Some("/b?c")).as_deref(), Ok("/b?c"));
        assert_eq!(of(&["unix:/x:/d"], None).as_deref(), Ok("/d"));
        for (urls, given, says) in [
            (&["http://127.0.0.1/a", "http://127.0.0.1/b"][..], None, "/b has another"),
            (&["http://127.0.0.1"], Some("/b"), "http://127.0.0.1/ has its path"),
            (&["unix:/x:/a"], Some("/b"), "unix:/x:/a has its path"),
            (&["unix:/x"], Some("b"), "as in /b"),
            (&["unix:/x"], Some("/ä"), "percent-encode"),
            (&["unix:/x"], Some("/a b"), "percent-encode"),
        ] {
            let why = of(urls, given).unwrap_err();
            assert!(why.contains(says), "{why}");
        }
    }
}
