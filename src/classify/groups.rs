//! Verdicts put off until all is read, so that the worst can come first. Invariant: they wait in files without a name,
//! not in memory, and keep their order within a group.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};

use crate::terms::outcome::Effect;

/// The groups from the worst on, and what each is called.
const GROUPS: [(Effect, &str); 4] = [
    (Effect::Maybe, "money may have moved: ask before anything else is sent"),
    (Effect::Yes, "money has moved"),
    (Effect::Unlikely, "money has hardly moved: the server put it off"),
    (Effect::No, "no money has moved"),
];

/// Lines by group; the last one holds findings.
#[derive(Default)]
pub struct Groups {
    spools: [Option<BufWriter<File>>; GROUPS.len() + 1],
}

impl Groups {
    /// Puts off the line of a verdict.
    pub fn verdict(&mut self, effect: Effect, line: &[u8]) -> io::Result<()> {
        let group = GROUPS.iter().position(|(of, _)| *of == effect).expect("every effect has a group");
        self.keep(group, line)
    }

    /// Puts off the line of a finding.
    pub fn finding(&mut self, line: &[u8]) -> io::Result<()> {
        self.keep(GROUPS.len(), line)
    }

    fn keep(&mut self, group: usize, line: &[u8]) -> io::Result<()> {
        let spool = match &mut self.spools[group] {
            Some(spool) => spool,
            empty => empty.insert(BufWriter::new(tempfile::tempfile()?)),
        };
        spool.write_all(line)
    }

    /// Writes everything, the worst first; with heads for people.
    pub fn write(&mut self, out: &mut impl Write, heads: bool) -> io::Result<()> {
        let names = GROUPS.iter().map(|(_, name)| Some(*name)).chain([None]);
        for (spool, name) in self.spools.iter_mut().zip(names) {
            let Some(spool) = spool.take() else { continue };
            if let Some(name) = name.filter(|_| heads) {
                writeln!(out, "{name}")?;
            }
            let mut file = spool.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.seek(SeekFrom::Start(0))?;
            io::copy(&mut file, out)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_effect_has_a_group_and_the_worst_comes_first() {
        let mut groups = Groups::default();
        groups.finding(b"f\n").unwrap();
        for effect in Effect::ALL {
            groups.verdict(*effect, format!("{effect} 1\n").as_bytes()).unwrap();
        }
        groups.verdict(Effect::Maybe, b"maybe 2\n").unwrap();
        let mut out = Vec::new();
        groups.write(&mut out, false).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "maybe 1\nmaybe 2\nyes 1\nunlikely 1\nno 1\nf\n");
    }
}
