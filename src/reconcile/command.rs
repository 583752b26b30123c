//! `idem reconcile`: two inputs read, one reading printed. Invariant: the exit code follows from the figures and from
//! what could be read, never from what the records say of themselves.

use anyhow::{Context, bail};

use super::args::{Args, Format};
use super::formats::formats;
use super::input;
use super::oracle::source::Source;
use super::records;
use super::records::Reading;
use super::report::{Asked, ReconcileReport, Unread};
use super::tally::{IntentTally, Totals};
use crate::console::input::{is_stdin, name, open};
use crate::console::interrupt;
use crate::console::output;
use crate::console::output::say;
use crate::terms::exit::Exit;

/// Runs the command. Errors: an option, an input cannot be opened or read, or both are standard input.
pub fn command(args: &Args) -> anyhow::Result<Exit> {
    interrupt::exit_on_signal()?;
    let source = input::source(args)?;
    if input::reads_stdin(&source) && is_stdin(&args.expected) {
        bail!("--ledger and --expected are both `-`, and standard input can be read once: give one of them as a file");
    }
    let (of_ledger, of_expected) = formats(args)?;
    let mut tally = IntentTally::default();
    let (expected, repeated) = expect(args, &of_expected, &mut tally)?;
    if !tally.is_held_to_any() {
        if expected.count > 0 {
            return Ok(Exit::Precondition);
        }
        say!("idem: {}: no expected intent, so there is nothing to hold the ledger to", name(&args.expected));
        return Ok(Exit::ZeroInput);
    }
    let ledger = charge(&source, &of_ledger, &mut tally)?;

    let lines = Unread {
        ledger: ledger.count,
        expected: expected.count,
        repeated,
        passed_over: ledger.passed_over,
        is_cut: ledger.is_cut || expected.is_cut,
    };
    let asked =
        Asked { amounts: args.amount_at.is_some(), window: args.time_at.is_some(), filter: !args.filters.is_empty() };
    let totals = tally.totals();
    if totals == (Totals { outside: totals.outside, ..Totals::default() }) && lines.is_all_read() {
        say!("idem: nothing was expected or charged between --since and --until, so there is nothing to judge");
        return Ok(Exit::ZeroInput);
    }
    let report = ReconcileReport { totals, tally: &tally, lines, asked };
    Ok(output::report(report.conclusion().exit(), |out| match args.format {
        Format::Text => report.text(out),
        Format::Json => report.json(out),
    }))
}

/// Reads the expected intents. Returns what could not be read, and how many records repeat one.
fn expect(args: &Args, format: &records::Format, tally: &mut IntentTally) -> anyhow::Result<(Reading, u64)> {
    let title = name(&args.expected);
    let mut repeated = 0;
    let mut first = None;
    let reading = records::read(open(&args.expected)?, format, |record, line| {
        if !tally.expect_at(&record.intent, record.when, record.amount) {
            repeated += 1;
            first.get_or_insert_with(|| (line, record.intent.into_owned()));
        }
    })
    .with_context(|| format!("cannot read {title}"))?;
    complain(&title, &reading);
    if let Some((line, intent)) = first {
        let intent = intent.escape_debug();
        say!(
            "idem: {title}:{line}: `{intent}` is expected already, counted once; lines that repeat an intent: {repeated}"
        );
    }
    if reading.is_names && args.time_at.is_some() {
        say!("idem: {title}: names alone have no time; all are held to the ledger, whatever --since and --until say");
    }
    if reading.is_names && args.amount_at.is_some() {
        say!("idem: {title}: names alone have no amount; the ledger's are held against each other");
    }
    Ok((reading, repeated))
}

/// Reads the ledger. Returns what could not be read.
fn charge(source: &Source, format: &records::Format, tally: &mut IntentTally) -> anyhow::Result<Reading> {
    let title = input::title(source);
    let reading = records::read(input::records(source)?, format, |record, _| {
        tally.charge_at(&record.intent, record.when, record.amount);
    })
    .with_context(|| format!("cannot read {title}"))?;
    complain(&title, &reading);
    if reading.count > 0 {
        let what = reading.unit();
        say!("idem: {title}: {what}s that could not be read: {}; they may hold what is lost", reading.count);
    }
    Ok(reading)
}

fn complain(title: &str, reading: &Reading) {
    for (number, complaint) in &reading.first {
        match reading.has_items {
            true => say!("idem: {title}: item {number}: {complaint}"),
            false => say!("idem: {title}:{number}: {complaint}"),
        }
    }
    let more = reading.count.saturating_sub(reading.first.len() as u64);
    if more > 0 {
        say!("idem: {title}: and {more} more such {}s", reading.unit());
    }
}
