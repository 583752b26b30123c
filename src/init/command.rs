//! The command: one request, one file. Invariant: a file that is there is not touched without --force, and nothing is
//! written where there was no answer.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, ensure};

use super::args::InitArgs;
use super::ask::{Told, ask};
use super::asked::Asked;
use super::page::{Setting, page};
use super::reply::learned;
use crate::config::{FILE, Value, plain};
use crate::console::output::{self, say};
use crate::console::{interrupt, printable};
use crate::target::drive::session::Session;
use crate::target::options::Options;
use crate::target::request::key::KeyPlace;
use crate::terms::exit::Exit;

/// The command. Errors: a precondition failed; nothing was written.
pub fn command(args: &InitArgs) -> anyhow::Result<Exit> {
    let is_word = !args.name.is_empty() && args.name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b));
    ensure!(is_word, "--name {}: give letters, digits, - and _", args.name);
    ensure!(
        args.force || !args.output.exists(),
        "{} is there already: --force overwrites it, --output FILE writes another one",
        args.output.display()
    );
    // Before the request, which may make a charge.
    let folder = args.output.parent().filter(|folder| !folder.as_os_str().is_empty());
    ensure!(folder.is_none_or(Path::is_dir), "--output {}: there is no such folder", args.output.display());
    let Asked { target, url, mut settings, environment } = Asked::of(args)?;
    let session = Session::new(Options::new(&target)?);
    let asked = format!("{} {url}", session.options.template.method);
    say!("idem: sends one real request, {asked}: it may make a charge");
    let Some(told) = interrupt::unless_interrupted(ask(&session))? else { return Ok(Exit::Interrupted) };
    let learned = learned(&told, key_header(&session));
    settings.extend(learned.settings);
    settings.extend(counted(&session, &told));
    let head = head(&session, &asked, &told, learned.is_success);
    let table = if args.name == "target" { args.name.clone() } else { format!("target.{}", args.name) };
    write(&args.output, args.force, &page(&table, &head, &settings))?;
    say!("idem: {} is written; what is guessed in it is said there", args.output.display());
    if !environment.names.is_empty() {
        say!("idem: no secret is written: set {} in the environment", environment.names.join(", "));
    }
    if !learned.is_success {
        say!("idem: the answer was not a success: {}", head[1]);
    }
    let exit = if learned.is_success { Exit::Ok } else { Exit::ZeroInput };
    Ok(output::report(exit, |out| writeln!(out, "{}", next(args))))
}

/// What to type next.
fn next(args: &InitArgs) -> String {
    let config =
        if args.output == Path::new(FILE) { String::new() } else { format!(" --config {}", args.output.display()) };
    format!("idem probe {}{config} --plan", args.name)
}

fn key_header(session: &Session) -> &str {
    match &session.options.template.key_place {
        KeyPlace::Header(name) => name,
        KeyPlace::Body(_) | KeyPlace::Form(_) | KeyPlace::Query(_) => "",
        KeyPlace::Template | KeyPlace::Url | KeyPlace::Arguments => "",
    }
}

/// What was asked and answered.
fn head(session: &Session, asked: &str, told: &Told, is_success: bool) -> Vec<String> {
    let status = told.reply.status;
    let mut head = vec![format!("Written by `idem init`: {asked} was answered {status}.")];
    if !is_success {
        let text = session.options.secrets.mask(&printable::printable(&told.answer.text));
        head.push(format!("{status} {text}"));
        head.push(
            "What a success looks like is not known yet: mend what it says, and let `idem init --force` ask again."
                .into(),
        );
    }
    head.push("`idem explain config` says what else may stand here; ${NAME} is taken from the environment.".into());
    head
}

/// Where the ledger holds the intent.
fn counted(session: &Session, told: &Told) -> Vec<Setting> {
    let set = |key, text: &str, note: String| Setting {
        key,
        value: Value::One(plain(text)),
        notes: vec![note],
        is_active: true,
    };
    if session.options.oracle.is_none() {
        return Vec::new();
    }
    let unseen = |why: String| vec![Setting { is_active: false, ..set("intent-at", "/intent", why) }];
    match &told.place {
        Ok(Some(place)) => {
            let items =
                place.items_at.as_ref().map(|at| set("ledger-items", at, "Here the ledger has its array.".into()));
            items
                .into_iter()
                .chain([set("intent-at", &place.intent_at, "Here the ledger shows the request.".into())])
                .collect()
        }
        Ok(None) => unseen("The ledger did not show the request: say where an item of it holds the intent.".into()),
        Err(why) => {
            let why = session.options.secrets.mask(why);
            unseen(format!("The ledger could not be read: {why}"))
        }
    }
}

fn write(path: &Path, overwrites: bool, text: &str) -> anyhow::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).truncate(overwrites).create(overwrites).create_new(!overwrites);
    let written = options.open(path).and_then(|mut file| file.write_all(text.as_bytes()));
    written.with_context(|| format!("cannot write {}", path.display()))
}
