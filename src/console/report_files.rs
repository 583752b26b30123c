//! Reports in files, beside what is printed. Invariant: each file is opened before anything is sent, so that no run is
//! lost to a wrong name; what stood in it stays until there is a report to take its place.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, ensure};

use super::output::say;
use crate::terms::exit::Exit;

/// A format of reports of one kind. To add one: a file with its writer, and a row in the kind's registry.
pub struct ReportFormat<R> {
    /// Of the file's name, without the dot.
    pub ending: &'static str,
    /// What it is for, in a line.
    pub about: &'static str,
    /// Errors: it cannot be made.
    pub render: fn(&R) -> io::Result<String>,
}

/// The files that were asked for, open.
pub struct ReportFiles<R: 'static>(Vec<Opened<R>>);

struct Opened<R: 'static> {
    path: PathBuf,
    file: File,
    format: &'static ReportFormat<R>,
    /// Made by us, and nothing is in it yet: it goes where no report comes.
    is_new: bool,
}

impl<R> ReportFiles<R> {
    /// # Errors
    /// Names the file whose ending is not known, that is given twice, or that cannot be written.
    pub fn open(paths: &[PathBuf], formats: &'static [ReportFormat<R>]) -> anyhow::Result<ReportFiles<R>> {
        let mut files = ReportFiles(Vec::new());
        let known = paths.iter().map(|path| Ok((path, known(path, formats)?))).collect::<anyhow::Result<Vec<_>>>()?;
        for (path, format) in known {
            ensure!(files.0.iter().all(|other| other.path != *path), "--report {}: given twice", path.display());
            let (file, is_new) = open(path).with_context(|| format!("--report {}: cannot write it", path.display()))?;
            files.0.push(Opened { path: path.clone(), file, format, is_new });
        }
        Ok(files)
    }

    /// Writes each; one that cannot be written is said, and makes the exit no better than a failed precondition.
    pub fn write(mut self, report: &R) -> Exit {
        let mut exit = Exit::Ok;
        for opened in &mut self.0 {
            if let Err(error) = opened.write(report) {
                say!("idem: error: --report {}: cannot write it: {error}", opened.path.display());
                exit = Exit::Precondition;
            }
        }
        exit
    }
}

impl<R> Opened<R> {
    fn write(&mut self, report: &R) -> io::Result<()> {
        let text = (self.format.render)(report)?;
        // A device or a pipe has no length.
        if self.file.metadata()?.is_file() {
            self.file.set_len(0)?;
        }
        self.file.write_all(text.as_bytes())?;
        self.is_new = false;
        Ok(())
    }
}

impl<R> Drop for Opened<R> {
    fn drop(&mut self) {
        if self.is_new {
            // An empty file that stays does no harm.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

fn known<R>(path: &Path, formats: &'static [ReportFormat<R>]) -> anyhow::Result<&'static ReportFormat<R>> {
    let ending = path.extension().unwrap_or_default();
    let format = formats.iter().find(|format| ending.eq_ignore_ascii_case(format.ending));
    format.ok_or_else(|| {
        let endings: Vec<_> = formats.iter().map(|format| format!(".{}", format.ending)).collect();
        anyhow!("--report {}: give a name that ends in one of {}", path.display(), endings.join(", "))
    })
}

/// The file, and whether it is a new one.
fn open(path: &Path) -> io::Result<(File, bool)> {
    match OpenOptions::new().write(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Ok((OpenOptions::new().write(true).create_new(true).open(path)?, true))
        }
        opened => Ok((opened?, false)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMATS: &[ReportFormat<&str>] =
        &[ReportFormat { ending: "md", about: "", render: |text| Ok((*text).to_owned()) }];

    fn open(paths: &[PathBuf]) -> anyhow::Result<ReportFiles<&'static str>> {
        ReportFiles::open(paths, FORMATS)
    }

    #[test]
    fn what_stood_in_a_file_stays_until_there_is_a_report() {
        let folder = tempfile::tempdir().unwrap();
        let (old, new) = (folder.path().join("old.md"), folder.path().join("new.MD"));
        std::fs::write(&old, "a longer text of before").unwrap();
        drop(open(&[old.clone(), new.clone()]).unwrap());
        assert_eq!(std::fs::read_to_string(&old).unwrap(), "a longer text of before");
        assert!(!new.exists(), "an empty file is left");
        assert_eq!(open(&[old.clone(), new.clone()]).unwrap().write(&"now"), Exit::Ok);
        assert_eq!([&old, &new].map(|path| std::fs::read_to_string(path).unwrap()), ["now", "now"]);
    }

    #[test]
    fn a_device_that_is_full_is_an_error_of_the_exit() {
        assert!(open(&["/dev/full".into()]).is_err_and(|why| why.to_string().contains("ends in one of .md")));
        let folder = tempfile::tempdir().unwrap();
        let full = folder.path().join("full.md");
        std::os::unix::fs::symlink("/dev/full", &full).unwrap();
        assert_eq!(open(&[full]).unwrap().write(&"now"), Exit::Precondition);
    }
}
