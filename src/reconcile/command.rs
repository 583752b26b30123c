//! `idem reconcile`: two inputs read, one reading printed. Invariant: the exit code follows from the figures and from
//! what could be read, never from what the records say of themselves.

use std::path::Path;

use anyhow::{Context, bail};

use super::args::{Args, Format};
use super::records;
use super::records::{Complaints, Shape};
use super::report::{ReconcileReport, Unread};
use super::tally::IntentTally;
use crate::console::input::{is_stdin, name, open};
use crate::console::interrupt;
use crate::console::output;
use crate::console::output::say;
use crate::terms::exit::Exit;

/// Runs the command. Errors: an input cannot be opened or read, or both are standard input.
pub fn command(args: &Args) -> anyhow::Result<Exit> {
    interrupt::exit_on_signal()?;
    if is_stdin(&args.ledger) && is_stdin(&args.expected) {
        bail!("--ledger and --expected are both `-`, and standard input can be read once: give one of them as a file");
    }
    let mut tally = IntentTally::default();
    let (unread_expected, repeated) = expect(args, &mut tally)?;
    if tally.totals().expected == 0 {
        if unread_expected > 0 {
            return Ok(Exit::Precondition);
        }
        say!("idem: {}: no expected intent, so there is nothing to hold the ledger to", name(&args.expected));
        return Ok(Exit::ZeroInput);
    }
    let unread_ledger = charge(args, &mut tally)?;

    let lines = Unread { ledger: unread_ledger, expected: unread_expected, repeated };
    let report = ReconcileReport { totals: tally.totals(), tally: &tally, lines };
    Ok(output::report(report.conclusion().exit(), |out| match args.format {
        Format::Text => report.text(out),
        Format::Json => report.json(out),
    }))
}

/// Reads the expected intents. Returns how many lines name none, and how many repeat one.
fn expect(args: &Args, tally: &mut IntentTally) -> anyhow::Result<(u64, u64)> {
    let path = &args.expected;
    let pointer = args.expected_at.as_ref().unwrap_or(&args.intent_at);
    let mut repeated = 0;
    let mut first = None;
    let complaints = records::read_expected(open(path)?, pointer, |intent, line| {
        if !tally.expect(intent) {
            repeated += 1;
            first.get_or_insert_with(|| (line, intent.to_owned()));
        }
    })
    .with_context(|| format!("cannot read {}", name(path)))?;
    complain(path, &complaints);
    if let Some((line, intent)) = first {
        let intent = intent.escape_debug();
        say!(
            "idem: {}:{line}: `{intent}` is expected already, counted once; lines that repeat an intent: {repeated}",
            name(path)
        );
    }
    Ok((complaints.count, repeated))
}

/// Reads the ledger. Returns how many lines name no intent.
fn charge(args: &Args, tally: &mut IntentTally) -> anyhow::Result<u64> {
    let path = &args.ledger;
    let complaints = records::read(open(path)?, Shape::Json(&args.intent_at), |intent, _| tally.charge(intent))
        .with_context(|| format!("cannot read {}", name(path)))?;
    complain(path, &complaints);
    if complaints.count > 0 {
        say!("idem: {}: lines that could not be read: {}; they may hold what is lost", name(path), complaints.count);
    }
    Ok(complaints.count)
}

fn complain(path: &Path, complaints: &Complaints) {
    for (line, complaint) in &complaints.first {
        say!("idem: {}:{line}: {complaint}", name(path));
    }
    let more = complaints.count - complaints.first.len() as u64;
    if more > 0 {
        say!("idem: {}: and {more} more such lines", name(path));
    }
}
