//! `idem selftest`: every check printed, and a user's vectors beside them. Invariant: a failure of either exits 5; what
//! could not be read never counts as passed.

use std::io::{self, Write};

use super::args::Args;
use super::checks::checks;
use super::subject::{Checked, IN_USE};
use super::vectors;
use super::vectors::Vectors;
use crate::console::interrupt;
use crate::console::output;
use crate::terms::exit::Exit;

/// Runs the command. Errors: the vectors cannot be opened or read.
pub fn command(args: &Args) -> anyhow::Result<Exit> {
    if args.vectors.is_some() {
        interrupt::exit_on_signal()?;
    }
    let results: Vec<(&str, Checked)> = checks().map(|check| (check.name, (check.run)(&IN_USE))).collect();
    let vectors = args.vectors.as_deref().map(|path| vectors::check(path, IN_USE.intent_key));
    let vectors = vectors.transpose();
    let passed = results.iter().all(|(_, result)| result.is_ok());
    let exit = if passed { Exit::Ok } else { Exit::SelftestFailed };
    let exit = vectors.iter().flatten().fold(exit, |exit, vectors| exit.and(vectors.exit()));
    let exit = output::report(exit, |out| {
        print(out, &results)?;
        vectors.iter().flatten().try_for_each(|vectors| print_vectors(out, vectors))
    });
    vectors.map(|_| exit)
}

fn print(out: &mut dyn Write, results: &[(&str, Checked)]) -> io::Result<()> {
    for (name, result) in results {
        match result {
            Ok(()) => writeln!(out, "ok   {name}")?,
            Err(wrong) => writeln!(out, "FAIL {name}: {}: got {} want {}", wrong.case, wrong.got, wrong.want)?,
        }
    }
    let passed = results.iter().filter(|(_, result)| result.is_ok()).count();
    writeln!(out, "{passed}/{}", results.len())
}

fn print_vectors(out: &mut dyn Write, vectors: &Vectors) -> io::Result<()> {
    for wrong in &vectors.wrong {
        writeln!(out, "FAIL {}: got {} want {}", wrong.case, wrong.got, wrong.want)?;
    }
    writeln!(out, "vectors {}/{}", vectors.pairs - vectors.wrong.len() as u64, vectors.pairs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::selftest::subject::same;

    #[test]
    fn a_failed_check_shows_what_came_and_what_was_wanted() {
        let mut out = Vec::new();
        print(&mut out, &[("first", Ok(())), ("second", same("200", "bad-reply", "ok"))]).unwrap();
        let shown = String::from_utf8(out).unwrap();
        assert_eq!(shown, "ok   first\nFAIL second: 200: got \"bad-reply\" want \"ok\"\n1/2\n");
    }
}
