//! What is added to each request as it is sent: the headers of the user's commands, and cookies. Invariant: what was added
//! is known afterwards, so that no report shows it, and a request that could not be signed is not sent.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeSet;

use super::session::Session;
use crate::console::shell;
use crate::http::client::{Reply, Request};
use crate::http::header::Header;
use crate::target::request::cookies::Jar;
use crate::target::request::printed::headers;
use crate::target::request::template::Call;
use crate::target::signer::{self, Signer};

/// Who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Principal {
    First,
    Second,
    /// Without the credential.
    Nobody,
}

/// What the commands and the target said so far.
#[derive(Default)]
pub struct Additions {
    /// None before the first request, and where no command is given.
    signer: OnceCell<Result<Signer, String>>,
    /// What --before-cmd printed.
    before: RefCell<Vec<Header>>,
    jars: RefCell<[Jar; 2]>,
    /// Values that were added to any request.
    pub secrets: RefCell<BTreeSet<String>>,
    /// Why a request could not be signed; None where all could.
    pub failure: RefCell<Option<String>>,
}

impl Session {
    /// What comes before the first request: the headers of --before-cmd.
    ///
    /// # Errors
    /// Says how the command failed, and nothing of what it printed.
    pub async fn begin(&self) -> anyhow::Result<()> {
        let Some(command) = self.options.before_cmd.as_deref() else { return Ok(()) };
        let printed = shell::secret_output(command, shell::PATIENCE).await.and_then(|text| headers(&text));
        let printed = printed.map_err(|why| anyhow::anyhow!("--before-cmd: {why}"))?;
        self.additions.secrets.borrow_mut().extend(printed.iter().map(|header| header.value.clone()));
        self.additions.before.replace(printed);
        Ok(())
    }

    /// A call as it is sent now.
    ///
    /// # Errors
    /// Says why it could not be signed.
    pub async fn request(&self, call: &Call, authority: &str) -> Result<Request, String> {
        let call = &self.answered(call, authority).await?;
        self.dressed(call, self.options.template.request(call, authority)).await
    }

    /// A request of this call with all that is added to it.
    ///
    /// # Errors
    /// As [`Session::request`].
    pub async fn dressed(&self, call: &Call, mut request: Request) -> Result<Request, String> {
        for header in self.additions.before.borrow().iter().filter(|header| is_meant(header, call)) {
            set(&mut request, header.clone());
        }
        if let (true, Some(jar)) = (self.options.cookies, jar(self.principal(call))) {
            self.additions.jars.borrow()[jar].add(&mut request);
        }
        let Some(command) = self.options.sign_cmd.as_deref() else { return Ok(request) };
        let known = self.additions.failure.borrow().clone();
        let signed = match known {
            // It is not asked again: a request without its headers proves nothing.
            Some(why) => return Err(why),
            None => self.signed(command, request).await.map_err(|why| format!("--sign-cmd: {why}")),
        };
        if let Err(why) = &signed {
            self.additions.failure.borrow_mut().get_or_insert_with(|| why.clone());
        }
        signed
    }

    async fn signed(&self, command: &str, mut request: Request) -> Result<Request, String> {
        let signer = self
            .additions
            .signer
            .get_or_init(|| Signer::start(command, signer::PATIENCE))
            .as_ref()
            .map_err(String::clone)?;
        for header in signer.headers(&request).await? {
            self.additions.secrets.borrow_mut().insert(header.value.clone());
            set(&mut request, header);
        }
        Ok(request)
    }

    /// Keeps what a reply to this principal sets.
    pub fn take_cookies(&self, principal: Principal, reply: Option<&Reply>) {
        let (true, Some(jar), Some(reply)) = (self.options.cookies, jar(principal), reply) else { return };
        let mut jars = self.additions.jars.borrow_mut();
        jars[jar].take(reply);
        self.additions.secrets.borrow_mut().extend(jars[jar].values().map(str::to_string));
    }

    pub fn principal(&self, call: &Call) -> Principal {
        principal(self.options.other_credential.as_ref(), call)
    }
}

/// A header of all requests, but for those that go without it or have another one on purpose.
fn is_meant(header: &Header, call: &Call) -> bool {
    let is_it = |name: &str| name.eq_ignore_ascii_case(&header.name);
    !call.without.is_some_and(is_it) && !call.extra.iter().any(|own| is_it(&own.name))
}

fn set(request: &mut Request, header: Header) {
    request.headers.retain(|(name, _)| !name.eq_ignore_ascii_case(&header.name));
    request.headers.push((header.name, header.value.into_bytes()));
}

/// `other` is the second principal's credential.
fn principal(other: Option<&Header>, call: &Call) -> Principal {
    let second = |header: &_| other == Some(header);
    match (call.without, call.extra.iter().any(second)) {
        (Some(_), _) => Principal::Nobody,
        (None, true) => Principal::Second,
        (None, false) => Principal::First,
    }
}

fn jar(principal: Principal) -> Option<usize> {
    match principal {
        Principal::First => Some(0),
        Principal::Second => Some(1),
        Principal::Nobody => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(text: &str) -> Header {
        Header::parse(text).unwrap()
    }

    fn with(extra: &[&str]) -> Call {
        Call { extra: extra.iter().map(|text| header(text)).collect(), ..Call::default() }
    }

    #[test]
    fn what_is_printed_at_the_start_gives_way_to_what_a_request_has_on_purpose() {
        let login = header("Authorization: Bearer login");
        assert!(is_meant(&login, &with(&["X-A: 1"])));
        assert!(!is_meant(&login, &with(&["authorization: Bearer other"])));
        assert!(!is_meant(&login, &Call { without: Some("authorization"), ..Call::default() }));
        assert!(is_meant(&login, &Call { without: Some("x-a"), ..Call::default() }));
    }

    #[test]
    fn who_asks_is_told_by_the_credential() {
        let other = header("Authorization: Bearer two");
        let of = |call: &Call| principal(Some(&other), call);
        assert_eq!(of(&with(&["X-A: 1"])), Principal::First);
        assert_eq!(of(&with(&["X-A: 1", "Authorization: Bearer two"])), Principal::Second);
        assert_eq!(of(&with(&["Authorization: Bearer refreshed"])), Principal::First);
        assert_eq!(of(&Call { without: Some("authorization"), ..Call::default() }), Principal::Nobody);
        assert_eq!([Principal::First, Principal::Second, Principal::Nobody].map(jar), [Some(0), Some(1), None]);
    }
}
