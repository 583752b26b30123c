//! The request as the options describe it. Invariant: a template yields a request for every intent; what cannot is refused
//! with the option that is wrong.

use anyhow::{Context, anyhow, ensure};

use super::body::{self, Body};
use super::expected::Expected;
use super::fill::{self, Hole};
use super::key::{KeyFormat, KeyPlace};
use super::poll::{Poll, StatusUrl};
use super::template::Template;
use crate::http::header::Header;
use crate::reconcile::oracle::pointer;
use crate::target::args::TargetArgs;

/// The template, and the bodies that make the handler fail before or after its side effect.
pub struct Given {
    pub template: Template,
    pub fail_body: Option<Body>,
    pub fail_after_body: Option<Body>,
}

impl Given {
    /// # Errors
    /// Names the option, what is wrong with it, and what to give instead.
    pub fn of(args: &TargetArgs, path: String) -> anyhow::Result<Given> {
        let headers = headers(args)?;
        let declared = headers.iter().find(|header| header.name.eq_ignore_ascii_case("content-type"));
        let declared = declared.map(|header| header.value.as_str());
        let body = |text: &str, option: &'static str| Body::parse(text, declared).context(option);
        let optional = |text: &Option<String>, option| text.as_deref().map(|text| body(text, option)).transpose();
        let (fail_body, fail_after_body) =
            (optional(&args.fail_body, "--fail-body")?, optional(&args.fail_after_body, "--fail-after-body")?);
        fill::check(&path).context("--target")?;
        let method = method(args.method.as_deref().unwrap_or("POST"))?;
        let body = body(args.body.as_deref().unwrap_or(Body::DEFAULT), "--body")?;
        let format = args.key_format.as_deref().unwrap_or("hex");
        let mut template = Template {
            // Where the options name none, it follows from the rest.
            key_place: KeyPlace::Template,
            key_format: KeyFormat::parse(format).map_err(|why| anyhow!("--key-format {format}: {why}"))?,
            receipt_at: receipt_at(args.receipt_at.as_deref().unwrap_or("/receipt"))?,
            success_at: args.success_at.as_deref().map(Expected::parse).transpose().context("--success-at")?,
            poll: poll(args)?,
            method,
            path,
            headers,
            body,
            tool: None,
        };
        template.key_place = key_place(args, &template)?;
        template.check().context("--body")?;
        Ok(Given { template, fail_body, fail_after_body })
    }
}

/// The user's headers, the content type among them.
fn headers(args: &TargetArgs) -> anyhow::Result<Vec<Header>> {
    let given = args.header.iter().map(|text| Header::parse(text).context("--header"));
    let mut headers = given.collect::<anyhow::Result<Vec<_>>>()?;
    headers.iter().try_for_each(|header| fill::check(&header.value).context("--header"))?;
    if let Some(content_type) = &args.content_type {
        let twice = headers.iter().any(|header| header.name.eq_ignore_ascii_case("content-type"));
        ensure!(!twice, "--content-type {content_type}: a --header gives one too; leave one of them out");
        body::check_type(content_type).context("--content-type")?;
        headers.push(Header::parse(&format!("Content-Type: {content_type}")).context("--content-type")?);
    }
    Ok(headers)
}

/// Where the options say, or the template has `{{key}}`, or the URL of a PUT names the intent (RFC 9110, 9.3.4: it creates
/// what the URL names); else the usual header.
fn key_place(args: &TargetArgs, template: &Template) -> anyhow::Result<KeyPlace> {
    if let Some(place) = &args.key_in {
        return named_place(place);
    }
    if let Some(name) = &args.key_header {
        Header::parse(&format!("{name}: k")).context("--key-header")?;
        return Ok(KeyPlace::Header(name.clone()));
    }
    let names_resource = template.method == "PUT" && fill::has(&template.path, Hole::Intent);
    Ok(match (template.has(Hole::Key), names_resource) {
        (true, _) => KeyPlace::Template,
        (false, true) => KeyPlace::Url,
        (false, false) => KeyPlace::Header("Idempotency-Key".into()),
    })
}

fn named_place(text: &str) -> anyhow::Result<KeyPlace> {
    let place = match text.split_once(':') {
        Some(("query", name)) if !name.is_empty() => Some(KeyPlace::Query(name.to_string())),
        Some(("form", name)) if !name.is_empty() => Some(KeyPlace::Form(name.to_string())),
        _ if text == "url" => Some(KeyPlace::Url),
        _ if text.starts_with('/') && text.len() > 1 => Some(KeyPlace::Body(text.to_string())),
        _ => None,
    };
    place.with_context(|| {
        format!("--key-in {text}: give a JSON pointer, which begins with /, as /idempotency_key; or query:NAME, form:NAME, url")
    })
}

fn poll(args: &TargetArgs) -> anyhow::Result<Option<Poll>> {
    let (Some(at), Some(done)) = (&args.poll, &args.poll_done) else { return Ok(None) };
    Ok(Some(Poll { at: StatusUrl::parse(at).context("--poll")?, done: Expected::parse(done).context("--poll-done")? }))
}

/// None for `none`: webhook receivers name no receipt.
fn receipt_at(text: &str) -> anyhow::Result<Option<String>> {
    if text == "none" { Ok(None) } else { pointer("--receipt-at", text).map(Some) }
}

fn method(text: &str) -> anyhow::Result<String> {
    let token = !text.is_empty() && text.bytes().all(|b| b.is_ascii_uppercase() || b == b'-');
    ensure!(token, "--method {text}: give a method in capitals, as POST or PUT");
    Ok(text.to_string())
}
