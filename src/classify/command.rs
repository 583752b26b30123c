//! `idem classify`: readings in, one verdict each out, and what the readings of an intent show together. Invariant: what
//! cannot be read is named and counted, and costs nothing of what can; what was judged is written whatever comes later.

use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::args::ClassifyArgs;
use super::findings::tally::Tally;
use super::read::decode::Decoded;
use super::read::reader::Reader;
use super::session::Session;
use crate::console::output::say;
use crate::console::{input, interrupt};
use crate::terms::exit::Exit;

/// The command. Errors: no input, or a file that cannot be opened.
pub fn command(args: &ClassifyArgs) -> anyhow::Result<Exit> {
    interrupt::exit_on_signal()?;
    let paths = paths(args)?;
    let inputs: Vec<Box<dyn Read>> = paths.iter().map(|path| open(path)).collect::<anyhow::Result<_>>()?;
    let mut session = Session::new(io::stdout().lock(), args, &paths);
    let mut read = Exit::Ok;
    for (path, input) in paths.iter().zip(inputs) {
        session.begin(path);
        read = read.and(heard(classify(input, args.text, &mut session), &input::name(path)));
    }
    let (tally, written) = session.finish();
    if tally.readings() + tally.scenarios() + tally.malformed() == 0 {
        let names: Vec<String> = paths.iter().map(|path| input::name(path)).collect();
        say!("idem: nothing to judge: no line of {} tells of a call", names.join(", "));
    }
    Ok(exit(&tally, args.strict).and(self::written(written)).and(read))
}

/// The inputs in their order; standard input where none is named.
fn paths(args: &ClassifyArgs) -> anyhow::Result<Vec<PathBuf>> {
    let mut paths: Vec<PathBuf> = args.input.iter().chain(&args.files).cloned().collect();
    if paths.is_empty() {
        if io::stdin().is_terminal() {
            bail!("no input: pipe readings in, or name a file; see `idem classify --help`");
        }
        paths.push(PathBuf::from("-"));
    }
    if paths.iter().filter(|path| input::is_stdin(path)).count() > 1 {
        bail!("`-` is named twice, and standard input can be read once: name it once");
    }
    Ok(paths)
}

/// Not through `input::open`: the reader has its own buffer, and a second one costs a copy.
fn open(path: &Path) -> anyhow::Result<Box<dyn Read>> {
    if input::is_stdin(path) {
        return Ok(Box::new(io::stdin().lock()));
    }
    let file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
    Ok(Box::new(file))
}

/// Classifies everything in one input.
pub(super) fn classify(input: impl Read, text: bool, session: &mut Session<impl io::Write>) -> io::Result<()> {
    let mut reader = Reader::new(Decoded::new(input)?);
    if text { reader.lines(session) } else { reader.log(session) }
}

/// A closed pipe ends the output quietly. What was found stays found whatever becomes of the results.
fn written(result: io::Result<()>) -> Exit {
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            say!("idem: error: cannot write to standard output: {error}");
            Exit::Precondition
        }
        _ => Exit::Ok,
    }
}

fn heard(result: io::Result<()>, name: &str) -> Exit {
    match result {
        Err(error) => {
            say!("idem: error: cannot read {name}: {error}; what was read before stands");
            Exit::Precondition
        }
        Ok(()) => Exit::Ok,
    }
}

/// Findings, malformed input and no input at all, in one code.
fn exit(tally: &Tally, strict: bool) -> Exit {
    let found = if tally.fails(strict) { Exit::Finding } else { Exit::Ok };
    let malformed = if tally.malformed() > 0 { Exit::Precondition } else { Exit::Ok };
    let nothing = if tally.readings() + tally.scenarios() == 0 { Exit::ZeroInput } else { Exit::Ok };
    found.and(malformed).and(nothing)
}
