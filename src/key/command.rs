//! The command: intents in, keys out. Invariant: a key is printed as soon as its line was read, whatever comes later, and
//! a line without one is named and never left out silently.

use std::io::{self, Write};
use std::path::Path;

use anyhow::Context;
use serde_json::json;

use super::args::{Format, KeyArgs};
use crate::console::output::say;
use crate::console::printable::printable;
use crate::console::{input, interrupt, output};
use crate::terms::canonical::canonical;
use crate::terms::exit::Exit;
use crate::terms::intent::{as_written, key_of_canonical};
use crate::text::lines::{LONGEST, Line, Lines};

/// Complaints that are shown; the rest are counted.
const SHOWN: u64 = 20;

/// The command. Errors: standard input cannot be read.
pub fn command(args: &KeyArgs) -> anyhow::Result<Exit> {
    interrupt::exit_on_signal()?;
    let stdin = Path::new("-");
    let name = input::name(stdin);
    let mut reading = Ok(());
    let mut counts = Counts::default();
    let mut lines = Lines::new(input::open(stdin)?);
    let written = output::report(Exit::Ok, |out| {
        loop {
            match lines.next() {
                Ok(Some((number, line))) => counts.take(&name, number, line, args.format, out)?,
                Ok(None) => return Ok(()),
                Err(error) => {
                    reading = Err(error);
                    return Ok(());
                }
            }
        }
    });
    reading.with_context(|| format!("cannot read {name}"))?;
    Ok(counts.conclude(&name).and(written))
}

/// Lines so far.
#[derive(Default)]
struct Counts {
    keys: u64,
    /// Lines without a key.
    bad: u64,
}

impl Counts {
    /// Prints the line's key, or complains that it has none. Errors: the output's.
    fn take(&mut self, name: &str, number: u64, line: Line, format: Format, out: &mut dyn Write) -> io::Result<()> {
        let keyed = match line {
            Line::Text { bytes, .. } if bytes.trim_ascii().is_empty() => return Ok(()),
            Line::Text { bytes, .. } => key(bytes),
            Line::TooLong => Err(format!("longer than {} MiB; write one intent a line", LONGEST >> 20)),
        };
        match keyed {
            Ok(keyed) => {
                self.keys += 1;
                print(out, number, &keyed, format)
            }
            Err(why) => {
                self.bad += 1;
                if self.bad <= SHOWN {
                    say!("idem: {name}:{number}: {}", printable(&why));
                }
                Ok(())
            }
        }
    }

    /// Says what is left to say, and how it ends.
    fn conclude(&self, name: &str) -> Exit {
        if self.bad > SHOWN {
            say!("idem: {name}: and {} more such lines", self.bad - SHOWN);
        }
        match (self.keys, self.bad) {
            (0, 0) => {
                say!("idem: {name}: no intent, so there is no key to print");
                Exit::ZeroInput
            }
            (_, 0) => Exit::Ok,
            (_, _) => Exit::Precondition,
        }
    }
}

/// The key of a line, and the canonical form that it is made of. The error says why there is none.
fn key(line: &[u8]) -> Result<(String, String), String> {
    let text = std::str::from_utf8(line).map_err(|_| "not UTF-8; convert the input".to_owned())?;
    let intent = as_written(text.trim()).map_err(|error| {
        // It is always line 1 of a text of one line; the input's line number stands before.
        format!("not JSON: {error}").replace(" at line 1 column ", " at column ")
    })?;
    let canonical =
        canonical(&intent).map_err(|refusal| refusal.to_string().replace(" at line 1 column ", " at column "))?;
    Ok((key_of_canonical(&canonical), canonical))
}

/// Flushed line by line, so that nothing is lost where the process is interrupted and a slow writer is followed.
fn print(out: &mut dyn Write, line: u64, (key, canonical): &(String, String), format: Format) -> io::Result<()> {
    match format {
        Format::Text => writeln!(out, "{key}  {}", printable(canonical))?,
        Format::Jsonl => writeln!(out, "{}", json!({ "line": line, "key": key, "canonical": canonical }))?,
    }
    out.flush()
}
