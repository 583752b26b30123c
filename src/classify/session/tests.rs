//! The whole way from bytes to results, with anything for input, cut anywhere.

use std::io::{self, Read};

use clap::Parser;
use proptest::prelude::*;

use super::*;
use crate::classify::command::classify;
use crate::text::fragments;

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    args: ClassifyArgs,
}

/// Gives its bytes in pieces of this length, and an error at their end if it is told to.
struct Pieces<'a>(&'a [u8], usize, bool);

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.0.is_empty() && self.2 {
            return Err(io::Error::other("the disk is gone"));
        }
        let length = self.1.min(buffer.len()).min(self.0.len());
        let (now, rest) = self.0.split_at(length);
        buffer[..length].copy_from_slice(now);
        self.0 = rest;
        Ok(length)
    }
}

/// What is written, and how the reading ended.
fn run(options: &[&str], input: Pieces) -> (String, io::Result<()>) {
    let args = Line::parse_from([&["classify"], options].concat()).args;
    let mut out = Vec::new();
    let mut session = Session::new(&mut out, &args, &[PathBuf::from("-")]);
    session.begin(Path::new("-"));
    let read = classify(input, args.text, &mut session);
    session.finish().1.expect("a vector takes everything");
    (String::from_utf8(out).expect("the output is UTF-8 whatever came in"), read)
}

#[test]
fn verdicts_that_were_reached_are_written_whatever_comes_later() {
    let input = b"{\"intent\":\"a\",\"status\":503}\nread timed out\nConnection refu";
    let (out, read) = run(&["--format", "jsonl"], Pieces(input, 7, true));
    assert!(read.is_err());
    assert!(out.starts_with("{\"line\":1,\"intent\":\"a\",\"symptom\":\"server-error\""), "{out}");
    assert!(out.contains("{\"line\":2,\"symptom\":\"read-timeout\"") && out.contains("{\"summary\":"), "{out}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_survived_and_read_alike_however_they_are_cut(bytes in fragments::bytes(), piece in 1usize..40) {
        let options: [&[&str]; 5] =
            [&["--format", "jsonl"], &["--text", "--format", "jsonl"], &["--format", "text"], &["--partition-key"],
             &["--format", "jsonl", "--intent-field", "key", "--key-field", "/a/0"]];
        for options in options {
            let (whole, read) = run(options, Pieces(&bytes, usize::MAX, false));
            let (cut, cut_read) = run(options, Pieces(&bytes, piece, false));
            prop_assert_eq!(&whole, &cut);
            prop_assert_eq!(read.is_ok(), cut_read.is_ok());
            if options.contains(&"jsonl") {
                for line in whole.lines() {
                    prop_assert!(serde_json::from_str::<serde_json::Value>(line).is_ok(), "{}", line);
                }
            }
        }
    }
}
