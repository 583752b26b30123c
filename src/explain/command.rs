//! The command: a topic, or every sense of a name. Invariant: what is not known is refused with what is near.

use std::io::Write;

use anyhow::bail;

use super::args::ExplainArgs;
use super::entries::{Entry, entries};
use super::page::paragraph;
use super::topics::{TOPICS, Topic};
use crate::console::output;
use crate::console::printable::printable;
use crate::terms::exit::Exit;

/// The command. Errors: neither a topic nor a name.
pub fn command(args: &ExplainArgs) -> anyhow::Result<Exit> {
    // A name of several words, as a report shows it.
    let wanted = args.topic.join(" ");
    let wanted = wanted.as_str();
    if wanted.is_empty() {
        return Ok(output::report(Exit::Ok, |out| if args.list { names(out) } else { contents(out) }));
    }
    if let Some(topic) = TOPICS.iter().find(|topic| topic.name == wanted) {
        return Ok(output::report(Exit::Ok, |out| writeln!(out, "{}", (topic.page)())));
    }
    let known = entries();
    let senses: Vec<_> = known.iter().filter(|entry| entry.name.eq_ignore_ascii_case(wanted)).collect();
    if senses.is_empty() {
        let near = known.iter().map(|entry| entry.name).chain(TOPICS.iter().map(|topic| topic.name));
        let near: Vec<_> = near.filter(|name| is_near(name, wanted)).take(5).collect();
        let hint = if near.is_empty() { String::new() } else { format!("; did you mean {}?", near.join(", ")) };
        bail!("nothing is called {}{hint}; `idem explain --list` has all names", printable(wanted));
    }
    Ok(output::report(Exit::Ok, |out| senses.iter().try_for_each(|entry| sense(out, entry))))
}

fn sense(out: &mut dyn Write, Entry { name, sense, text }: &Entry) -> std::io::Result<()> {
    writeln!(out, "{name}: {sense}")?;
    text.lines().try_for_each(|line| {
        writeln!(out, "  {}", if text.contains('\n') { line.to_owned() } else { paragraph(line, 2) })
    })
}

fn contents(out: &mut dyn Write) -> std::io::Result<()> {
    writeln!(out, "idem explain TOPIC, or any name that a report shows. The topics:")?;
    TOPICS.iter().try_for_each(|Topic { name, about, .. }| writeln!(out, "  {name:<14} {about}"))
}

/// Every name once, topics first.
fn names(out: &mut dyn Write) -> std::io::Result<()> {
    let mut seen: Vec<&str> = Vec::new();
    for name in TOPICS.iter().map(|topic| topic.name).chain(entries().iter().map(|entry| entry.name)) {
        if !seen.contains(&name) {
            seen.push(name);
        }
    }
    seen.iter().try_for_each(|name| writeln!(out, "{name}"))
}

/// Whether one holds the other, whatever the letter case and `-` or `_`.
fn is_near(name: &str, wanted: &str) -> bool {
    let plain = |text: &str| text.to_lowercase().replace(['-', '_', ' '], "");
    let (name, wanted) = (plain(name), plain(wanted));
    wanted.len() > 2 && (name.contains(&wanted) || wanted.contains(&name) && name.len() > 2)
}
