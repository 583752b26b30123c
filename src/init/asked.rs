//! The request to make, as the options of a probe, and what the file says of it. Invariant: both come from one place, and
//! differ in secrets alone.

use anyhow::{Context, ensure};

use super::args::InitArgs;
use super::body;
use super::environment::Environment;
use super::names;
use super::openapi::{self, Operation};
use super::page::Setting;
use crate::config::{Value, plain};
use crate::http::header::Header;
use crate::http::url::Url;
use crate::target::args::TargetArgs;
use crate::target::request::body::Body;
use crate::target::request::fill::{self, Hole};
use crate::target::request::secrets;

/// What is to be asked.
pub struct Asked {
    pub target: TargetArgs,
    /// The address as the file has it.
    pub url: String,
    pub settings: Vec<Setting>,
    pub environment: Environment,
}

impl Asked {
    /// # Errors
    /// Names the option, what is wrong with it, and what to give instead.
    pub fn of(args: &InitArgs) -> anyhow::Result<Asked> {
        let mut asked = Asked {
            target: TargetArgs {
                insecure: args.insecure,
                allow_host: args.allow_host.clone(),
                ..TargetArgs::default()
            },
            url: String::new(),
            settings: Vec::new(),
            environment: Environment::default(),
        };
        let operation = match (&args.openapi, &args.operation) {
            (Some(file), Some(operation)) => openapi::operation(file, operation)?,
            (Some(_) | None, _) => Operation {
                method: args.method.clone().unwrap_or_else(|| "POST".to_owned()),
                body: Some(args.body.clone().unwrap_or_else(|| Body::DEFAULT.to_owned())),
                content_type: args.content_type.clone(),
                ..Operation::default()
            },
        };
        asked.place(args, &operation)?;
        asked.headers(args, &operation)?;
        asked.body(&operation)?;
        asked.ledger(args);
        Ok(asked)
    }

    fn set(&mut self, key: &'static str, value: Value, notes: &[&str]) {
        let notes = notes.iter().map(|note| (*note).to_owned()).collect();
        self.settings.push(Setting { key, value, notes, is_active: true });
    }

    fn place(&mut self, args: &InitArgs, operation: &Operation) -> anyhow::Result<()> {
        let url = Url::parse(&args.url).context("URL")?;
        let url = Url { path: operation.at(&url.path), ..url };
        let sent = url.to_string();
        self.url = self.environment.text(&sent, |name| names::is_secret(&[name.to_owned()]));
        self.target.target = vec![sent];
        self.set("target", Value::One(self.url.clone()), &[]);
        if !args.allow_host.is_empty() {
            self.set("allow-host", Value::Many(args.allow_host.clone()), &[]);
        }
        if let Some(file) = &args.cacert {
            self.target.cacert = Some(file.clone());
            self.set("cacert", Value::One(plain(&file.display().to_string())), &[]);
        }
        if args.insecure {
            self.set("insecure", Value::Flag(true), &[]);
        }
        self.target.method = Some(operation.method.clone());
        self.set("method", Value::One(operation.method.clone()), &[]);
        Ok(())
    }

    /// A key that was given as a header is one for a single request: the probe sends its own.
    fn headers(&mut self, args: &InitArgs, operation: &Operation) -> anyhow::Result<()> {
        let mut key = args.key_header.clone().map(|name| (name, None));
        if let Some(name) = &operation.key_header {
            key.get_or_insert((name.clone(), Some("Guessed: the header parameter of this name carries the key.")));
        }
        let mut written = Vec::new();
        for text in args.header.iter().chain(&operation.headers) {
            let header = Header::parse(text).context("--header")?;
            if names::is_key(&header.name) {
                key.get_or_insert((
                    header.name,
                    Some("Guessed: the header of this name carries the key; its value was left out."),
                ));
                continue;
            }
            written.push(self.environment.header(&header));
            if secrets::is_secret(&header.name) {
                crate::text::withheld::note(&header.value);
            }
            self.target.header.push(text.clone());
        }
        let notes: Vec<_> = operation.notes.iter().map(String::as_str).collect();
        if !written.is_empty() {
            self.set("header", Value::Many(written), &notes);
        }
        if let Some((name, note)) = key {
            self.target.key_header = Some(name.clone());
            self.set("key-header", Value::One(name), &note.into_iter().collect::<Vec<_>>());
        }
        Ok(())
    }

    fn body(&mut self, operation: &Operation) -> anyhow::Result<()> {
        let typed = self.target.header.iter().filter_map(|header| Header::parse(header).ok());
        let typed = typed.into_iter().find(|header| header.name.eq_ignore_ascii_case("content-type"));
        ensure!(
            typed.is_none() || operation.content_type.is_none(),
            "--content-type: a --header gives one too; leave one of them out"
        );
        let declared = operation.content_type.clone().or(typed.map(|header| header.value));
        let given = operation.body.clone().unwrap_or_default();
        let body = Body::parse(&given, declared.as_deref()).context("--body")?;
        let names_intent = |text: &String| fill::has(text, Hole::Intent);
        let is_named = self.target.target.iter().chain(&self.target.header).any(names_intent);
        let drawn = body::drawn(&body, is_named, &mut self.environment)?;
        if let Some(content_type) = &operation.content_type {
            self.target.content_type = Some(content_type.clone());
            self.set("content-type", Value::One(plain(content_type)), &[]);
        }
        self.target.body = Some(drawn.sent);
        self.set("body", Value::One(drawn.written), &drawn.note.iter().map(String::as_str).collect::<Vec<_>>());
        Ok(())
    }

    fn ledger(&mut self, args: &InitArgs) {
        let is_secret = |name: &str| names::is_secret(&[name.to_owned()]);
        if let Some(command) = &args.ledger_cmd {
            self.target.ledger_cmd = vec![command.clone()];
            let written = self.environment.text(command, is_secret);
            return self.set("ledger-cmd", Value::One(written), &[]);
        }
        let ledger = args.ledger.as_deref().unwrap_or("none");
        self.target.ledger = vec![ledger.to_owned()];
        let written = self.environment.text(ledger, is_secret);
        let note = "Without a ledger only the replies are judged: name the file, the URL or (ledger-cmd) the command that \
                    lists the charges.";
        let notes = [note];
        let notes = if args.ledger.is_none() { &notes[..] } else { &[] };
        self.set("ledger", Value::One(written), notes);
    }
}
